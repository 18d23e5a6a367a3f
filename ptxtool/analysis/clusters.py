"""Thread block clusters, by the documented rules only.

NVIDIA's occupancy calculator knows no clusters, so nothing here is covered by the oracle that
covers `analysis.occupancy`; how many clusters are resident also depends on how many SMs each GPC
of the board has left, which no tool can know without the device.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ptxtool.analysis.occupancy import Occupancy
from ptxtool.core.errors import UsageError
from ptxtool.machine import Model


class ClusterVerdict(StrEnum):
    """Whether a cluster of this size can be launched."""

    PORTABLE = "portable"
    OPT_IN = "needs the non-portable cluster size attribute"
    IMPOSSIBLE = "impossible"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class ClusterFit:
    """A cluster of `size` blocks on one target."""

    target: str
    size: int
    verdict: ClusterVerdict
    reason: str
    least_sms: int | None  # that one cluster occupies, at this occupancy
    clusters_per_gpc: int | None  # None: SMs per GPC not given
    covered_by_oracle: bool = False


def cluster_fit(
    model: Model, found: Occupancy, size: int, *, sms_per_gpc: int | None = None
) -> ClusterFit:
    """Fit of a cluster, from the occupancy of its blocks.

    All blocks of a cluster run at once in one GPC. Raises UsageError for a size below 1.
    """
    if size < 1 or (sms_per_gpc is not None and sms_per_gpc < 1):
        raise UsageError(f"a cluster has at least one block and one SM, not {size}")
    verdict, reason = _verdict(model, size)
    if not found.launchable:
        verdict, reason = ClusterVerdict.IMPOSSIBLE, "not even one block fits an SM"
    if verdict is ClusterVerdict.IMPOSSIBLE:
        return ClusterFit(model.target, size, verdict, reason, None, None)
    per_gpc = None if sms_per_gpc is None else sms_per_gpc * found.blocks_per_sm // size
    least = -(-size // found.blocks_per_sm)
    return ClusterFit(model.target, size, verdict, reason, least, per_gpc)


def _verdict(model: Model, size: int) -> tuple[ClusterVerdict, str]:
    portable, most = model.cluster_blocks_portable, model.cluster_blocks
    if size == 1:
        return ClusterVerdict.PORTABLE, "one block is no cluster"
    if model.capability < (9, 0):
        return ClusterVerdict.IMPOSSIBLE, f"{model.target} has no clusters: they begin with sm_90"
    if portable is not None and size <= portable:
        return ClusterVerdict.PORTABLE, f"at most {portable} blocks are portable"
    if most is None:
        return ClusterVerdict.UNKNOWN, f"the largest cluster of {model.target} is not known"
    if size <= most:
        return ClusterVerdict.OPT_IN, f"more than the portable {portable}, at most {most}"
    return ClusterVerdict.IMPOSSIBLE, f"{model.target} allows at most {most} blocks"
