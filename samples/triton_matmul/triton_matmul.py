"""C = A * B in half precision with float accumulation.

`python triton_matmul.py OUT.ptx` compiles it offline with Triton 3 for sm_80.
"""

import os
import sys
from pathlib import Path

os.environ["TRITON_DISABLE_LINE_INFO"] = "1"  # line tables would hold the paths of this machine

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def triton_matmul(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Row-major matrices of m x k, k x n and m x n; one M x N tile of C for each program."""
    row, column = tl.program_id(0), tl.program_id(1)
    rows = row * M + tl.arange(0, M)
    columns = column * N + tl.arange(0, N)
    steps = tl.arange(0, K)
    a_at = a + rows[:, None] * k + steps[None, :]
    b_at = b + steps[:, None] * n + columns[None, :]
    total = tl.zeros((M, N), tl.float32)
    for start in range(0, k, K):
        left = tl.load(a_at, mask=(rows[:, None] < m) & (start + steps[None, :] < k), other=0.0)
        right = tl.load(b_at, mask=(start + steps[:, None] < k) & (columns[None, :] < n), other=0.0)
        total = tl.dot(left, right, total)
        a_at += K
        b_at += K * n
    inside = (rows[:, None] < m) & (columns[None, :] < n)
    tl.store(c + rows[:, None] * n + columns[None, :], total.to(tl.float16), mask=inside)


def ptx() -> str:
    """The PTX for sm_80."""
    source = ASTSource(
        fn=triton_matmul,
        signature={
            "a": "*fp16",
            "b": "*fp16",
            "c": "*fp16",
            "m": "i32",
            "n": "i32",
            "k": "i32",
            "M": "constexpr",
            "N": "constexpr",
            "K": "constexpr",
        },
        constexprs={"M": 64, "N": 64, "K": 32},
        attrs={(index,): [["tt.divisibility", 16]] for index in range(6)},
    )
    options = {"num_warps": 4, "num_stages": 3, "ptx_version": 80}
    compiled = triton.compile(source, target=GPUTarget("cuda", 80, 32), options=options)
    return str(compiled.asm["ptx"])


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(ptx())
