"""Whether there is anything but a CPU, told without importing torch."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

# What the drivers of NVIDIA (also under WSL), AMD, Intel and Ascend devices create.
_DRIVERS = ("nvidiactl", "nvidia0", "dxg", "kfd", "dri", "accel", "davinci_manager")


def only_cpu(devices: Path = Path("/dev")) -> bool:
    """True where torch could choose nothing but the CPU; False where it has to be asked.

    ``devices`` is the folder in which Linux lists devices.
    """
    try:
        if version("torch").endswith("+cpu"):
            return True
    except PackageNotFoundError:
        return False
    return sys.platform == "linux" and not any((devices / name).exists() for name in _DRIVERS)
