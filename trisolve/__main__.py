"""``python -m trisolve`` is the command ``trisolve``."""

from trisolve.cli import main

main()
