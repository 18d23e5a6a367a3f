"""Rewrites of PTX that are proved, and kept only when they pay after ptxas."""

from ptxtool.rewrite.driver import Attempt, KernelRewrite, RewriteReport, optimize
from ptxtool.rewrite.match import Match, find_matches
from ptxtool.rewrite.rule import Example, Rule, Safety
from ptxtool.rewrite.rules import all_rules

__all__ = [
    "Attempt",
    "Example",
    "KernelRewrite",
    "Match",
    "RewriteReport",
    "Rule",
    "Safety",
    "all_rules",
    "find_matches",
    "optimize",
]
