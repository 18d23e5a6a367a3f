"""A fault of a launch spec, tied to its key until the border makes a diagnostic of it."""

from __future__ import annotations

NOT_TOML = "PTX500"
BAD_KEY = "PTX501"
BAD_VALUE = "PTX502"
BAD_EXPRESSION = "PTX503"
UNKNOWN_NAME = "PTX504"
OVER_LIMIT = "PTX505"
BAD_FILE = "PTX506"
BAD_PARAMETERS = "PTX507"

KeyPath = tuple[str | int, ...]


class SpecProblem(Exception):
    """One fault at one key. `on_key` points at the key rather than at its value."""

    def __init__(
        self,
        code: str,
        message: str,
        path: KeyPath = (),
        *,
        help: str | None = None,
        on_key: bool = False,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.path = path
        self.help = help
        self.on_key = on_key
