"""Count all solutions: trisolve, which counts by parts, against programs that visit every solution.

The instances are those of peers.py and MacMahon's hexagon with a border of one colour. trisolve counts with
all processors, so its seconds are seconds on the clock; the peers use one thread, and for them seconds on the
clock and of the processor are the same. Memory is the peak of the whole process, Python, numba and all.

A second part shows how time and memory grow: strips of 12, 16, 20 and 24 cells with the 24 tiles, counted by
trisolve's engines and by the fastest rival on the strip.

    python benchmarks/count.py -o table.md --plot growth.svg
    python benchmarks/count.py --only hexagon,macmahon-hexagon --no-peers
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from dataclasses import asdict
from pathlib import Path

import peers
from peers import Instance, Results, significant

from trisolve.board import Board

PEERS_INSTANCES = [*peers.INSTANCES, "macmahon-hexagon"]

STRIPS = {6: 2_775_024, 8: 12_932_472, 10: 7_337_568, 12: 206_472}
"""Solutions of strips of 2 * n cells, by three engines."""

peers.INSTANCES["macmahon-hexagon"] = Instance("macmahon-hexagon", "macmahon", 11_853_792)
for length, solutions in STRIPS.items():
    peers.INSTANCES[f"strip-{2 * length}-cells"] = Instance(Board.parallelogram(length, 1), "trioker-24", solutions)
peers.MODES["count"] = "counting"
peers.SCRIPT = __file__

ENGINES = ("auto", "sweep", "frontier")


def clock(results: Results, competitor: str, instance: str) -> float | None:
    """Median seconds on the clock; None where there is no right answer."""
    result = results[competitor, instance]
    return statistics.median(run.wall for run in result.runs) if result.runs and not result.trouble else None


def table(results: Results, competitors: list[str], instances: list[str], limit: float) -> list[list[str]]:
    """Seconds, peak memory and, for trisolve, how many times as fast as the fastest rival."""
    rows = [["", *instances, "geometric mean"]]
    rivals = [c for c in competitors if c in peers.RIVALS]
    fastest: dict[str, float | None] = {}
    for i in instances:
        known = [s for c in rivals if (s := clock(results, c, i)) is not None]
        # A rival that was stopped took at least the limit.
        stopped = bool(rivals) and all(results[c, i].trouble.startswith(">") for c in rivals)
        fastest[i] = min(known) if known else limit if stopped else None
    for c in competitors:
        seconds = {i: clock(results, c, i) for i in instances}
        cells = []
        for i in instances:
            runs = results[c, i].runs
            memory = f" ({max(run.memory for run in runs):,.0f} MiB)" if runs else ""
            cells.append((significant(s) if (s := seconds[i]) is not None else results[c, i].trouble) + memory)
        rows.append([f"{peers.title(c)}, seconds", *cells, ""])
        ratios = {i: f / s for i in instances if (s := seconds[i]) and (f := fastest[i])}
        if c not in peers.PEERS and ratios:
            mean = significant(statistics.geometric_mean(ratios.values()))
            marked = ["at least " * (not any(clock(results, r, i) for r in rivals)) for i in instances]
            shown = [m + significant(ratios[i]) if i in ratios else "" for m, i in zip(marked, instances, strict=True)]
            rows.append([f"{peers.title(c)}, times as fast", *shown, mean])
    return rows


def plot(results: Results, competitors: list[str], file: Path) -> None:
    """Time and memory against cells, drawn with matplotlib."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for c in competitors:
        cells = [2 * n for n in STRIPS]
        seconds = [clock(results, c, f"strip-{2 * n}-cells") or float("nan") for n in STRIPS]
        memory = [
            max((r.memory for r in results[c, f"strip-{2 * n}-cells"].runs), default=float("nan")) for n in STRIPS
        ]
        for ax, values in zip(axes, (seconds, memory), strict=True):
            ax.plot(cells, values, marker="o", label=peers.title(c))
    axes[0].set(yscale="log", xlabel="cells", ylabel="seconds on the clock", xticks=[2 * n for n in STRIPS])
    axes[1].set(xlabel="cells", ylabel="peak memory, MiB", xticks=[2 * n for n in STRIPS], ylim=(0, None))
    axes[0].legend(frameon=False, fontsize=8)
    figure.savefig(file, metadata={"Date": None})


def main() -> int:
    """Run the benchmark; the exit status is 1 when a count was wrong."""
    parser = argparse.ArgumentParser(description="Count against programs that visit every solution.")
    parser.add_argument("--only", default=",".join(PEERS_INSTANCES), help="instances, separated by commas")
    parser.add_argument("--peers", default=",".join(peers.RIVALS), help="peers to run")
    parser.add_argument("--no-peers", action="store_const", const="", dest="peers", help="run trisolve alone")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each, if short (3)")
    parser.add_argument("--limit", type=float, default=600.0, help="processor seconds a run may take (600)")
    parser.add_argument("--memory", type=float, default=12.0, help="GiB a run may take (12)")
    parser.add_argument("--growth-peer", default="miniexact", help="the peer shown beside trisolve on strips")
    parser.add_argument("-o", type=Path, dest="output", metavar="FILE", help="write the tables in Markdown")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the growth (needs matplotlib)")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(asdict(peers.measure(options.measure, options.only, options.limit, options.memory))))
        return 0
    own = [f"{engine}:count" for engine in ENGINES]
    competitors = own + [p for p in options.peers.split(",") if p]
    instances = [i for i in options.only.split(",") if i]
    results = peers.race(competitors, instances, options)
    strips = [f"strip-{2 * n}-cells" for n in STRIPS]
    growers = own + [options.growth_peer] * bool(options.peers)
    growth = peers.race(growers, strips, options)
    made = [
        ("Seconds on the clock for the number of solutions, peak memory, and ratios", results, competitors, instances),
        ("Growth: strips", growth, growers, strips),
    ]
    parts = []
    for heading, found, who, what in made:
        rows = table(found, who, what, options.limit)
        print(f"\n{heading}\n{peers.plain(rows)}")
        parts.append(f"### {heading}\n\n{peers.markdown(rows)}")
    parts.append(peers.conditions(options))
    print("\n" + parts[-1])
    if options.output:
        options.output.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    if options.plot:
        plot(growth, growers, options.plot)
    return int(any(r.trouble.startswith("WRONG") for found in (results, growth) for r in found.values()))


if __name__ == "__main__":
    sys.exit(main())
