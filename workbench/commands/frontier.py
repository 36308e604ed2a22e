"""`workbench frontier`: show the efficient points of a study, as a table in the terminal or as JSON."""

from __future__ import annotations

import math
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.base.errors import BadInput, Undefined, render_fixes
from workbench.commands.shared import (
    Caps,
    StoreFolder,
    effective_caps,
    exit_status,
    on_axes,
    open_study,
    print_json,
    print_note,
    refuse_unknown_measures,
    wrap_table,
    wrap_text,
)
from workbench.commands.sweep import add_intervals, sweep_study
from workbench.studies.faults import study_words

if TYPE_CHECKING:
    from workbench.commands.sweep import Swept
    from workbench.frontier.decision import Decision
    from workbench.frontier.frontier import Frontier

NARROW = 60  # terminal width below which no additional measure is shown
WIDE = 80  # terminal width from which the share of the cost is shown
NO_CAP = (
    "no limit is set, so this is a suggestion, the knee of the candidates without objections; set a limit with --cap, "
    "or caps in the study"
)
ABOUT = ("key", "name", "side", "unit", "better")  # fields of a measure in the JSON output
GREEN, YELLOW, GREY, PLAIN = "\x1b[32m", "\x1b[33m", "\x1b[90m", "\x1b[0m"

PURPOSE = "Show the efficient candidates of a study."
HELP = """Show the candidates that no other dominates on privacy and utility, the most private first, with the knee and
the recommended candidate under the caps. Points in the store are reused. `workbench anonymize` accepts the numbers
and the recipes of the table. The exit status is 2 if nothing is recommended under the caps.

\b
workbench frontier study.yaml
workbench frontier study.yaml --cap P_loss=0.15 --all
workbench frontier study.yaml --privacy R_id --utility U_loss
workbench frontier study.yaml --intervals records --times 100
workbench frontier study.yaml --json | jq '.points[] | select(.efficient) | .recipe'
"""


def frontier(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="A study (.yaml).", show_default=False)],
    privacy: Annotated[
        str | None, typer.Option(metavar="KEY", help="The measure of privacy; default: the study's.")
    ] = None,
    utility: Annotated[
        str | None, typer.Option(metavar="KEY", help="The measure of utility; default: the study's.")
    ] = None,
    cap: Caps = None,
    every: Annotated[
        bool, typer.Option("--all", help="Include dominated candidates, with the candidates that dominate each.")
    ] = False,
    intervals: Annotated[
        str | None,
        typer.Option(
            metavar="records|seeds",
            help="Intervals of the figures over resampled records (bootstrap), or over other seeds: every release is "
            "made again, 20 times by default; default: the study's intervals.",
        ),
    ] = None,
    times: Annotated[int | None, typer.Option(metavar="NUMBER", help="Number of repetitions for --intervals.")] = None,
    store: StoreFolder = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all points and their details as JSON.")] = False,
) -> int:
    """Run `workbench frontier`."""
    from workbench.frontier.intervals import TIMES, describe_sample
    from workbench.frontier.intervals import describe_intervals as intervals_in_words

    loaded = open_study(study)
    caps = effective_caps(loaded, cap)
    refuse_unknown_measures(loaded, privacy, utility, list(caps))  # report errors before hours of computation
    _refuse_intervals(intervals, times)
    found = add_intervals(
        sweep_study(study, store),
        {"over": intervals, **({"times": times} if times is not None else {})} if intervals else None,
    )
    if any(point.intervals for point in found.frontier.measured) and (
        over := intervals or loaded.intervals.get("over")
    ):
        print_note(f"in brackets: {intervals_in_words(over, times or loaded.intervals.get('times', TIMES))}")
    seen = on_axes(found.frontier, found.study, privacy, utility)
    view = View(found.study.name, seen, caps, _noise(found), describe_sample(found.table))
    if as_json:
        print_json(view.as_dict())
        return exit_status(seen, view.decision)
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() or "COLUMNS" in os.environ else None
    typer.echo("\n".join(view.lines(every, width, colour)))
    return exit_status(seen, view.decision)


def _refuse_intervals(over: str | None, times: int | None) -> None:
    """Raise BadInput for options that intervals do not support, before hours of computation."""
    from workbench.frontier.intervals import LEARNING, TIMES, refuse_intervals

    if over == LEARNING and times is not None:
        raise BadInput(
            "--times is the number of repetitions, and --intervals learning repeats nothing; leave out --times"
        )
    if over is not None:
        refuse_intervals(over, TIMES if times is None else times)
    elif times is not None:
        raise BadInput("--times needs --intervals, such as --intervals records")


def _noise(found: Swept) -> str:
    """Describe the total epsilon of a study's releases."""
    from workbench.disclosure.several_releases import describe_joint_budget

    made = [point.recipe.method for point in found.frontier.measured if point.values]
    return describe_joint_budget(found.table, made, "releases of this study")


@dataclass(frozen=True)
class View:
    """A frontier for display: points have numbers, from 1, in the order of the study."""

    name: str
    frontier: Frontier
    caps: Mapping[str, float]
    noise: str = ""  # the total epsilon of its releases
    sample: str = ""  # a note if the table is a sample
    why: dict[str, str] = field(default_factory=dict)  # why there is no knee

    @cached_property
    def efficient(self) -> list[int]:
        """The indices of the efficient points, the most private first."""
        return self.frontier.efficient.index.tolist()

    @cached_property
    def knee(self) -> int | None:
        """The index of the knee; None if there is none."""
        try:
            knee = self.frontier.knee
            return next(i for i, point in enumerate(self.frontier.measured) if point is knee)
        except Undefined as reason:
            self.why["knee"] = str(reason)
            return None

    @cached_property
    def decision(self) -> Decision:
        """The decision under the caps."""
        from workbench.frontier.decision import decide

        return decide(self.frontier, self.caps)

    @cached_property
    def marked(self) -> dict[str, int | None]:
        """The indices of marked points."""
        found, word = self.decision, "recommended" if self.caps else "suggested"
        numbers = {word: found.recommended, "nearest": found.nearest}
        return {"knee": self.knee, **{name: number and number - 1 for name, number in numbers.items()}}

    @cached_property
    def costs(self) -> list[float | None]:
        """Each point's utility loss as a share of the loss of publishing no quasi-identifiers."""
        from workbench.frontier.frontier import relative_costs

        return relative_costs(self.frontier)

    @cached_property
    def dominated_by(self) -> list[list[int]]:
        """For each point the indices of the efficient points that dominate it."""
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
        """The number of each point that is undefined on an axis, with the reason."""
        found = self.frontier.undefined["reason"]
        return [(place + 1, render_fixes(found[place], study_words)) for place in found.index.tolist()]

    def as_dict(self) -> dict[str, Any]:
        """Return all fields as plain data; the same study gives the same data."""
        from workbench.frontier.frontier import frontier_records

        seen, records = self.frontier, frontier_records(self.frontier)
        for record, others in zip(records, self.dominated_by, strict=True):
            record["dominated_by"] = [i + 1 for i in others]
        for record, cost in zip(records, self.costs, strict=True):
            record["share_of_removal"] = cost
        knee, decision = self.knee, self.decision
        return {
            "study": self.name,
            "axes": dict(zip(("privacy", "utility"), seen.axes, strict=True)),
            "measures": [
                {**{name: getattr(m, name) for name in ABOUT}, "settings": m.settings()} for m in seen.measures
            ],
            "caps": dict(self.caps),
            "efficient": [i + 1 for i in self.efficient],
            "knee": None if knee is None else knee + 1,
            "recommended": decision.recommended,
            "nearest": decision.nearest,
            "reasons": {**self.why, **({"recommended": decision.reason} if decision.reason else {})},
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

    def lines(self, every: bool, width: int | None, colour: bool) -> list[str]:
        """Return the lines of the table with those above and below it."""
        from workbench.frontier.frontier import COLUMN, MEANING

        own = int(self.frontier.recommendable.sum())
        keys = self._keys(width)
        room = self._has_yardstick and (width is None or width >= WIDE)
        rows = [self._row(i, keys, room) for i in (self._every() if every else self._shown_by_default())]
        head = f"{self.name}: {len(self.efficient):,} of {own:,} {'release' if own == 1 else 'releases'} efficient"
        about = [f"{key}: {m.name}, {m.better} is better" for key in keys for m in [self.frontier.measure(key)]]
        yardstick = [f"{COLUMN}: {MEANING}"] * room
        heads = [*self._heads(keys), *[COLUMN] * room]
        table = wrap_table([("#", "recipe", *heads, ""), *rows], width)
        shades = [self._shade(int(row[0]) - 1) for row in rows]
        out = [*wrap_text(head, width), ""]
        for number, lines in enumerate(table):
            shade = shades[number - 1] if number and colour else ""
            out += [f"{shade}{line}{PLAIN}" if shade else line for line in lines]
        below = (*about, *yardstick, *self._notes(every))
        return [*out, "", *(line for text in below for line in wrap_text(text, width))]

    def _keys(self, width: int | None) -> list[str]:
        """Return the measures of the axes and caps; if there is room, re-identification risk next to privacy loss."""
        from workbench.measures.privacy.reidentification_risk import ReidentificationRisk

        privacy, utility = self.frontier.axes
        room = width is None or width >= NARROW
        found = [m.key for m in self.frontier.measures if room and isinstance(m, ReidentificationRisk)][:1]
        return list(dict.fromkeys([privacy, *found, utility, *map(self.frontier.key, self.caps)]))

    def _heads(self, keys: Sequence[str]) -> list[str]:
        """Return the symbol of each measure if it is unique, else the whole key."""
        symbols = [self.frontier.measure(key).symbol for key in keys]
        return [s if symbols.count(s) == 1 else key for s, key in zip(symbols, keys, strict=True)]

    @cached_property
    def _has_yardstick(self) -> bool:
        """Return whether a cost is known for some point."""
        return any(cost is not None for cost in self.costs)

    def _shown_by_default(self) -> list[int]:
        """Return the efficient and the marked points; a cap may be on a measure that is on no axis."""
        return list(dict.fromkeys([*self.efficient, *(i for i in self.marked.values() if i is not None)]))

    def _every(self) -> list[int]:
        """Return the efficient points, dominated points by privacy, undefined points, and the baselines last."""
        losses = self.frontier.losses()
        rank = {i: n for n, i in enumerate(self.efficient)}

        def order(i: int) -> tuple[bool, bool, int, float, float]:
            undefined = bool(any(map(math.isnan, losses[i])))
            first, second = (0.0, 0.0) if undefined else map(float, losses[i])
            return not self.frontier.recommendable[i], undefined, rank.get(i, len(rank)), first, second

        return sorted(range(len(losses)), key=order)

    def _row(self, i: int, keys: Sequence[str], with_cost: bool) -> tuple[str, ...]:
        from workbench.base.figures import format_interval, format_number, format_percent

        point, cost = self.frontier.measured[i], self.costs[i]
        values = [
            format_number(point.values.get(key, math.nan)) + format_interval(point.intervals.get(key)) for key in keys
        ]
        if with_cost:
            values.append("" if cost is None else format_percent(cost))
        return str(i + 1), str(point.recipe), *values, ", ".join(self._marks(i))

    def _marks(self, i: int) -> list[str]:
        marks = [word for word, place in self.marked.items() if place == i]
        if self.frontier.measured[i].against:
            marks.append("not recommended")
        if self.frontier.measured[i].recipe.small_classes:
            marks.append("small classes possible")
        if suppressed := self.frontier.measured[i].left_out:
            marks.append(f"{suppressed:,} {'record' if suppressed == 1 else 'records'} suppressed")
        if self.frontier.measured[i].recipe.baseline:
            marks.append("baseline")
        dominating = self.dominated_by[i]
        if dominating:
            more = f" and {len(dominating) - 3} more" if len(dominating) > 3 else ""
            marks.append(f"dominated by {', '.join(str(j + 1) for j in dominating[:3])}{more}")
        return marks

    def _shade(self, i: int) -> str:
        if i + 1 == self.decision.recommended:
            return GREEN
        return YELLOW if i == self.knee else "" if i in self.efficient else GREY

    def _notes(self, every: bool) -> list[str]:
        """Return notes that explain the marks, missing marks and undefined points."""
        from workbench.frontier.decision import why_none

        decision, notes = self.decision, []
        if self.knee is None:
            notes.append(f"no knee: {self.why['knee']}")
        if decision.recommended is None:
            notes.append(f"nothing is recommended: {why_none(self.frontier, decision)}")
        elif self.caps:
            least = "least" if self.frontier.sign(decision.goal) > 0 else "highest"
            better = f"; {len(decision.passed_over):,} better ones are not recommended" if decision.passed_over else ""
            notes.append(f"recommended: the {least} {decision.goal} with {self.capped}{better}")
        else:
            notes.append(f"suggested: {NO_CAP}")
        shown = self._every() if every else self._shown_by_default()
        possible = {self.frontier.measured[i].recipe.small_classes for i in shown} - {""}
        notes += self._objections(shown)
        notes += [f"small classes possible: {why}; combine it with k-anonymity" for why in possible]
        if every:
            notes += [f"{number} is not in the frontier: {why}" for number, why in self.left_out]
        elif self.left_out:
            notes.append(f"{len(self.left_out):,} not in the frontier: undefined on an axis (--all shows the reasons)")
        return [*notes, *filter(None, [self.noise, self.sample])]

    def _objections(self, shown: Sequence[int]) -> list[str]:
        """Return why points of the table are not recommended whatever the caps, grouped by reasons."""
        from workbench.base.figures import join_names

        found: dict[tuple[str, ...], list[str]] = {}
        for i in sorted(shown):
            if against := self.frontier.measured[i].against:
                found.setdefault(tuple(against), []).append(str(i + 1))
        return [f"not recommended: {join_names(numbers)}: {join_names(whys)}" for whys, numbers in found.items()]
