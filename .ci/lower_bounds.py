"""Prints pip constraints that pin every dependency in pyproject.toml to its lower bound."""

import re
import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
for requirement in project["dependencies"]:
    match = re.fullmatch(r"([A-Za-z0-9_-]+)>=([0-9.]+)(?:; .*)?", requirement)
    if not match:
        raise SystemExit(f"pyproject.toml: {requirement!r} has no lower bound")
    print(f"{match[1]}=={match[2]}")
