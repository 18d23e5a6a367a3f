"""What makes one assembly of a kernel better than another, in one place."""

from ptxtool.cost.judge import Judgement, KernelCost, Verdict, judge, measure

__all__ = ["Judgement", "KernelCost", "Verdict", "judge", "measure"]
