"""Whatever the parser takes without a complaint prints to a text that it takes again."""

import random
import re

from ptxtool.core.source import Source
from ptxtool.syntax import nodes, parse, print_module

SEED = """.version 8.0
.target sm_80
.global .align 8 .v2 .f32 g[2] = {0f3F800000, 0f00000000};
.extern .func (.param .b32 out) f(.param .b64 p, .reg .b32 q);
.visible .entry k(.param .u64 .ptr .global .align 4 p)
.maxntid 64, 1, 1
{
.reg .b32 %r<4>;
.param .b8 a[12];
@!%p1 ld.global.L2::128B.v2.u32 {%r1, _}, [%rd1+-4];
L: { .reg .pred q; setp.eq.s32 %p1|q, %r1, WARP_SZ; }
mov.u64 %rd1, g+(4*2); mov.b32 %r1, g[1]; add.f32 %f1, %f2.x, 1.5e3;
call (%r1), f, (%rd1, -3), P;
.pragma "nounroll";
T: .branchtargets L, M;
tex.2d.v4.f32.f32 {a, b, c, d}, [t, {%f1, %f2}];
ret;
}
"""
PIECES = re.compile(r"[\w$%.]+|\s+|.")
RUNS = 3_000


def mutated(generator):
    """A few of the seed's pieces left out, said twice, or in one another's place."""
    pieces = PIECES.findall(SEED)
    for _ in range(generator.randint(1, 3)):
        at, other = generator.randrange(len(pieces)), generator.randrange(len(pieces))
        kind = generator.randrange(3)
        if kind == 0:
            pieces[at] = ""
        elif kind == 1:
            pieces.insert(at, pieces[other])
        else:
            pieces[at], pieces[other] = pieces[other], pieces[at]
    return "".join(pieces)


def printed(text):
    module = parse(Source("m.ptx", text))
    return module, print_module(module)


def test_a_print_is_taken_again_and_prints_the_same():
    generator = random.Random(7)
    taken = 0
    for _ in range(RUNS):
        text = mutated(generator)
        module, once = printed(text)  # printing what has faults must not raise either
        if module.diagnostics:
            continue
        taken += 1
        again, twice = printed(once)
        assert not again.diagnostics, (text, str(again.diagnostics[0]))
        assert once == twice
        kinds = [[type(s) for s in nodes.walk(m.statements)] for m in (module, again)]
        assert kinds[0] == kinds[1]
    assert taken > RUNS // 20
