"""The use case `explain`: an opcode, a rewrite rule or a code."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from ptxtool import isa
from ptxtool.analysis.catalogue import finding_kind, finding_kinds
from ptxtool.core.errors import UsageError
from ptxtool.rewrite import Rule, all_rules

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class Explanation:
    """A title, one paragraph, and facts as pairs of name and text."""

    topic: str
    kind: str
    summary: str
    facts: tuple[tuple[str, str], ...]


def explain(topic: str) -> Explanation:
    """Explain a topic. Raises UsageError with the nearest ones."""
    opcode, *modifiers = topic.lstrip(".").split(".")
    rules = {rule.name: rule for rule in all_rules()}
    if topic in rules:
        return _rule(rules[topic])
    if (kind := finding_kind(topic)) is not None:
        facts = (("cause", kind.cause), ("fix", kind.fix))
        return Explanation(kind.code, "finding", kind.name, facts)
    if opcode in isa.OPS:
        return _opcode(topic, opcode, tuple(modifiers))
    known = [*isa.OPS, *rules, *finding_kinds()]
    near = difflib.get_close_matches(topic, known, n=3)
    raise UsageError(
        f"nothing is known of {topic}",
        help=f"did you mean {' or '.join(near)}?" if near else "name an opcode, rule or code",
    )


def _rule(rule: Rule) -> Explanation:
    facts = [
        ("pattern", rule.pattern),
        ("becomes", rule.replace),
        ("class", str(rule.safety)),
        ("types", ", ".join(" ".join(v for k, v in t.items() if k != "bits") for t in rule.types)),
        *(("where", item.says) for item in rule.where),
        *((f"${name}", item.says) for name, item in rule.derive.items()),
        ("why", rule.why),
        *(("example", f"{item.before}  ->  {item.after}") for item in rule.rewrites),
        *(("left alone", text) for text in rule.keeps),
    ]
    return Explanation(rule.name, "rewrite rule", rule.summary, tuple(facts))


def _opcode(topic: str, opcode: str, modifiers: tuple[str, ...]) -> Explanation:
    op = isa.OPS[opcode]
    facts = []
    for row in op.rows:
        title = ".".join((opcode, *row.when)) if row.when else opcode
        effects = ", ".join(sorted(map(str, row.effects))) or "none"
        facts.append((title, f"operands {row.roles or '-'}; effects {effects}"))
    facts += _form_facts(opcode, modifiers)
    return Explanation(topic, "opcode", op.summary, tuple(facts))


# Types that a topic such as `mad.wide` leaves open; which of them are legal is not known yet.
_INTEGERS = ("s16", "u16", "s32", "u32", "b32")
_MOST_OPERANDS = 8


def _form_facts(opcode: str, modifiers: tuple[str, ...]) -> list[tuple[str, str]]:
    """Classes of a form, and whether the table says what it computes."""
    form = _form(opcode, modifiers)
    facts = []
    if form is not None and modifiers:
        facts = [("mix class", form.mix_class), ("latency class", form.latency_class)]
    if _has_meaning(opcode, modifiers):
        facts.append(("meaning", "in the table"))
    elif any(_has_meaning(opcode, (*modifiers, name)) for name in _INTEGERS):
        facts.append(("meaning", "in the table for integers"))
    else:
        facts.append(("meaning", "not in the table yet"))
    return facts


def _form(opcode: str, modifiers: tuple[str, ...]) -> isa.Form | None:
    counts = range(_MOST_OPERANDS)
    return next((f for n in counts if (f := isa.lookup(opcode, modifiers, n)) is not None), None)


def _has_meaning(opcode: str, modifiers: tuple[str, ...]) -> bool:
    found = (isa.lookup(opcode, modifiers, count) for count in range(_MOST_OPERANDS))
    return any(form is not None and form.semantics is not None for form in found)
