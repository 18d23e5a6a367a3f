"""One launch in the structures of the CUDA driver API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ptxtool.gpu.device import DeviceLaunch

DEFAULT_SHARED_BYTES = 48 * 1024  # more dynamic shared memory must be asked for (CUDA guide)
PORTABLE_CLUSTER = 8  # larger clusters must be asked for (CUDA guide)
_PARAMETER_ALIGNMENT = 32


class LaunchPack:
    """Keeps everything alive that the driver reads while it launches."""

    def __init__(self, driver: Any, launch: DeviceLaunch, stream: Any) -> None:
        self.kernel = launch.kernel
        self._driver = driver
        self._launch = launch
        self._stores = [_aligned(data) for data in launch.arguments]
        self._pointers = np.array([store.ctypes.data for store in self._stores], dtype=np.uint64)
        self.parameters = self._pointers.ctypes.data if self._stores else 0
        self.config = self._config(stream)

    def _config(self, stream: Any) -> Any:
        config = self._driver.CUlaunchConfig()
        config.gridDimX, config.gridDimY, config.gridDimZ = self._launch.grid
        config.blockDimX, config.blockDimY, config.blockDimZ = self._launch.block
        config.sharedMemBytes = self._launch.shared
        config.hStream = stream
        attributes = self._attributes()
        config.attrs = attributes
        config.numAttrs = len(attributes)
        return config

    def _attributes(self) -> list[Any]:
        kinds = self._driver.CUlaunchAttributeID
        found = []
        if self._launch.cluster is not None:
            attribute = self._driver.CUlaunchAttribute()
            attribute.id = kinds.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
            value = self._driver.CUlaunchAttributeValue()
            value.clusterDim.x, value.clusterDim.y, value.clusterDim.z = self._launch.cluster
            attribute.value = value
            found.append(attribute)
        if self._launch.cooperative:
            attribute = self._driver.CUlaunchAttribute()
            attribute.id = kinds.CU_LAUNCH_ATTRIBUTE_COOPERATIVE
            value = self._driver.CUlaunchAttributeValue()
            value.cooperative = 1
            attribute.value = value
            found.append(attribute)
        return found

    def allow_shared(self, call: Callable[..., Any]) -> None:
        """Ask for what the launch needs beyond the defaults. Raises LaunchFailed."""
        kinds = self._driver.CUfunction_attribute
        if self._launch.shared > DEFAULT_SHARED_BYTES:
            attribute = kinds.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            call("cuFuncSetAttribute", self.kernel, attribute, self._launch.shared)
        x, y, z = self._launch.cluster or (1, 1, 1)
        if x * y * z > PORTABLE_CLUSTER:
            attribute = kinds.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
            call("cuFuncSetAttribute", self.kernel, attribute, 1)


def _aligned(data: bytes) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """A copy at an address aligned for any parameter type."""
    store = np.zeros(len(data) + _PARAMETER_ALIGNMENT, dtype=np.uint8)
    start = -store.ctypes.data % _PARAMETER_ALIGNMENT
    view = store[start : start + len(data)]
    view[:] = np.frombuffer(data, dtype=np.uint8)
    return view
