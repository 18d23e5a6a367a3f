"""What people hold -> modules."""

from ptxtool.inputs.check_text import target_of, version_of
from ptxtool.inputs.load import DEFAULT_ARCH, LoadedInput, load, only_ptx

__all__ = ["DEFAULT_ARCH", "LoadedInput", "load", "only_ptx", "target_of", "version_of"]
