"""Tiles, supplies and the named sets."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from strategies import tiles

from trisolve.tiles import JOKER, MAX_COPIES, SETS, Supply, Tile, named_set, rotations


def test_a_tile_is_its_rotations_and_not_its_mirror_image() -> None:
    assert Tile("011") == Tile("110") == Tile("101")
    assert len({Tile("120"), Tile("012"), Tile("201")}) == 1
    assert Tile("012") != Tile("021")
    assert str(Tile("201")) == "012"
    assert repr(Tile("W12")) == "Tile('12W')"
    assert Tile("012").mirrored() == Tile("021")
    assert Tile("001").mirrored() == Tile("001")
    assert Tile("1W2").values() == {1, 2}


@given(tiles)
def test_orientations_are_the_different_rotations(tile: Tile) -> None:
    ways = tile.orientations()
    assert ways[0] == tile.text
    assert set(ways) == set(rotations(tile.text))
    assert len(ways) == (1 if len(set(tile.text)) == 1 else 3)
    assert {Tile(way) for way in ways} == {tile}
    assert tile.mirrored().mirrored() == tile


@pytest.mark.parametrize("text", ["", "01", "0123", "01x", "01w", " 01", "-12", "01\n", "٠١٢", 12, None])
def test_what_is_no_tile_is_refused(text: str) -> None:
    with pytest.raises(
        ValueError, match="is not a tile: expected three characters, each a digit or W, like 012 or 12W"
    ):
        Tile(text)


def test_a_supply_counts_copies() -> None:
    supply = Supply.of(["012", "120", Tile("000"), "12W"], "mine")
    assert dict(supply.items()) == {Tile("000"): 1, Tile("012"): 2, JOKER: 1}
    assert list(supply) == sorted(supply)
    assert (supply.total, len(supply), supply.values) == (4, 3, (0, 1, 2))
    assert supply[Tile("201")] == 2
    assert Tile("021") not in supply
    assert repr(supply) == "Supply(mine: 4 tiles of 3 kinds)"


def test_supplies_are_equal_by_their_tiles() -> None:
    a, b = Supply.of(["012", "000"], "a"), Supply({Tile("000"): 1, Tile("012"): 1, Tile("111"): 0}, "b")
    assert a == b
    assert hash(a) == hash(b)
    assert a != Supply.of(["012"])
    assert a != {Tile("000"): 1}.items()


def test_copies_multiply_every_kind_and_jokers_are_set_after_that() -> None:
    trioker = SETS["trioker"].supply()
    assert trioker.times(3)[JOKER] == 3
    supply = trioker.times(3).with_jokers(1)
    assert (supply[JOKER], supply.total) == (1, 73)
    assert supply.name == "3 x trioker with 1 joker"
    assert JOKER not in trioker.with_jokers(0)
    assert trioker.with_jokers(0).copies(JOKER) == 0
    assert SETS["macmahon"].supply().with_jokers(2).total == 26
    assert len(trioker.times(0)) == 0


def test_copies_have_bounds() -> None:
    with pytest.raises(ValueError, match="-1 copies of 000: expected 0 to 1,000,000"):
        Supply({Tile("000"): -1})
    assert Supply({Tile("000"): MAX_COPIES}).total == MAX_COPIES
    with pytest.raises(ValueError, match="1000001 copies of 000"):
        Supply({Tile("000"): MAX_COPIES + 1})


SIZES = {
    "trioker": 25,
    "trioker-24": 24,
    "trioker-even": 12,
    "trioker-odd": 12,
    "macmahon": 24,
    "triominoes": 56,
    "triominoes-6": 84,
    **{f"complete-{n}": n * (n * n + 2) // 3 for n in range(1, 11)},
}


def test_the_named_sets_have_the_right_sizes() -> None:
    assert {name: s.supply().total for name, s in SETS.items()} == SIZES
    # One copy of each tile.
    assert {name: len(s.supply()) for name, s in SETS.items()} == SIZES
    assert all(s.name == name == s.supply().name and s.note for name, s in SETS.items())


@pytest.mark.parametrize("n", range(1, 11))
def test_complete_sets_have_every_cyclic_triple_once(n: int) -> None:
    found = SETS[f"complete-{n}"].make()
    assert len(found) == len(set(found))
    assert set(found) == {Tile(f"{a}{b}{c}") for a, b, c in product(range(n), repeat=3)}


def test_the_sets_of_trioker() -> None:
    whole, even, odd = (set(SETS[name].supply()) for name in ("trioker-24", "trioker-even", "trioker-odd"))
    assert even | odd == whole
    assert not even & odd
    assert set(SETS["trioker"].supply()) == whole | {JOKER}
    # Counting each value up by one, 3 to 0, turns one half into the other.
    up = str.maketrans("0123", "1230")
    assert {Tile(t.text.translate(up)) for t in even} == odd
    assert {Tile(t.text.translate(up)) for t in odd} == even


def test_triominoes_never_fall_clockwise_from_the_lowest() -> None:
    for name, most in (("triominoes", 5), ("triominoes-6", 6)):
        found = set(SETS[name].supply())
        for tile in {Tile(f"{a}{b}{c}") for a, b, c in product(range(most + 1), repeat=3)}:
            clockwise = [way[::-1] for way in rotations(tile.text)]
            assert (tile in found) == any(way == "".join(sorted(way)) for way in clockwise)


def test_macmahons_tiles_match_at_their_edges() -> None:
    assert SETS["macmahon"].supply().values == (1, 2, 3, 4)
    assert [name for name, s in SETS.items() if s.match == "edges"] == ["macmahon"]


def test_an_unknown_set_is_an_error() -> None:
    assert named_set("trioker").name == "trioker"
    expected = (
        "no tile set 'triokr': expected one of trioker, trioker-24, trioker-even, trioker-odd, macmahon, "
        "triominoes, triominoes-6 or complete-1 to complete-10"
    )
    with pytest.raises(ValueError, match=f"^{expected}$"):
        named_set("triokr")
