"""The special registers of PTX. Source: PTX ISA, special registers."""

from __future__ import annotations

import re

_WIDE = {
    "clock64": "u64",
    "gridid": "u64",
    "globaltimer": "u64",
    "total_smem_size64": "u64",
    "current_graph_exec": "u64",
    "is_explicit_cluster": "pred",
}
_NAMES = frozenset(
    [
        "tid",
        "ntid",
        "laneid",
        "warpid",
        "nwarpid",
        "ctaid",
        "nctaid",
        "smid",
        "nsmid",
        "gridid",
        "is_explicit_cluster",
        "clusterid",
        "nclusterid",
        "cluster_ctaid",
        "cluster_nctaid",
        "cluster_ctarank",
        "cluster_nctarank",
        "lanemask_eq",
        "lanemask_le",
        "lanemask_lt",
        "lanemask_ge",
        "lanemask_gt",
        "clock",
        "clock_hi",
        "clock64",
        "globaltimer",
        "globaltimer_lo",
        "globaltimer_hi",
        "total_smem_size",
        "aggr_smem_size",
        "dynamic_smem_size",
        "current_graph_exec",
        "reserved_smem_offset_begin",
        "reserved_smem_offset_end",
        "reserved_smem_offset_cap",
    ]
)
_NUMBERED = re.compile(r"(envreg\d+|pm\d+|pm\d+_64|reserved_smem_offset_\d+)\Z")


def special_type(name: str) -> str | None:
    """The type of a special register such as `%tid`, None when there is none of that name."""
    bare = name.removeprefix("%")
    if bare == name or not (bare in _NAMES or _NUMBERED.match(bare)):
        return None
    return "u64" if bare.endswith("_64") else _WIDE.get(bare, "u32")
