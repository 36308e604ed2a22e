"""`workbench compare`: compare two studies by their frontiers, or two released tables by their audits."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.base.errors import BadInput, Undefined, render_fixes
from workbench.commands.audit import (
    MissingFits,
    Original,
    Quasi,
    Sensitive,
    StudyFile,
    Suppressed,
    in_classes,
    read_original,
    read_released,
    value_of,
)
from workbench.commands.reading import option_words
from workbench.commands.shared import STUDIES, align_columns, on_axes, open_study, print_json, print_note, printable

if TYPE_CHECKING:
    from workbench.frontier.frontier import Frontier

NOTHING = 1e-12  # differences due to rounding
PURPOSE = "Compare two studies, or two released tables."
HELP = """Compare two studies: the efficient candidates of each, which study loses less utility at each privacy, and the
best candidate of each under its caps; points that are not in their stores are computed. Or compare two released
tables, from any tool: their audits side by side, with the same roles.

\b
workbench compare study.yaml other.yaml
workbench compare a.csv b.csv --quasi age,zip --sensitive disease
workbench compare a.csv b.csv --study study.yaml --json
"""


def compare(
    first: Annotated[
        Path, typer.Argument(metavar="STUDY|FILE", help="A study (.yaml), or a released table.", show_default=False)
    ],
    second: Annotated[
        Path, typer.Argument(metavar="STUDY|FILE", help="A second study or table to compare with.", show_default=False)
    ],
    quasi: Quasi = None,
    sensitive: Sensitive = None,
    original: Original = None,
    study: StudyFile = None,
    suppressed: Suppressed = "class",
    missing_fits: MissingFits = "itself",
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole result as one JSON document.")] = False,
) -> None:
    """Run `workbench compare`."""
    kinds = [name.suffix in STUDIES for name in (first, second)]
    if kinds[0] != kinds[1]:
        raise BadInput(f"{first} and {second}: cannot compare a study with a table; pass two studies or two tables")
    if kinds[0]:
        if quasi or sensitive or original or study:
            raise BadInput(
                "studies define their own roles and data; leave out --quasi, --sensitive, --original, --study"
            )
        found = compare_studies(first, second)
    else:
        if str(first) == str(second) == "-":
            raise BadInput("only one of the two tables can come through a pipe; pass the other as a file")
        table = read_original(quasi, sensitive, original, study)
        pair = str(first), str(second)
        options = quasi, sensitive, suppressed, missing_fits
        found = compare_tables({name: read_released(name, table, *options) for name in {*pair}}, pair)
    if as_json:
        print_json(found)
        return
    for note in found["notes"]:
        print_note(note)
    typer.echo("\n".join(printable(line) for line in (study_lines if kinds[0] else table_lines)(found)))


# --- released tables


def compare_tables(releases: dict[str, Any], pair: tuple[str, str]) -> dict[str, Any]:
    """Return both audits and their differences."""
    from workbench.disclosure.audit import audit_release

    audits = [audit_release(releases[name]) for name in pair]
    for audit in audits:
        audit["notes"] = [render_fixes(note, option_words) for note in audit["notes"]]
    rows = []
    for one, other in zip(*(audit["achieved"] + audit["measures"] for audit in audits), strict=True):
        about = {key: one[key] for key in ("measure", "name", "side", "better")}
        values = {"first": one["value"], "second": other["value"]}
        rows.append({**about, **values, "ahead": which_is_ahead(values["first"], values["second"], one["better"])})
    notes = [f"{name}: {note}" for name, audit in zip(pair, audits, strict=True) for note in audit["notes"]]
    return {"first": {"release": pair[0], **audits[0]}, "second": {"release": pair[1], **audits[1]}, "measures": rows,
            "notes": notes}  # fmt: skip


def which_is_ahead(one: float | None, other: float | None, better: str) -> str | None:
    """Return which of two values is better; None if one is missing."""
    if one is None or other is None:
        return None
    if one == other or math.isclose(one, other, rel_tol=1e-9, abs_tol=NOTHING):
        return "equal"
    return "first" if (one < other) == (better == "lower") else "second"


def table_lines(found: dict[str, Any]) -> list[str]:
    """Return the lines of two audits side by side."""
    out = []
    for which in ("first", "second"):
        one = found[which]
        left_out = f", {one['left_out']:,} suppressed" if one["left_out"] else ""
        out.append(f"{which}: {one['release']}: {one['records']:,} records {in_classes(one)}{left_out}")
    if not found["first"]["original"]:
        out.append("Without the original: each is compared with its own distribution.")
    rows = [("", "first", "second", "ahead", "better")]
    for one in found["measures"]:
        values = [value_of({"value": one[which], "better": one["better"]}) for which in ("first", "second")]
        rows.append((one["measure"], *values, one["ahead"] or "", one["better"]))
    return [*out, "", *align_columns(rows, head=True)]


# --- studies


def compare_studies(first: Path, second: Path) -> dict[str, Any]:
    """Return both frontiers, and which study loses less utility at each privacy."""
    from workbench.commands.sweep import sweep_study
    from workbench.data.records import has_same_data

    for path in (first, second):
        open_study(path)  # report errors before hours of computation
    both = [sweep_study(path) for path in (first, second)]
    frontiers = [on_axes(one.frontier, one.study) for one in both]
    axes = [one.axes for one in frontiers]
    if axes[0] != axes[1]:
        pairs = " against ".join(" and ".join(pair) for pair in axes)
        raise BadInput(f"{first} and {second} have different axes ({pairs}); use the same axes in both")
    notes = []
    if not has_same_data(both[0].table, both[1].table):
        notes.append(
            "the studies are not about the same table in the same roles, so their losses may not be comparable"
        )
    sides = [_of_study(one.study, frontier) for one, frontier in zip(both, frontiers, strict=True)]
    return {
        "axes": list(axes[0]),
        "better": [frontiers[0].measure(key).better for key in axes[0]],
        "first": {"file": str(first), **sides[0]},
        "second": {"file": str(second), **sides[1]},
        "by_privacy": _by_privacy(*frontiers),
        "notes": notes,
    }


def _of_study(study: Any, frontier: Frontier) -> dict[str, Any]:
    """Return a study's efficient points, the area under them, and the recommended point under its caps."""
    from workbench.frontier.decision import decide, why_none

    found: dict[str, Any] = {"study": study.name, "caps": dict(study.caps), "area": None, "recommended": None}
    found["efficient"] = [_point(frontier.measured[int(i)], frontier) for i in frontier.efficient.index]
    try:
        found["area"] = frontier.area
    except Undefined as reason:
        found["no_area"] = str(reason)
    decision = decide(frontier, study.caps)
    if decision.recommended is None:
        found["none_recommended"] = why_none(frontier, decision)
    else:
        chosen = frontier.measured[decision.recommended - 1]
        found["recommended"] = {"number": decision.recommended, **_point(chosen, frontier)}
    return found


def _point(point: Any, frontier: Frontier) -> dict[str, Any]:
    return {"recipe": str(point.recipe), **{key: point.values[key] for key in frontier.axes}}


def _by_privacy(first: Frontier, second: Frontier) -> list[dict[str, Any]]:
    """Return the best utility of each study at each privacy of an efficient point."""
    privacy, utility = first.axes
    better = first.measure(utility).better
    losses = [one.losses()[one.efficient.index.to_numpy(dtype=int)] for one in (first, second)]
    rows = []
    for level in sorted({float(p) for one in losses for p in one[:, 0]}):
        best = [one[one[:, 0] <= level][:, 1] for one in losses]
        one, other = (float(kept.min()) * first.sign(utility) if len(kept) else None for kept in best)
        which = which_is_ahead(one, other, better) or ("second" if one is None else "first")
        rows.append({privacy: level * first.sign(privacy), "first": one, "second": other, "ahead": which})
    return rows


def study_lines(found: dict[str, Any]) -> list[str]:
    """Return the lines of two frontiers side by side."""
    from workbench.base.figures import format_number

    privacy, utility = found["axes"]
    first, second = found["better"]  # the direction of each axis
    out = []
    for which in ("first", "second"):
        one = found[which]
        area = "" if one["area"] is None else f", area {format_number(one['area'])}"
        out += [f"{which}: {one['study']} ({one['file']}): {len(one['efficient']):,} efficient{area}"]
        out += align_columns(
            [(privacy, utility, "efficient"),
             *((format_number(p[privacy], first), format_number(p[utility], second), p["recipe"])
               for p in one["efficient"])],
            head=True,
        ) if one["efficient"] else []  # fmt: skip
        caps = ", ".join(f"{key} {cap:g}" for key, cap in one["caps"].items()) or "no cap"
        chosen = one["recommended"]
        which_one = f"{chosen['number']}, {chosen['recipe']}" if chosen else one["none_recommended"]
        out += [f"  {'recommended' if one['caps'] else 'suggested'} under {caps}: {which_one}", ""]
    rows: list[tuple[str, ...]] = [(privacy, "first", "second", "ahead")]
    for row in found["by_privacy"]:
        values = ["-" if row[which] is None else format_number(row[which], second) for which in ("first", "second")]
        rows.append((format_number(row[privacy], first), *values, str(row["ahead"])))
    return [*out, f"At each {privacy}: the best {utility} that is at least as private", *align_columns(rows, head=True)]
