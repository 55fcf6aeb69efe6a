"""Prints the commands in the README that make a virtual environment: how to install, and how to test."""

import re
from pathlib import Path

blocks = re.findall(r"^```sh\n(.*?)^```", Path("README.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
commands = [line for block in blocks for line in block.splitlines() if "-m venv" in line]
if len(commands) != 2:
    raise SystemExit(f"README.md: expected one command that installs and one that tests, found {len(commands)}")
print("\n".join(commands))
