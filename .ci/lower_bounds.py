"""Prints pip constraints that pin every dependency of trisolve and of its extras to its lower bound."""

import re
import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
extras = project["optional-dependencies"]
users = [*project["dependencies"], *(r for name in ("dask", "docs", "notebook", "png", "print") for r in extras[name])]
for requirement in users:
    if requirement.startswith("trisolve["):
        continue
    match = re.fullmatch(r"([A-Za-z0-9_-]+)>=([0-9.]+)(?:; .*)?", requirement)
    if not match:
        raise SystemExit(f"pyproject.toml: {requirement!r} has no lower bound")
    print(f"{match[1]}=={match[2]}")
