"""`workbench frontier`: the efficient points of a study, as a table in the terminal or as JSON."""

from __future__ import annotations

import math
import os
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.base.errors import BadInput, Undefined
from workbench.commands.shared import opened, print_json
from workbench.commands.sweep import numbered, swept, with_tries
from workbench.data.reading.cures import STUDY, in_words

if TYPE_CHECKING:
    from workbench.commands.sweep import Swept
    from workbench.frontier.frontier import Frontier
    from workbench.studies.study import Study

NARROW = 60  # characters of a terminal that has no room for another measure
NO_CAP = "no cap is set, and without one it would be the least safe; give --cap, or caps in the study"
LEAST, SHORT = 18, 10  # characters of a recipe and of its marks in a line, however narrow the terminal
ABOUT = ("key", "name", "side", "unit", "better")  # what is said of a measure
GREEN, YELLOW, GREY, PLAIN = "\x1b[32m", "\x1b[33m", "\x1b[90m", "\x1b[0m"

Caps = Annotated[
    list[str] | None,
    typer.Option(
        "--cap",
        metavar="key=value",
        help="The largest acceptable value of a measure (smallest, where higher is better); default: the study's caps.",
        show_default=False,
    ),
]


def frontier(
    study: Annotated[Path, typer.Argument(help="A study (.yaml).", show_default=False)],
    privacy: Annotated[
        str | None, typer.Option(metavar="key", help="The measure of privacy; default: the study's.")
    ] = None,
    utility: Annotated[
        str | None, typer.Option(metavar="key", help="The measure of utility; default: the study's.")
    ] = None,
    cap: Caps = None,
    every: Annotated[
        bool, typer.Option("--all", help="Also the dominated candidates, and what dominates them.")
    ] = False,
    intervals: Annotated[
        str | None,
        typer.Option(
            metavar="records|seeds",
            help="Where figures would lie on other people like these (bootstrap of the records), or by other seeds and "
            "draws: every release is made again, 20 times by default; default: as the study asks.",
        ),
    ] = None,
    times: Annotated[int | None, typer.Option(metavar="number", help="How often, for --intervals.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="All points and what is known of them, as JSON.")] = False,
) -> None:
    """The candidates that no other dominates on privacy and utility, the most private first, with the knee and the
    best one under the caps. What is in the store is not made again. `workbench anonymize` takes the numbers and the
    recipes of the table.

    \b
    workbench frontier study.yaml
    workbench frontier study.yaml --cap P_loss=0.15 --all
    workbench frontier study.yaml --privacy R_id --utility U_loss
    workbench frontier study.yaml --intervals records --times 100
    workbench frontier study.yaml --json | jq '.points[] | select(.efficient) | .recipe'
    """
    from workbench.frontier.intervals import of_sample

    asked = opened(study)
    caps = limits(asked, cap)
    refuse_unknown_measures(asked, privacy, utility, list(caps))  # what is misspelled is said before hours are spent
    _refuse_intervals(intervals, times)
    found = with_tries(swept(study), {"over": intervals, **({"times": times} if times else {})} if intervals else None)
    seen = on_axes(found.frontier, found.study, privacy, utility)
    view = View(found.study.name, seen, caps, _noise(found), of_sample(found.table))
    if as_json:
        print_json(view.as_dict())
        return
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() or "COLUMNS" in os.environ else None
    typer.echo("\n".join(view.lines(every, width, colour)))


def _refuse_intervals(over: str | None, times: int | None) -> None:
    """Raise BadInput where they cannot be had, before hours are spent."""
    from workbench.frontier.intervals import LEARNING, TIMES, refuse

    if over == LEARNING and times is not None:
        raise BadInput("--times is for what is tried again; with --intervals learning nothing is, so leave it out")
    if over is not None:
        refuse(over, times or TIMES)
    elif times is not None:
        raise BadInput("--times says how often for --intervals; give that too, as --intervals records")


def _noise(found: Swept) -> str:
    """What the noise of a study's releases adds up to."""
    from workbench.disclosure import spending

    made = [point.recipe.method for point in found.frontier.measured if point.values]
    return spending.together(found.table, made, "releases of this study")


def limits(study: Study, given: Sequence[str] | None) -> dict[str, float]:
    """The caps on the command line, or else those of the study."""
    if not given:
        return dict(study.caps)
    found = {}
    for text in given:
        key, equals, value = text.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not equals or math.isnan(number):
            raise BadInput(f"--cap {text}: write a measure and a number, as in --cap P_loss=0.15")
        if number < 0:
            raise BadInput(f"--cap {text}: no measure is below 0; give a cap of 0 or above")
        if key.strip() in found:
            raise BadInput(f"--cap {text}: {key.strip()} has a cap already; keep one")
        found[key.strip()] = number
    return found


def refuse_unknown_measures(study: Study, privacy: str | None, utility: str | None, keys: Sequence[str]) -> None:
    """Raise BadInput where the study takes no such measures."""
    from workbench.frontier.frontier import Frontier

    bare = on_axes(Frontier([], study.measured()), study, privacy, utility)
    for key in (*keys, *(one for one in (privacy, utility) if one is not None)):
        bare.key(key)


def on_axes(swept: Frontier, study: Study, privacy: str | None = None, utility: str | None = None) -> Frontier:
    """The points on the axes that were asked for, or else on the study's."""
    from workbench.publication import selection

    return selection.on_axes(swept.on(privacy, utility), study if not (privacy or utility) else study.with_(axes=()))


@dataclass(frozen=True)
class View:
    """A frontier as it is shown: points have numbers, from 1, in the order of the study."""

    name: str
    frontier: Frontier
    caps: Mapping[str, float]
    noise: str = ""  # what the noise of its releases adds up to
    sample: str = ""  # that the figures are of one
    why: dict[str, str] = field(default_factory=dict)  # there is no knee, no best one

    @cached_property
    def efficient(self) -> list[int]:
        """The places of the efficient points, the most private first."""
        return self.frontier.efficient.index.tolist()

    @cached_property
    def knee(self) -> int | None:
        """The place of the knee, if there is one."""
        try:
            return self._place(self.frontier.knee)
        except Undefined as reason:
            self.why["knee"] = str(reason)
            return None

    @cached_property
    def best(self) -> int | None:
        """The place of the best point under the caps, if there is one; without a cap it would be the least safe."""
        if not self.caps:
            self.why["best"] = NO_CAP
            return None
        try:
            return self._place(self.frontier.best(self.caps))
        except BadInput as reason:
            self.why["best"] = str(reason)
            return None

    def _place(self, point: Any) -> int:
        return next(i for i, one in enumerate(self.frontier.measured) if one is point)

    @cached_property
    def dominated_by(self) -> list[list[int]]:
        """Of each point the efficient ones that dominate it, as places."""
        losses, own = self.frontier.losses(), self.frontier.recommendable
        best = losses[self.efficient]
        beats = [(best <= one).all(axis=1) & (best < one).any(axis=1) for one in losses]
        return [[self.efficient[j] for j in found.nonzero()[0]] if own[i] else [] for i, found in enumerate(beats)]

    @property
    def capped(self) -> str:
        """The caps in words."""
        from workbench.base.figures import join_names

        words = {1: "at most", -1: "at least"}
        sign = {key: words[self.frontier.sign(self.frontier.key(key))] for key in self.caps}
        return join_names([f"{key} {sign[key]} {cap:g}" for key, cap in self.caps.items()])

    @cached_property
    def left_out(self) -> list[tuple[int, str]]:
        """The number of each point that is undefined on an axis, and why."""
        found = self.frontier.undefined["reason"]
        return [(place + 1, in_words(why, STUDY)) for place, why in zip(found.index.tolist(), found, strict=True)]

    # --- as data

    def as_dict(self) -> dict[str, Any]:
        """Everything; the same study gives the same."""
        seen, records = self.frontier, numbered(self.frontier.records())
        for record, others in zip(records, self.dominated_by, strict=True):
            record["dominated_by"] = [i + 1 for i in others]
        knee, best = self.knee, self.best
        return {
            "study": self.name,
            "axes": dict(zip(("privacy", "utility"), seen.axes, strict=True)),
            "measures": [
                {**{name: getattr(m, name) for name in ABOUT}, "settings": m.settings()} for m in seen.measures
            ],
            "caps": dict(self.caps),
            "efficient": [i + 1 for i in self.efficient],
            "knee": None if knee is None else knee + 1,
            "best": None if best is None else best + 1,
            "reasons": dict(self.why),
            "noise": self.noise,
            "sample": self.sample,
            "area": self._area(),
            "undefined": [{"number": number, "reason": why} for number, why in self.left_out],
            "points": records,
        }

    def _area(self) -> float | None:
        try:
            return self.frontier.area
        except Undefined:
            return None

    # --- as text

    def lines(self, every: bool, width: int | None, colour: bool) -> list[str]:
        """The table with what goes above and below it."""
        own = int(self.frontier.recommendable.sum())
        keys = self._keys(width)
        rows = [self._row(i, keys) for i in (self._every() if every else self._worth_a_thought())]
        head = f"{self.name}: {len(self.efficient):,} of {own:,} {'release' if own == 1 else 'releases'} efficient"
        about = [f"{key}: {m.name}, {m.better} is better" for key in keys for m in [self.frontier.measure(key)]]
        table = table_lines([("#", "recipe", *self._heads(keys), ""), *rows], width)
        shades = [self._shade(int(row[0]) - 1) for row in rows]
        out = [*wrapped(head, width), ""]
        for number, lines in enumerate(table):
            shade = shades[number - 1] if number and colour else ""
            out += [f"{shade}{line}{PLAIN}" if shade else line for line in lines]
        return [*out, "", *(line for text in (*about, *self._notes(every)) for line in wrapped(text, width))]

    def _keys(self, width: int | None) -> list[str]:
        """The axes and what has a cap; beside the loss of privacy how easily a record is found, if there is room."""
        from workbench.measures.privacy.reidentification_risk import ReidentificationRisk

        privacy, utility = self.frontier.axes
        room = width is None or width >= NARROW
        found = [m.key for m in self.frontier.measures if room and isinstance(m, ReidentificationRisk)][:1]
        return list(dict.fromkeys([privacy, *found, utility, *map(self.frontier.key, self.caps)]))

    def _heads(self, keys: Sequence[str]) -> list[str]:
        """A measure's symbol where that says which one it is, else the whole key."""
        symbols = [self.frontier.measure(key).symbol for key in keys]
        return [s if symbols.count(s) == 1 else key for s, key in zip(symbols, keys, strict=True)]

    def _worth_a_thought(self) -> list[int]:
        """The efficient points; the best one need not be among them where a cap is on another measure."""
        return self.efficient + [i for i in [self.best] if i is not None and i not in self.efficient]

    def _every(self) -> list[int]:
        """Efficient ones, dominated ones by privacy, then what is left out, the baselines last."""
        losses = self.frontier.losses()
        rank = {i: n for n, i in enumerate(self.efficient)}

        def order(i: int) -> tuple[bool, bool, int, float, float]:
            undefined = bool(any(map(math.isnan, losses[i])))
            first, second = (0.0, 0.0) if undefined else map(float, losses[i])
            return not self.frontier.recommendable[i], undefined, rank.get(i, len(rank)), first, second

        return sorted(range(len(losses)), key=order)

    def _row(self, i: int, keys: Sequence[str]) -> tuple[str, ...]:
        from workbench.base.figures import estimated, figures

        point = self.frontier.measured[i]
        values = [
            figures(point.values[key], self.frontier.measure(key).better) + estimated(point.intervals.get(key))
            if key in point.values
            else "undefined"
            for key in keys
        ]
        return str(i + 1), str(point.recipe), *values, ", ".join(self._marks(i))

    def _marks(self, i: int) -> list[str]:
        marks = [word for word, place in (("knee", self.knee), ("best", self.best)) if place == i]
        if gone := self.frontier.measured[i].left_out:
            marks.append(f"{gone:,} {'record' if gone == 1 else 'records'} left out")
        if self.frontier.measured[i].recipe.baseline:
            marks.append("baseline")
        dominating = self.dominated_by[i]
        if dominating:
            more = f" and {len(dominating) - 3} more" if len(dominating) > 3 else ""
            marks.append(f"dominated by {', '.join(str(j + 1) for j in dominating[:3])}{more}")
        return marks

    def _shade(self, i: int) -> str:
        if i == self.best:
            return GREEN
        return YELLOW if i == self.knee else "" if i in self.efficient else GREY

    def _notes(self, every: bool) -> list[str]:
        """What the marks mean, why one is missing, and what was left out."""
        notes = []
        for mark, place in (("knee", self.knee), ("best", self.best)):
            if place is None:
                notes.append(f"no {mark}: {self.why[mark]}")
        if self.best is not None:
            goal = self.frontier.axes[1]
            least = "least" if self.frontier.sign(goal) > 0 else "highest"
            notes.append(f"best: the {least} {goal} with {self.capped}")
        if every:
            notes += [f"{number} is left out: {why}" for number, why in self.left_out]
        elif self.left_out:
            notes.append(f"{len(self.left_out):,} left out: undefined on an axis (--all shows the reasons)")
        return [*notes, *filter(None, [self.noise, self.sample])]


def table_lines(rows: Sequence[Sequence[str]], width: int | None) -> list[list[str]]:
    """The lines of each row; recipe and marks, the second column and the last, are broken where there is no room."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    room = math.inf if width is None else width - sum(widths[2:-1]) - widths[0] - 2 * (len(widths) - 1)
    if widths[1] + widths[-1] > room:
        widths[-1] = min(widths[-1], max(SHORT, int(room) - widths[1], int(room) // 3))
        widths[1] = min(widths[1], max(LEAST, int(room) - widths[-1]))
    return [_row_lines(row, widths) for row in rows]


def _row_lines(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    """Words stand at the left and go on in the next line, numbers stand at the right of the first."""
    words = (1, len(row) - 1)
    cells = [textwrap.wrap(text, widths[i] or 1) if i in words else [text] for i, text in enumerate(row)]
    lines = []
    for parts in zip_longest(*cells, fillvalue=""):
        aligned = (p.ljust(w) if i in words else p.rjust(w) for i, (p, w) in enumerate(zip(parts, widths, strict=True)))
        lines.append("  ".join(aligned).rstrip())
    return lines


def wrapped(text: str, width: int | None) -> list[str]:
    """A sentence in the lines of the terminal."""
    return [text] if width is None else textwrap.wrap(text, max(width, LEAST)) or [""]
