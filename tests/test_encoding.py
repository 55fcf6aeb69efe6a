"""The arrays against slow definitions made from tiles and nodes alone."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import Filling, puzzles, solved_puzzles

from trisolve.board import Board
from trisolve.encoding import WORD, Encoding, encode
from trisolve.lattice import Cell
from trisolve.puzzle import Puzzle
from trisolve.tiles import SETS, WILD, Supply, Tile


def bit_set(words: np.ndarray, bit: int) -> bool:  # type: ignore[type-arg]
    return bool(int(words[bit // WORD]) >> bit % WORD & 1)


def may_lie(puzzle: Puzzle, cell: Cell, text: str) -> bool:
    """True when a placed tile agrees with itself, the clues and the border."""
    shown: dict[object, int] = {}
    for spot, mark in zip(puzzle.spots(cell), text, strict=True):
        if mark != WILD:
            node, value = puzzle.node(spot), int(mark)
            if puzzle.fixed.get(node, value) != value or shown.setdefault(node, value) != value:
                return False
    clue = puzzle.placed.get(cell)
    return clue is None or (Tile(text) == clue.tile and (clue.placed or text) == text)


def check_layout(e: Encoding) -> None:
    """What holds of the bits of every encoding."""
    texts = [e.label_text(label) for label in range(len(e.bits))]
    assert len(set(e.bits.tolist())) == len(e.bits)
    assert all(0 <= bit < e.words * WORD for bit in e.bits.tolist())
    for t, tile in enumerate(e.kinds):
        labels = np.flatnonzero(e.label_kind == t).tolist()
        assert {texts[label] for label in labels} == set(tile.orientations())
        bits = sorted(e.bits[labels].tolist())
        # Next to each other, not astride two words, led by the bit in lead.
        assert bits == list(range(bits[0], bits[0] + len(bits)))
        assert bits[0] // WORD == bits[-1] // WORD
        assert [bit_set(e.lead, bit) for bit in bits] == [True] + [False] * (len(bits) - 1)
        assert [label for label, bit in enumerate(e.bits.tolist()) if bit_set(e.kind_bits[t], bit)] == labels
    assert sum(int(word).bit_count() for word in e.lead) == len(e.kinds)
    for k in range(3):
        for v, value in enumerate(e.values):
            for label, bit in enumerate(e.bits.tolist()):
                assert bit_set(e.fits[k, v], bit) == (texts[label][k] in (str(value), WILD))
    # No stray bits.
    every = {*e.bits.tolist()}
    for words in (*e.fits.reshape(-1, e.words), *e.kind_bits, *e.domains):
        assert all(bit in every for bit in range(e.words * WORD) if bit_set(words, bit))


@settings(max_examples=60)
@given(puzzles())
def test_the_layout(puzzle: Puzzle) -> None:
    encoding = encode(puzzle)
    check_layout(encoding)
    assert list(encoding.kinds) == sorted(puzzle.supply, key=lambda t: (-len(t.orientations()), t))
    assert encoding.values == puzzle.supply.values
    n = len(puzzle.board)
    assert encoding.copies.tolist() == [min(puzzle.supply[t], n) for t in encoding.kinds]
    assert encoding.slack == encoding.copies.sum() - n


@pytest.mark.parametrize("name", SETS)
def test_the_layout_of_the_named_sets(name: str) -> None:
    encoding = encode(Puzzle(Board.triangle(1), name))
    labels = sum(len(t.orientations()) for t in SETS[name].supply())
    assert len(encoding.bits) == labels
    # At most two bits of a word stay empty, for want of room for three.
    assert labels <= encoding.words * WORD <= (labels + 2 * encoding.words) + WORD - 1
    check_layout(encoding)


def test_words() -> None:
    assert [encode(Puzzle(Board.triangle(1), name)).words for name in ("trioker-24", "trioker", "complete-5")] == [
        1,
        2,
        2,
    ]


@settings(max_examples=100)
@given(puzzles())
def test_nodes_and_domains(puzzle: Puzzle) -> None:
    e = encode(puzzle)
    assert e.cells == puzzle.board.cells
    assert e.nodes == puzzle.nodes
    assert len(set(e.nodes)) == len(e.nodes)
    for i, cell in enumerate(e.cells):
        assert [e.nodes[p] for p in e.cell_nodes[i].tolist()] == [puzzle.node(s) for s in puzzle.spots(cell)]
    possible = e.possible()
    assert possible.shape == (len(e.cells), len(e.bits))
    for i, cell in enumerate(e.cells):
        for label in range(len(e.bits)):
            assert possible[i, label] == may_lie(puzzle, cell, e.label_text(label))
    assert [tuple(o) for o in e.options().tolist()] == [
        (i, label) for i, label in zip(*possible.nonzero(), strict=True)
    ]
    for label, values in enumerate(e.label_values.tolist()):
        assert e.label_text(label) == "".join(WILD if v < 0 else str(e.values[v]) for v in values)


@settings(max_examples=60)
@given(puzzles(), st.data())
def test_bitboards_are_the_inverse_of_possible(puzzle: Puzzle, data: st.DataObject) -> None:
    e = encode(puzzle)
    assert (e.bitboards(e.possible()) == e.domains).all()
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    kept = rng.random(e.possible().shape) < 0.6
    smaller = e.restricted(kept)
    assert (smaller.possible() == (e.possible() & kept)).all()
    # The first is left as it was, and symmetries no longer count on the puzzle.
    assert (e.bitboards(e.possible()) == e.domains).all()
    assert e.puzzle is puzzle
    assert smaller.puzzle is None
    assert (e.cells, e.kinds) == (smaller.cells, smaller.kinds)


@settings(max_examples=60)
@given(puzzles(), st.randoms(use_true_random=False))
def test_shuffling_moves_bits_and_nothing_else(puzzle: Puzzle, random: Random) -> None:
    e = encode(puzzle)
    shuffled = e.shuffled(random)
    check_layout(shuffled)
    assert (shuffled.possible() == e.possible()).all()
    assert set(shuffled.bits.tolist()) == set(e.bits.tolist())
    assert (shuffled.lead == e.lead).all()
    assert (shuffled.label_values == e.label_values).all()


@settings(max_examples=60)
@given(solved_puzzles())
def test_decode_is_the_inverse_of_encode(solved: tuple[Puzzle, frozenset[Filling]]) -> None:
    puzzle, expected = solved
    e = encode(puzzle)
    for filling in expected:
        labels = e.encode(dict(filling))
        assert e.decode(labels) == dict(filling)
        assert all(e.possible()[i, label] for i, label in enumerate(labels))


@given(puzzles(), st.data())
def test_encode_is_the_inverse_of_decode(puzzle: Puzzle, data: st.DataObject) -> None:
    e = encode(puzzle)
    assume(len(e.bits))
    labels = data.draw(st.lists(st.integers(0, len(e.bits) - 1), min_size=len(e.cells), max_size=len(e.cells)))
    assert e.encode(e.decode(labels)) == labels


def test_what_can_not_be_translated() -> None:
    e = encode(Puzzle(Board.triangle(1), ["012"]))
    with pytest.raises(ValueError, match="zip"):
        e.decode([0, 0])
    with pytest.raises(KeyError):
        e.encode({Cell(0, 0, True): "021"})
    with pytest.raises(KeyError):
        e.encode({})


def test_nothing_to_encode() -> None:
    for puzzle in (Puzzle(Board([]), "trioker"), Puzzle(Board.triangle(1), []), Puzzle(Board([]), [])):
        e = encode(puzzle)
        n, labels = len(puzzle.board), sum(len(t.orientations()) for t in puzzle.supply)
        assert e.possible().shape == (n, labels)
        assert e.cell_nodes.shape == (n, 3)
        assert e.label_values.shape == (labels, 3)
        assert e.fits.shape == (3, len(puzzle.supply.values), e.words)
        assert e.slack == (0 if not n else -1)
        check_layout(e)


def test_copies_beyond_the_number_of_cells_are_cut() -> None:
    e = encode(Puzzle(Board.triangle(2), Supply({Tile("000"): 1_000_000, Tile("WWW"): 2})))
    assert e.copies.tolist() == [4, 2]
    assert e.slack == 2


def test_one_border_value_makes_one_node() -> None:
    e = encode(Puzzle(Board.triangle(1), "trioker", border="same"))
    assert e.nodes == ("border",)
    assert e.cell_nodes.tolist() == [[0, 0, 0]]
    assert sorted(e.label_text(label) for _, label in e.options().tolist()) == ["000", "111", "222", "333"]
