"""The commands that look at things and search for nothing: puzzles, solutions, positions, and what is bundled."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from trisolve.cli import option
from trisolve.cli.status import DONE, NO_SOLUTION, load
from trisolve.terminal import echo, plain, say, table, text_picture
from trisolve.words import counted


@click.command()
@option.puzzle
@option.output("the picture (.svg, .png, .pdf, .txt)", pictures=True, json=False)
@option.look
@option.tiles
@option.quiet
def show(puzzle: str, output: str | None, tiles: str | None, quiet: bool, look: dict[str, Any]) -> int:
    """Draw the board of PUZZLE with its clues and the names of its cells, without solving it."""
    from trisolve import picture

    the_puzzle = load(puzzle, tiles)
    look = {"names": True, **look}
    if output is None:
        echo(text_picture(the_puzzle, **look))
    else:
        picture.write(the_puzzle, output, **look)
        say(quiet, f"written to {output}")
    return DONE


@click.command()
@option.puzzle
@option.json
@option.tiles
def check(puzzle: str, as_json: bool, tiles: str | None) -> int:
    """Validate PUZZLE and say what puzzle it is."""
    from trisolve.engines.reasons import reason
    from trisolve.symmetry import group

    the_puzzle = load(puzzle, tiles)
    board, supply = the_puzzle.board, the_puzzle.supply
    symmetries = group(the_puzzle)
    why = reason(the_puzzle)
    facts = {
        "name": the_puzzle.name,
        "title": the_puzzle.title,
        "source": the_puzzle.source,
        "cells": len(board),
        "rows": board.rows,
        "columns": board.columns,
        "points": len(board.points),
        "tiles": supply.total,
        "kinds": len(supply),
        "values": list(supply.values),
        "left_over": supply.total - len(board) if the_puzzle.fill == "board" else 0,
        "fill": the_puzzle.fill,
        "match": the_puzzle.match,
        "border": the_puzzle.border,
        "clues": len(the_puzzle.clues),
        "group": symmetries.as_json(),
        "reason": None if why is None else str(why),
    }
    if as_json:
        import json

        echo(json.dumps(facts))
        return DONE
    left = supply.total - len(board)
    stays = f"{left:,} left over" if left >= 0 else f"{-left:,} too few"
    if the_puzzle.fill == "tiles":
        stays = f"all are placed; cells that stay empty: {-left:,}" if left <= 0 else f"{left:,} too many"
    values = " ".join(map(str, supply.values)) or "none"
    borders: dict[object, str] = {None: "any values", "same": "one value, whichever"}
    border = borders.get(the_puzzle.border, f"value {the_puzzle.border}")
    echo(
        f"{the_puzzle.name}: {plain(the_puzzle.title) or 'no title'}\n"
        f"board   {counted(len(board), 'cell')}, {counted(board.rows, 'row')} x {counted(board.columns, 'column')}, "
        f"{counted(len(board.points), 'point')}\n"
        f"tiles   {supply.name}: {counted(supply.total, 'tile')} of {counted(len(supply), 'kind')}, values {values}\n"
        f"        {stays}\n"
        f"match   {the_puzzle.match}\n"
        f"border  {border}\n"
        f"clues   {len(the_puzzle.clues)}\n"
        f"group   {symmetries}\n"
        f"filling {f'impossible: {why}' if why else 'possible: no reason found why there should be none'}"
    )
    return DONE


@click.command()
@option.puzzle
@option.solution
@option.tiles
@option.quiet
def verify(puzzle: str, solution: str, tiles: str | None, quiet: bool) -> int:
    """Check a solution of PUZZLE, as `solve --json` writes it; - reads standard input.

    The check shares no code with any engine.
    """
    from trisolve import solution as solutions
    from trisolve.jsonfile import open_solutions

    the_puzzle = load(puzzle, tiles)
    entries = open_solutions(solution)
    right = True
    for i, entry in enumerate(entries, 1):
        which = f"solution {i}: " if len(entries) > 1 else ""
        for problem in solutions.verify(the_puzzle, entry).problems:
            right = False
            echo(f"{which}{plain(problem)}")
    if right and not quiet:
        echo(f"correct: {counted(len(entries), 'solution')} of {the_puzzle.name}")
    return DONE if right else NO_SOLUTION


@click.command()
@option.position
@click.option("--hand", metavar="PLAYER", help="List the placements of this player only.")
@option.output("a picture of the position, dead cells crossed out (.svg, .png, .pdf, .txt),", pictures=True, json=False)
@partial(option.look, prints=False)
@option.json
@option.quiet
def moves(position: str, hand: str | None, output: str | None, as_json: bool, quiet: bool, look: dict[str, Any]) -> int:
    """List what can be done in POSITION, a board where some tiles lie and others are in hand.

    POSITION is a file or the name of a bundled one. There is a line for each legal placement, with the hexagons and
    the bridge that it completes, for each dead cell, which no remaining tile fits, and for each hexagon that can still
    be completed.
    """
    from trisolve.position import Position

    game = Position.load(position)
    try:
        found = game.moves(hand)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--hand") from None
    dead, still_open = game.dead_cells(), game.open_hexagons()
    if as_json:
        import json

        hands = {who: [t.text for t, n in held.items() for _ in range(n)] for who, held in game.hands.items()}
        facts = {
            "position": game.puzzle.name,
            "filled": len(game.placed),
            "hands": hands,
            "moves": [move.as_json() for move in found],
            "dead_cells": dead,
            "hexagons": {"complete": game.hexagons(), "open": still_open},
        }
        echo(json.dumps(facts))
    elif output is None:
        rows = [
            (
                "place",
                move.cell,
                move.tile,
                plain(move.hand),
                *([f"hexagon {' '.join(move.hexagons)}"] if move.hexagons else []),
                *([f"bridge {move.bridge}"] if move.bridge else []),
            )
            for move in found
        ]
        rows += [("dead", name) for name in dead] + [("open", name) for name in still_open]
        if rows:
            table(rows)
    if output is not None:
        from trisolve import picture

        picture.write(game, output, **{"names": True, **look})
        say(quiet, f"written to {output}")
    hexagons, bridges = sum(bool(m.hexagons) for m in found), sum(bool(m.bridge) for m in found)
    brings = f"{counted(hexagons, 'hexagon')}, {counted(bridges, 'bridge')}"
    left = f"{counted(len(dead), 'dead cell')}, {counted(len(still_open), 'hexagon')} still open"
    say(quiet, f"{counted(len(found), 'placement')} ({brings}), {left}")
    return DONE


@click.command()
def shapes() -> int:
    """List the bundled shapes: name, cells, tile set, title."""
    from trisolve import shapefile

    puzzles = [load(name, None) for name in shapefile.bundled()]
    table(
        [(p.name, str(len(p.board)), p.supply.name, plain(p.title)) for p in puzzles],
        ("name", "cells", "tiles", "title"),
    )
    return DONE


@click.command()
@click.argument("name", metavar="[SET]", required=False, callback=option.tile_set, shell_complete=option.complete_set)
def tiles(name: str | None) -> int:
    """List the tile sets, or the tiles of SET, one a line."""
    from trisolve.tiles import SETS

    if name is not None:
        table([(str(tile),) for tile in SETS[name].supply()])
    else:
        table(
            [(s.name, str(s.supply().total), s.match, s.note) for s in SETS.values()], ("set", "tiles", "match", "note")
        )
    return DONE


@click.command()
def schema() -> int:
    """Print the JSON Schema of shape files, for editors."""
    import json

    from trisolve import shapefile

    echo(json.dumps(shapefile.schema(), indent=2))
    return DONE
