"""The inner loops, as plain Python functions on flat arrays of integers.

Each kernel does a bounded amount of work on a state that the caller keeps, and returns; called again, it
carries on. The same source runs in two ways. Interpreted, on lists, it starts at once: most boards that a
person draws are solved before a compiler would have woken up. Compiled by numba, on int64 arrays, it is
about a hundred times faster; :mod:`trisolve.engines.compiled` does that, and only when a search turns out to be
long. A word of 64 bits is therefore a Python integer here and a signed 64-bit one there, and the code keeps
to operations that mean the same for both: ``&``, ``|``, ``x & (x - 1)``, comparison with 0, and right
shifts whose upper bits are masked away.

Kernels come from factories, because the number of words W in a bitboard is then a constant to the compiler,
which unrolls the loops over words.

**Exact cover with colours** (:func:`dlx_kernel`). Items are the cells, which must be covered, the tile
kinds, which must be when no tile is left over, and the nodes, which carry a colour (Knuth, TAOCP 4B,
7.2.2.1, Algorithm C). The set of options left for a cell is one bitboard, so to *cover* the option's items
is to AND a mask into the bitboards of the cells concerned, and to *uncover* is to write the old words back
from a trail. The uncovered cells are kept in front of a permutation, as in Knuth's dancing cells (a sparse
set: Briggs and Torczon 1993). One pass over them does everything a node needs: it strikes out the kind just
used up, finds the cell with the fewest options, and counts the options of all kinds at once in bit-sliced
counters ``at_least_1, at_least_2, at_least_3``, so that the choice of the item with fewest options ranges
over cells and kinds at hardly more cost than over cells.

Invariants, for every node of the search:
  - ``word[c]`` of an uncovered cell c = its first domain, AND the labellings that agree with ``colour`` at its
    nodes, AND the labellings of kinds with copies left;
  - the trail above ``trail_mark[d]`` holds what the choice at depth d has changed, oldest first;
  - copies left in total - cells left = slack, which never changes.

**A fixed sweep** (:func:`sweep_kernel`). The order of the cells is chosen beforehand. A cell's options are
then worked out from scratch when its turn comes: ``available & domain & fits[0, a] & fits[1, b] & fits[2,
c]`` for the values a, b, c of its nodes, where "none yet" is one more value that all fit. Nothing is kept
for the cells that are still to come, so there is nothing to cover or uncover but three values and one word,
and a node costs about a quarter of one above; there are more of them.

**Points instead of cells** (:func:`point_kernel`). Where every tile is there once and shows its values, the values at
the nodes say which tile lies where. So values are given to nodes, one after the other, and each cell whose last node
gets one is looked up in a table: values at its corners in, the bit of the tile out. For all values of a node
at once there is no branch but the loop, and the tiles used are one word. A node costs some 17 ns, and on the way down
there are fewer of them than there are cells.

**Interchangeable values.** All three kernels can leave out solutions that differ only by a permutation of
values: a value of a class may be used for the first time only when the smaller ones of its class have been
(``growth[touched]`` is the bitboard of labellings that obey this when the values in ``touched`` have
occurred). One solution then stands for ``weight[touched]``, see :mod:`trisolve.engines.orbits`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

Array = Any
"""A flat array: a list of int when interpreted, an int64 array when compiled."""

# Fields of the vector of scalars.
DEPTH, STEP, LEFT, TRAIL, CHOICES, FOUND, NODES, UPDATES, USED_UP, OUTPUT = range(10)
SCALARS = 10

# Values of STEP: what to do next.
ENTER, TRY, BACK = range(3)

# What a kernel returns.
PAUSED, FULL, DONE = range(3)

NEVER = 1 << 62
"""Among the bits of tiles: no tile fits."""


def popcount(word: int) -> int:
    """The number of 1 bits."""
    return word.bit_count()


def trailing(word: int) -> int:
    """The place of the lowest 1 bit of a word that isn't 0."""
    return (word & -word).bit_length() - 1


class Tables(NamedTuple):
    """What doesn't change during a search; flat, row by row. B = 64 W bits, V values, n cells, m nodes, t kinds."""

    slack: int
    cell_nodes: Array
    """(n, 3): node at corner k."""
    node_first: Array
    """(m + 1,): where the corners at a node begin in ``node_corners``."""
    node_corners: Array
    """Corners at each node, as 3 * cell + k."""
    domains: Array
    """(n, W): the first domains."""
    fits: Array
    """(3, V + 2, W): labellings with value v at corner k or wild there; all for v = V, only wild for V + 1."""
    keep: Array
    """(t, W): all labellings but those of the kind."""
    kind_bits: Array
    """(t, W): the labellings of the kind."""
    bit_kind: Array
    """(B,): kind of a bit."""
    bit_values: Array
    """(B, 3): value at corner k, -1 where wild."""
    bit_label: Array
    """(B,): labelling of a bit."""
    bit_way: Array
    """(B,): 0, 1 or 2, the place of the labelling among those of its kind."""
    bit_touches: Array
    """(B,): set of interchangeable values that the labelling shows."""
    triple: Array
    """(W,): first bits of the kinds with three orientations."""
    lone: Array
    """(W,): bits of the kinds with one orientation."""
    growth: Array
    """(sets, W): labellings allowed when a set of values has been touched."""
    whole: Array
    """(sets, W): first bits of the kinds that no permutation of the untouched values moves."""
    weight: Array
    """(sets,): how many solutions one solution stands for that has touched a set of values."""
    thinned: int
    """The kind of which only one option of each orbit is left, or -1."""
    orbit: Array
    """(n, 3): the size of the orbit of each option of that kind."""


class DlxState(NamedTuple):
    """A search under way by :func:`dlx_kernel`."""

    scalars: Array
    word: Array
    """(n, W): what is left of each domain."""
    copies: Array
    """(t,): copies left."""
    colour: Array
    """(m,): value at the node, -1 while none."""
    order: Array
    """(n,): the cells, uncovered ones in front."""
    place: Array
    """(n,): the inverse of ``order``."""
    trail_word: Array
    trail_old: Array
    trail_mark: Array
    choice_cell: Array
    """Options to try, a stack: those of depth d from ``choice_first[d]`` on."""
    choice_bit: Array
    choice_first: Array
    choice_next: Array
    chosen_cell: Array
    """(n,): by depth."""
    chosen_bit: Array
    coloured: Array
    """(n, 3): nodes coloured by the choice at this depth, or -1."""
    touched: Array
    """(n + 1,): interchangeable values that have occurred, by depth."""
    spare: Array
    """(W,): first bits of kinds with copies left."""
    single: Array
    """(W,): first bits of kinds with exactly one copy left."""
    at_least_1: Array
    at_least_2: Array
    at_least_3: Array
    output: Array
    """Room for solutions, n labellings each."""


def dlx_kernel(words: int) -> Callable[[Tables, DlxState, int, bool], int]:
    """The exact-cover kernel for bitboards of this many words."""

    def dlx(tables: Tables, state: DlxState, budget: int, counting: bool) -> int:
        """Visit at most ``budget`` nodes. Returns DONE, FULL (no room in ``output``) or PAUSED."""
        cell_nodes, node_first, node_corners = tables.cell_nodes, tables.node_first, tables.node_corners
        fits, keep, kind_bits = tables.fits, tables.keep, tables.kind_bits
        bit_kind, bit_values, bit_label, bit_touches = (
            tables.bit_kind,
            tables.bit_values,
            tables.bit_label,
            tables.bit_touches,
        )
        triple, lone, growth, whole, weight = tables.triple, tables.lone, tables.growth, tables.whole, tables.weight
        slack, thinned, orbit, bit_way = tables.slack, tables.thinned, tables.orbit, tables.bit_way
        scalars, word, copies, colour = state.scalars, state.word, state.copies, state.colour
        order, place = state.order, state.place
        trail_word, trail_old, trail_mark = state.trail_word, state.trail_old, state.trail_mark
        choice_cell, choice_bit = state.choice_cell, state.choice_bit
        choice_first, choice_next = state.choice_first, state.choice_next
        chosen_cell, chosen_bit, coloured, touched = state.chosen_cell, state.chosen_bit, state.coloured, state.touched
        spare, single = state.spare, state.single
        c1, c2, c3 = state.at_least_1, state.at_least_2, state.at_least_3
        output = state.output

        n = len(order)
        stride = len(fits) // 3
        room = len(output) // n if n else 0
        depth, step, left, trail = scalars[DEPTH], scalars[STEP], scalars[LEFT], scalars[TRAIL]
        top, found, nodes, updates = scalars[CHOICES], scalars[FOUND], scalars[NODES], scalars[UPDATES]
        used_up, filled = scalars[USED_UP], scalars[OUTPUT]
        last_node = nodes + budget
        result = PAUSED

        while True:
            if step == ENTER:
                step = BACK
                if left == 0:
                    if counting:
                        stands_for = weight[touched[depth]]
                        if thinned >= 0:
                            for d in range(n):
                                if bit_kind[chosen_bit[d]] == thinned:
                                    stands_for *= orbit[chosen_cell[d] * 3 + bit_way[chosen_bit[d]]]
                        found += stands_for
                        continue
                    if filled == room:
                        step = ENTER
                        result = FULL
                        break
                    found += 1
                    for d in range(n):
                        output[filled * n + chosen_cell[d]] = bit_label[chosen_bit[d]]
                    filled += 1
                    continue

                for j in range(words):
                    c1[j] = 0
                    c2[j] = 0
                    c3[j] = 0
                fewest = 1 << 30
                cell = -1
                for i in range(left):
                    c = order[i]
                    size = 0
                    for j in range(words):
                        w = word[c * words + j]
                        if used_up >= 0:
                            less = w & keep[used_up * words + j]
                            if less != w:
                                trail_word[trail] = c * words + j
                                trail_old[trail] = w
                                trail += 1
                                word[c * words + j] = less
                                updates += 1
                                w = less
                        size += popcount(w)
                        c3[j] |= c2[j] & w
                        c2[j] |= c1[j] & w
                        c1[j] |= w
                    if size < fewest:
                        fewest = size
                        cell = c
                        if size == 0:
                            break
                if fewest == 0:
                    continue

                kind = -1
                if fewest > 1:
                    homeless = 0
                    for j in range(words):
                        a = c1[j]
                        some = ((a | a >> 1 | a >> 2) & triple[j]) | (a & lone[j])
                        none = spare[j] & ~some
                        while none != 0:
                            homeless += copies[bit_kind[j * 64 + trailing(none)]]
                            none &= none - 1
                    if homeless > slack:
                        continue
                    if homeless == slack:
                        # Every other tile must be used: a kind with few places is an item to branch on.
                        for j in range(words):
                            a0, b0, e0 = c1[j], c2[j], c3[j]
                            a1, a2 = a0 >> 1, a0 >> 2
                            b1, b2 = b0 >> 1, b0 >> 2
                            some = ((a0 | a1 | a2) & triple[j]) | (a0 & lone[j])
                            two = (b0 | b1 | b2 | a0 & a1 | a0 & a2 | a1 & a2) & triple[j] | b0 & lone[j]
                            fit = spare[j] & single[j] & some & whole[touched[depth] * words + j]
                            few = fit & ~two
                            if few != 0:
                                kind = bit_kind[j * 64 + trailing(few)]
                                fewest = 1
                                break
                            if fewest > 2:
                                three = e0 | e0 >> 1 | e0 >> 2 | a0 & a1 & a2
                                three |= b0 & (a1 | a2) | b1 & (a0 | a2) | b2 & (a0 | a1)
                                few = fit & ~(three & triple[j] | e0 & lone[j])
                                if few != 0:
                                    kind = bit_kind[j * 64 + trailing(few)]
                                    fewest = 2

                choice_first[depth] = top
                choice_next[depth] = top
                trail_mark[depth] = trail
                if kind < 0:
                    for j in range(words):
                        w = word[cell * words + j] & growth[touched[depth] * words + j]
                        while w != 0:
                            choice_cell[top] = cell
                            choice_bit[top] = j * 64 + trailing(w)
                            top += 1
                            w &= w - 1
                else:
                    for i in range(left):
                        c = order[i]
                        for j in range(words):
                            w = word[c * words + j] & kind_bits[kind * words + j]
                            while w != 0:
                                choice_cell[top] = c
                                choice_bit[top] = j * 64 + trailing(w)
                                top += 1
                                w &= w - 1
                step = TRY

            if step == BACK:
                depth -= 1
                if depth < 0:
                    depth = 0
                    result = DONE
                    break
                while trail > trail_mark[depth]:
                    trail -= 1
                    word[trail_word[trail]] = trail_old[trail]
                for k in range(3):
                    p = coloured[depth * 3 + k]
                    if p >= 0:
                        colour[p] = -1
                t = bit_kind[chosen_bit[depth]]
                copies[t] += 1
                for j in range(words):
                    head = kind_bits[t * words + j] & (triple[j] | lone[j])
                    spare[j] |= head
                    if copies[t] == 1:
                        single[j] |= head
                    else:
                        single[j] &= ~head
                left += 1
                step = TRY

            i = choice_next[depth]
            if i == top:
                top = choice_first[depth]
                step = BACK
                continue
            if nodes >= last_node:
                break
            choice_next[depth] = i + 1
            c = choice_cell[i]
            b = choice_bit[i]
            chosen_cell[depth] = c
            chosen_bit[depth] = b
            nodes += 1
            t = bit_kind[b]
            copies[t] -= 1
            used_up = -1
            if copies[t] <= 1:
                if copies[t] == 0:
                    used_up = t
                for j in range(words):
                    head = kind_bits[t * words + j] & (triple[j] | lone[j])
                    if copies[t] == 0:
                        spare[j] &= ~head
                    else:
                        single[j] |= head
            left -= 1
            other = order[left]
            i = place[c]
            order[i] = other
            place[other] = i
            order[left] = c
            place[c] = left
            step = ENTER
            for k in range(3):
                coloured[depth * 3 + k] = -1
                v = bit_values[b * 3 + k]
                p = cell_nodes[c * 3 + k]
                if v >= 0 and colour[p] < 0:
                    colour[p] = v
                    coloured[depth * 3 + k] = p
                    for q in range(node_first[p], node_first[p + 1]):
                        other = node_corners[q] // 3
                        if place[other] < left:
                            some = 0
                            for j in range(words):
                                w = word[other * words + j]
                                less = w & fits[(node_corners[q] - other * 3) * stride + v * words + j]
                                if less != w:
                                    trail_word[trail] = other * words + j
                                    trail_old[trail] = w
                                    trail += 1
                                    word[other * words + j] = less
                                    updates += 1
                                some |= less
                            if some == 0:
                                step = BACK
            touched[depth + 1] = touched[depth] | bit_touches[b]
            depth += 1

        scalars[DEPTH] = depth
        scalars[STEP] = step
        scalars[LEFT] = left
        scalars[TRAIL] = trail
        scalars[CHOICES] = top
        scalars[FOUND] = found
        scalars[NODES] = nodes
        scalars[UPDATES] = updates
        scalars[USED_UP] = used_up
        scalars[OUTPUT] = filled
        return result

    return dlx


class SweepState(NamedTuple):
    """A search under way by :func:`sweep_kernel`."""

    scalars: Array
    order: Array
    """(n,): the cells in the order of the sweep."""
    value: Array
    """(m,): value at the node; V while none."""
    copies: Array
    """(t,): copies left."""
    available: Array
    """(n + 1, W): labellings of kinds with copies left, by depth."""
    options: Array
    """(n, W): options still to try, by depth."""
    before: Array
    """(n, 3): the values at the cell's nodes before the choice at this depth."""
    chosen: Array
    """(n,): the bit chosen, by depth."""
    touched: Array
    """(n + 1,): interchangeable values that have occurred, by depth."""
    unit: Array
    """(t,): what a tile of the kind adds to ``used``."""
    used: Array
    """(n + 1,): tiles used, a sum of units, by depth; only kept when it is asked for."""
    output: Array
    """Room for solutions, n labellings each, or for sums of units."""


def sweep_kernel(words: int, uses: bool = False) -> Callable[[Tables, SweepState, int, bool], int]:
    """The fixed-order kernel for bitboards of this many words.

    With ``uses`` it puts out, for each filling, the tiles used (as a sum of units, see :class:`SweepState`)
    instead of the labellings. ``order`` may then hold a part of the cells, and nodes may have a value,
    or the value "wild only", from the start.
    """

    def sweep(tables: Tables, state: SweepState, budget: int, counting: bool) -> int:
        """Visit at most ``budget`` nodes. Returns DONE, FULL (no room in ``output``) or PAUSED."""
        cell_nodes, domains, fits, keep = tables.cell_nodes, tables.domains, tables.fits, tables.keep
        bit_kind, bit_values, bit_label = tables.bit_kind, tables.bit_values, tables.bit_label
        bit_touches, growth, weight = tables.bit_touches, tables.growth, tables.weight
        scalars, order, value, copies = state.scalars, state.order, state.value, state.copies
        available, options, before, chosen = state.available, state.options, state.before, state.chosen
        touched, unit, used, output = state.touched, state.unit, state.used, state.output
        thinned, orbit, bit_way = tables.thinned, tables.orbit, tables.bit_way

        n = len(order)
        stride = len(fits) // 3
        size = 1 if uses else n
        room = len(output) // size if size else 0
        depth, step, found, nodes = scalars[DEPTH], scalars[STEP], scalars[FOUND], scalars[NODES]
        filled = scalars[OUTPUT]
        last_node = nodes + budget
        result = PAUSED

        while True:
            if step == ENTER:
                if depth == n:
                    if counting:
                        stands_for = weight[touched[depth]]
                        if thinned >= 0:
                            for d in range(n):
                                if bit_kind[chosen[d]] == thinned:
                                    stands_for *= orbit[order[d] * 3 + bit_way[chosen[d]]]
                        found += stands_for
                    elif filled == room:
                        result = FULL
                        break
                    else:
                        found += 1
                        if uses:
                            output[filled] = used[depth]
                        else:
                            for d in range(n):
                                output[filled * n + order[d]] = bit_label[chosen[d]]
                        filled += 1
                    step = BACK
                else:
                    c = order[depth]
                    a = value[cell_nodes[c * 3]] * words
                    b = stride + value[cell_nodes[c * 3 + 1]] * words
                    e = 2 * stride + value[cell_nodes[c * 3 + 2]] * words
                    some = 0
                    for j in range(words):
                        w = available[depth * words + j] & domains[c * words + j] & growth[touched[depth] * words + j]
                        w &= fits[a + j] & fits[b + j] & fits[e + j]
                        options[depth * words + j] = w
                        some |= w
                    step = TRY if some != 0 else BACK

            if step == BACK:
                depth -= 1
                if depth < 0:
                    depth = 0
                    result = DONE
                    break
                c = order[depth]
                for k in range(2, -1, -1):
                    value[cell_nodes[c * 3 + k]] = before[depth * 3 + k]
                copies[bit_kind[chosen[depth]]] += 1
                step = TRY

            bit = -1
            for j in range(words):
                w = options[depth * words + j]
                if w != 0:
                    bit = j * 64 + trailing(w)
                    if nodes < last_node:
                        options[depth * words + j] = w & (w - 1)
                    break
            if bit < 0:
                step = BACK
                continue
            if nodes >= last_node:
                break
            nodes += 1
            chosen[depth] = bit
            c = order[depth]
            for k in range(3):
                p = cell_nodes[c * 3 + k]
                old = value[p]
                before[depth * 3 + k] = old
                v = bit_values[bit * 3 + k]
                value[p] = v if v >= 0 else old
            t = bit_kind[bit]
            copies[t] -= 1
            for j in range(words):
                w = available[depth * words + j]
                available[(depth + 1) * words + j] = w & keep[t * words + j] if copies[t] == 0 else w
            touched[depth + 1] = touched[depth] | bit_touches[bit]
            if uses:
                used[depth + 1] = used[depth] + unit[t]
            depth += 1
            step = ENTER

        scalars[DEPTH] = depth
        scalars[STEP] = step
        scalars[FOUND] = found
        scalars[NODES] = nodes
        scalars[OUTPUT] = filled
        return result

    return sweep


class PointTables(NamedTuple):
    """What doesn't change during a search by :func:`point_kernel`; n steps, k checks, V values."""

    nodes: Array
    """(n,): the node that gets a value at each step."""
    first: Array
    """(n + 1,): where the checks of each step begin."""
    checks: Array
    """(k, 5): of a cell all of whose nodes now have values: its first other node and the stride of that in ``tiles``,
    its second other node and its stride, the stride of this step's node."""
    tiles: Array
    """For each sort of cell and the values at its corners: the bit of the tile, 0 if it never runs out, NEVER if there
    is none."""
    growth: Array
    """(sets,): the set of values allowed when a set of values has been touched."""
    bit: Array
    """(V,): the value as a set of interchangeable values, 0 where it isn't one."""
    weight: Array
    """(sets,): how many solutions one solution stands for that has touched a set of values."""


class PointState(NamedTuple):
    """A search under way by :func:`point_kernel`."""

    scalars: Array
    allowed: Array
    """(n,): the set of values allowed at each step from the start."""
    sort: Array
    """(k,): where the part of ``tiles`` begins that belongs to the cell of a check."""
    value: Array
    """(m + 1,): value at the node; the last is a node of no cell, with value 0."""
    used: Array
    """(n + 1,): bits of the tiles used, and NEVER, by depth."""
    touched: Array
    """(n + 1,): interchangeable values that have occurred, by depth."""
    options: Array
    """(n,): the set of values still to try, by depth."""
    then: Array
    """(n, V): ``used`` after each value, by depth."""
    output: Array
    """Room for ``used``, one number a filling."""


def point_kernel(values: int) -> Callable[[PointTables, PointState, int, bool], int]:
    """The kernel that gives values to nodes in a fixed order, for this many values."""

    def points(tables: PointTables, state: PointState, budget: int, counting: bool) -> int:
        """Visit about ``budget`` nodes of the tree. Returns DONE, FULL (no room in ``output``) or PAUSED."""
        nodes, first, checks, tiles = tables.nodes, tables.first, tables.checks, tables.tiles
        growth, bit, weight = tables.growth, tables.bit, tables.weight
        scalars, allowed, sort, value, used = state.scalars, state.allowed, state.sort, state.value, state.used
        touched, options, then, output = state.touched, state.options, state.then, state.output

        last = len(nodes) - 1
        room = len(output)
        depth, step, found, visited = scalars[DEPTH], scalars[STEP], scalars[FOUND], scalars[NODES]
        filled = scalars[OUTPUT]
        last_node = visited + budget
        result = PAUSED

        while True:
            if step == ENTER:
                if visited >= last_node:
                    break
                w = allowed[depth] & growth[touched[depth]]
                here = depth * values
                for v in range(values):
                    then[here + v] = used[depth]
                for i in range(first[depth], first[depth + 1]):
                    j = 5 * i
                    at = sort[i] + value[checks[j]] * checks[j + 1] + value[checks[j + 2]] * checks[j + 3]
                    stride = checks[j + 4]
                    for v in range(values):
                        tile = tiles[at + v * stride]
                        w &= ~((tile & then[here + v] != 0) << v)
                        then[here + v] |= tile
                if depth == last and counting:
                    while w != 0:
                        found += weight[touched[depth] | bit[trailing(w)]]
                        visited += 1
                        w &= w - 1
                options[depth] = w
                step = TRY

            w = options[depth]
            if w == 0:
                depth -= 1
                if depth < 0:
                    depth = 0
                    result = DONE
                    break
                continue
            v = trailing(w)
            if depth == last:
                if filled == room:
                    result = FULL
                    break
                output[filled] = then[depth * values + v]
                filled += 1
                found += 1
            else:
                value[nodes[depth]] = v
                used[depth + 1] = then[depth * values + v]
                touched[depth + 1] = touched[depth] | bit[v]
            options[depth] = w & (w - 1)
            visited += 1
            if depth < last:
                depth += 1
                step = ENTER

        scalars[DEPTH] = depth
        scalars[STEP] = step
        scalars[FOUND] = found
        scalars[NODES] = visited
        scalars[OUTPUT] = filled
        return result

    return points


def join_kernel(finding: bool = False) -> Callable[..., int]:
    """The kernel that counts the pairs of uses that a supply allows.

    With ``finding`` it also notes where in the lists the pairs with given numbers are.
    """

    def join(
        shift: Array,
        width: Array,
        copies: Array,
        first: Array,
        first_often: Array,
        second: Array,
        second_often: Array,
        targets: Array,
        hits: Array,
        stack: Array,
        scalars: Array,
        budget: int,
    ) -> int:
        """Count pairs, one from each sorted list, whose fields add up to at most ``copies``.

        Field i is ``width[i]`` bits from ``shift[i]`` on, highest fields first. ``stack`` holds ranges still to be
        joined, six numbers each: from, to in either list, fields that are settled, copies that may yet be left over.
        ``scalars`` holds their number, the total, and how many ``targets`` are found: these are numbers of pairs, in
        increasing order, and ``hits`` takes three numbers for each, the places in either list and the number
        among the pairs that these two uses stand for. Takes about ``budget`` steps, returns DONE or PAUSED.
        """
        fields = len(shift)
        simple = True
        for f in range(fields):
            if width[f] > 1:
                simple = False
        waiting = scalars[0]
        total = scalars[1]
        hit = scalars[2]
        while waiting > 0 and budget > 0:
            waiting -= 1
            top = 6 * waiting
            a0, a1, b0, b1 = stack[top], stack[top + 1], stack[top + 2], stack[top + 3]
            field, spare = stack[top + 4], stack[top + 5]
            pairs = (a1 - a0) * (b1 - b0)
            budget -= 1
            if field == fields or (simple and pairs <= 64):
                budget -= pairs
                for i in range(a0, a1):
                    number = 0
                    for j in range(b0, b1):
                        if not simple or first[i] & second[j] == 0:
                            number += second_often[j]
                    number *= first_often[i]
                    if finding:
                        while hit < len(targets) and targets[hit] < total + number:
                            rest = targets[hit] - total
                            j = b0
                            while True:
                                if not simple or first[i] & second[j] == 0:
                                    if rest < second_often[j] * first_often[i]:
                                        break
                                    rest -= second_often[j] * first_often[i]
                                j += 1
                            hits[3 * hit] = i
                            hits[3 * hit + 1] = j
                            hits[3 * hit + 2] = rest
                            hit += 1
                    total += number
                continue
            at = shift[field]
            ones = (1 << width[field]) - 1
            most = copies[field]
            i0 = a0
            for x in range(most + 1):
                i1 = a1
                low = i0
                while low < i1:
                    middle = (low + i1) >> 1
                    if first[middle] >> at & ones > x:
                        i1 = middle
                    else:
                        low = middle + 1
                if i1 > i0:
                    j0 = b0
                    for y in range(most - x + 1):
                        j1 = b1
                        low = j0
                        while low < j1:
                            middle = (low + j1) >> 1
                            if second[middle] >> at & ones > y:
                                j1 = middle
                            else:
                                low = middle + 1
                        if j1 > j0 and most - x - y <= spare:
                            stack[top] = i0
                            stack[top + 1] = i1
                            stack[top + 2] = j0
                            stack[top + 3] = j1
                            stack[top + 4] = field + 1
                            stack[top + 5] = spare - (most - x - y)
                            top += 6
                            waiting += 1
                        j0 = j1
                i0 = i1
        scalars[0] = waiting
        scalars[1] = total
        scalars[2] = hit
        return DONE if waiting == 0 else PAUSED

    return join
