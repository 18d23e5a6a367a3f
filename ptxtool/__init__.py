"""ptxtool: analyze, rewrite, assemble, diff and benchmark NVIDIA PTX."""

__version__ = "0.1.0"
