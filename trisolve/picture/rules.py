"""What a puzzle asks for, in words: on a sheet to print and on a page to play on."""

from __future__ import annotations

from trisolve.puzzle import FillClue, Puzzle, ValueClue
from trisolve.tiles import WILD


def rules(puzzle: Puzzle) -> list[str]:
    """What is to be done, what may be done with the tiles, and what each sort of clue means: a sentence each."""
    meeting = "corners that meet at a point" if puzzle.match == "corners" else "sides that meet"
    if puzzle.fill == "board":
        aim, spare = "Lay a tile in every cell", ", and none is used more often than there are copies of it"
    else:
        aim, spare = "Lay all tiles on the board, joined by their sides,", ""
    border = ""
    if puzzle.border is not None:
        shown = "one value throughout" if puzzle.border == "same" else puzzle.border
        border = f", and the outer border shows {shown}"
    wild = "; the square agrees with everything" if any(WILD in tile.text for tile in puzzle.supply) else ""
    loose = [clue.tile.text for clue in puzzle.placed.values() if clue.placed is None]
    marks = {clue.filled for clue in puzzle.clues if isinstance(clue, FillClue) and clue.cell not in puzzle.placed}
    there = "corner" if puzzle.match == "corners" else "side"
    clues = (
        (
            loose,
            f"{''.join(loose[:1])} in a cell means that this tile lies there, turned in any way: its {there}s "
            "show these values, read anticlockwise",
        ),
        (
            any(isinstance(clue, ValueClue) for clue in puzzle.clues),
            f"A value in a ring is what every {there} there shows",
        ),
        (True in marks, "A cell with a ring in it is filled"),
        (False in marks, "A cell with a cross in it stays empty"),
    )
    return [
        f"{aim} so that {meeting} show the same value{border}.",
        f"Tiles may be turned but not turned over{spare}{wild}.",
        *(f"{meaning}." for there_is, meaning in clues if there_is),
    ]
