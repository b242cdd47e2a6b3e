"""What this machine computes with, told without importing torch."""

from __future__ import annotations

import re
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_EXTENSIONS = re.compile(r"^(avx|amx|fma|f16c|sse4|asimd|sve|bf16|i8mm)")
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


def cpu_flags(cpuinfo: Path = Path("/proc/cpuinfo")) -> list[str]:
    """The vector extensions of this processor, where the system tells."""
    try:
        text = cpuinfo.read_text(encoding="ascii", errors="replace")
    except OSError:
        return []
    line = next((line for line in text.splitlines() if line.startswith(("flags", "Features"))), "")
    return sorted(flag for flag in line.partition(":")[2].split() if _EXTENSIONS.match(flag))


def multiplies_bfloat16() -> bool:
    """Whether this processor has instructions for products of bfloat16 numbers; without them they are slower than float32."""
    return not {"avx512_bf16", "amx_bf16"}.isdisjoint(cpu_flags())
