"""Print the N-th command of README's Quick start, continued lines joined: python3 .ci/quickstart.py N."""

import re
import sys
from pathlib import Path

readme = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")
block = re.search(r"^## Quick start\n.*?^```\w*\n(.*?)^```", readme, re.DOTALL | re.MULTILINE)
assert block, "README.md has no fenced block under Quick start"
commands = [line for line in block[1].replace("\\\n", " ").splitlines() if line.strip()]
assert len(commands) == 2, f"Quick start holds {len(commands)} commands, not 2"
print(re.sub(r" +", " ", commands[int(sys.argv[1]) - 1]))
