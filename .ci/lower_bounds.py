"""Prints pip constraints that pin every dependency of trisolve and of its extras to its lower bound."""

import re
import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
extras = project["optional-dependencies"]
for requirement in [*project["dependencies"], *extras["dask"], *extras["png"]]:
    match = re.fullmatch(r"([A-Za-z0-9_-]+)>=([0-9.]+)(?:; .*)?", requirement)
    if not match:
        raise SystemExit(f"pyproject.toml: {requirement!r} has no lower bound")
    print(f"{match[1]}=={match[2]}")
