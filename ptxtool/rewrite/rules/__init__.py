"""Every rule: a module here with RULES is all that it takes."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from ptxtool.rewrite.rule import Rule


@cache
def all_rules() -> tuple[Rule, ...]:
    """The rules of every module of this folder, by module name."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names]
    return tuple(rule for module in modules for rule in module.RULES)
