"""Statements about limits never contradict the decision."""

from workbench.base.figures import format_number
from workbench.publication import limits
from workbench.publication.publish import publish
from workbench.publication.reader import Published


def test_a_figure_within_the_limit_is_not_displayed_above_it(read):
    seen = 0
    for stop in read.stops:
        for number in read.decision(stop)["within"]:
            index = number - 1
            shown, value = limits.shown_figure(read, index, stop), float(read.points[index]["values"]["P_loss"])
            assert limits.hidden_by_rounding(read, index, stop) == (value > stop)
            assert shown == (f"at most {format_number(stop)}" if value > stop else format_number(value, "lower"))
            seen += value > stop
    assert seen, "some published figures exceed a limit that the exact one satisfies"


def test_an_unsatisfied_limit_is_stated_with_the_nearest_release(study, tmp_path):
    asked = study.with_(caps={"P_loss": 0.001})
    read = Published(publish(asked, tmp_path / "out", releases=False, warn=lambda text: None))
    said = limits.limit(read)
    assert said.startswith("No candidate satisfies the limit of at most 0.001 on privacy loss. The nearest is")
    assert f"number {read.opens(0.001) + 1}, {read.points[read.opens(0.001)]['recipe']}, with " in said
    assert limits.unsatisfied(read, read.stops[-1]) == "" == limits.unsatisfied(read, None)


def test_the_absence_of_a_limit_is_stated(read):
    assert limits.limit(read) == "" and limits.scale(read, None) == "no limit"
