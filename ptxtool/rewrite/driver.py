"""The optimizer: match, rewrite, assemble both, and keep a rewrite only when it pays.

For each kernel and rule: all sites together; when those do not pay, the sites inside and outside of
loops apart, then halves of them, within a budget of assemblies. A refusal keeps its reason.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ptxtool import ir
from ptxtool.core.errors import ToolCrashed, ToolRefused, ToolTimeout
from ptxtool.core.source import Source
from ptxtool.cost import Judgement, KernelCost, Verdict, judge
from ptxtool.rewrite.apply import apply_matches
from ptxtool.rewrite.match import Match, find_matches
from ptxtool.rewrite.rule import Rule
from ptxtool.syntax import parse

# Assemblies of candidates per kernel and rule, for each target.
CANDIDATE_BUDGET = 12

# (source, kernel, target) -> cost; raises ToolRefused and other ToolErrors.
Measure = Callable[[Source, str, str], KernelCost]


@dataclass(frozen=True)
class Attempt:
    """One candidate: some sites of one rule, judged on every target."""

    rule: str
    lines: tuple[int, ...]
    applied: bool
    judgements: tuple[tuple[str, Judgement], ...]  # by target

    @property
    def reason(self) -> str:
        """The deciding judgement in words."""
        if self.applied:
            chosen = [j for _, j in self.judgements if j.verdict is Verdict.BETTER]
        else:
            chosen = [j for _, j in self.judgements if j.verdict is not Verdict.BETTER]
        return chosen[0].reason if chosen else ""


@dataclass(frozen=True)
class KernelRewrite:
    """What happened to one kernel; costs by target."""

    kernel: str
    attempts: tuple[Attempt, ...]
    before: dict[str, KernelCost]
    after: dict[str, KernelCost]
    failure: str | None = None

    @property
    def applied_sites(self) -> int:
        """Sites that were rewritten."""
        return sum(len(attempt.lines) for attempt in self.attempts if attempt.applied)


@dataclass(frozen=True)
class RewriteReport:
    """The rewritten source (the same object when nothing paid) and the account of each kernel."""

    before: Source
    after: Source
    archs: tuple[str, ...]
    kernels: tuple[KernelRewrite, ...]

    @property
    def changed(self) -> bool:
        """Whether any rewrite was kept."""
        return self.after is not self.before


def optimize(
    source: Source,
    *,
    archs: Sequence[str],
    kernels: Sequence[str],
    rules: Sequence[Rule],
    measure: Measure,
) -> RewriteReport:
    """Rewrite the named kernels of a module. A rewrite is better on one target, worse on none."""
    current = source
    reports = []
    for kernel in kernels:
        run = _Kernel(current, kernel, tuple(archs), measure, source)
        reports.append(run.optimize(rules))
        current = run.source
    return RewriteReport(source, current, tuple(archs), tuple(reports))


@dataclass
class _Kernel:
    """The state of one kernel: its source so far, and what it costs."""

    source: Source
    name: str
    archs: tuple[str, ...]
    measure: Measure
    start: Source  # what the user has: reports speak of its lines
    attempts: list[Attempt] = field(default_factory=list)

    def optimize(self, rules: Sequence[Rule]) -> KernelRewrite:
        try:
            before = {arch: self.measure(self.source, self.name, arch) for arch in self.archs}
        except (ToolRefused, ToolCrashed, ToolTimeout) as failed:
            return KernelRewrite(self.name, (), {}, {}, str(failed))
        self.original, self.costs = before, dict(before)
        for rule in rules:
            self._rule(rule)
        return KernelRewrite(self.name, tuple(self.attempts), before, self.costs)

    def _rule(self, rule: Rule) -> None:
        budget = CANDIDATE_BUDGET
        groups = [self._sites(rule)]
        while groups and budget:
            wanted = groups.pop(0)
            if not wanted:
                continue
            budget -= 1
            if self._try(rule, wanted):
                # The text has moved: what is left is looked for again, and tried whole first.
                groups = [self._sites(rule)]
            else:
                groups += _split(wanted)

    def _function(self) -> ir.Function:
        module = parse(self.source)
        node = next(item for item in module.kernels if item.name == self.name)
        return ir.build(node, module)

    def _sites(self, rule: Rule) -> list[Match]:
        self.function = self._function()
        return find_matches(rule, self.function)

    def _try(self, rule: Rule, matches: list[Match]) -> bool:
        candidate = apply_matches(self.source, self.function, matches)
        judgements = []
        costs = {}
        for arch in self.archs:
            judgement, cost = self._judge(candidate, arch)
            judgements.append((arch, judgement))
            costs[arch] = cost
        verdicts = [judgement.verdict for _, judgement in judgements]
        applied = Verdict.BETTER in verdicts and Verdict.WORSE not in verdicts
        lines = self._original_lines([match.line for match in matches])
        self.attempts.append(Attempt(rule.name, lines, applied, tuple(judgements)))
        if applied:
            self.source = candidate
            self.costs = {arch: cost for arch, cost in costs.items() if cost is not None}
        return applied

    def _original_lines(self, lines: list[int]) -> tuple[int, ...]:
        """Lines of the text so far as lines of the text that the user has."""
        if self.source is self.start:
            return tuple(lines)
        old, new = (text.text.splitlines() for text in (self.start, self.source))
        moved: dict[int, int] = {}
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
        for _, a_start, a_stop, b_start, b_stop in matcher.get_opcodes():
            for line in range(b_start, b_stop):
                moved[line] = min(a_start + line - b_start, max(a_stop - 1, a_start))
        return tuple(moved.get(line - 1, line - 1) + 1 for line in lines)

    def _judge(self, candidate: Source, arch: str) -> tuple[Judgement, KernelCost | None]:
        try:
            cost = self.measure(candidate, self.name, arch)
        except (ToolRefused, ToolCrashed, ToolTimeout) as failed:
            return Judgement(
                Verdict.WORSE, f"the rewritten kernel does not assemble: {failed}"
            ), None
        # Losses within tolerance must not add up over the rules to one beyond it.
        overall = judge(self.original[arch], cost)
        if overall.verdict is Verdict.WORSE:
            return overall, cost
        return judge(self.costs[arch], cost), cost


def _split(matches: list[Match]) -> list[list[Match]]:
    """Smaller groups: inside and outside of loops, else halves."""
    inside = [match for match in matches if match.loop_depth]
    outside = [match for match in matches if not match.loop_depth]
    if inside and outside:
        return [inside, outside]
    if len(matches) < 2:
        return []
    middle = len(matches) // 2
    return [matches[:middle], matches[middle:]]
