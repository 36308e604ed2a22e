"""Published points and their figures."""

import pytest

from workbench.frontier.recipe import Recipe
from workbench.frontier.sweep import sweep
from workbench.methods import Mondrian, RakedBuckets
from workbench.models import TCloseness
from workbench.publication.publish import publish
from workbench.publication.published_folder import Published
from workbench.publication.selection import easiest_to_explain
from workbench.releases.published_classes import disclosure_costs


def test_published_figures_are_coarse_and_never_better_than_the_exact_ones(read, study, table):
    exact = sweep(table, study.candidates(), study.measured())
    full = disclosure_costs(table.sensitive.values(), "js", 10)[0]
    for point, mine in zip(exact.measured, read.points, strict=True):
        for key, value in mine["values"].items():
            assert float(value) >= point.values[key] - 1e-4 or key == "A_acc" or point.recipe.baseline
            assert key == "R_id" or len(f"{float(value):.15g}".lstrip("0.").replace(".", "")) <= 4 or float(value) == 0
        loss, model = float(mine["values"]["P_loss"]), mine["settings"]["model"]
        promised = model is not None and loss == model.get("t")
        assert (
            promised
            or round(20 * loss / full, 1) % 1 in (0, 0.9, 1)
            or loss == max(float(other["values"]["P_loss"]) for other in read.points)
        )


@pytest.mark.slow
def test_requested_intervals_contain_the_published_figures(read, study, tmp_path):
    assert read.results["intervals"] == "" and not any(point["intervals"] for point in read.points)
    asked = study.with_(intervals={"over": "records", "times": 3})
    made = Published(publish(asked, tmp_path / "out", releases=False, warn=lambda said: None))
    assert "in other samples of the same size, estimated from 3 resamples" in made.results["intervals"]
    found = [(point, key, ends) for point in made.points for key, ends in point["intervals"].items()]
    assert (
        {"U_loss"} <= {key for _, key, _ in found} <= {one["key"] for one in made.results["measures"] if one["average"]}
    )
    assert all(low <= float(point["values"][key]) <= high for point, key, (low, high) in found)
    assert [one["values"] for one in made.points] == [one["values"] for one in read.points]
    assert [one["sentences"] for one in made.points] == [one["sentences"] for one in read.points]
    learning = study.with_(intervals={"over": "learning"})
    made = Published(publish(learning, tmp_path / "learnt", releases=False, warn=lambda said: None))
    assert made.results["intervals"] == "" and not any(point["intervals"] for point in made.points), "for the analyst"


def test_points_with_equal_figures_are_one_stop_of_the_slider(study, tmp_path):
    """Three releases disclose nothing and two disclose something: the middle is one of the two."""
    strict = [{"name": "k-anonymity", "k": [598, 599, 600]}, {"name": "k-anonymity", "k": [40, 60]}]
    recipes = tuple({"method": {"name": "mondrian"}, "model": model} for model in strict)
    axes = {
        "measures": [{"name": "adversary's knowledge gain"}, {"name": "utility loss"}],
        "axes": ["A_know", "U_loss"],
    }
    read = Published(publish(study.with_(recipes=recipes, **axes), tmp_path / "out", warn=lambda said: None))
    assert len(read.safe) > 3 and read.opened(read.opens(read.results["cap"]))["classes"] > 1


def test_noise_and_swapped_values_are_not_simple_if_there_is_a_simpler_release(study, table):
    """Noise and swapped values need an explanation besides that of the model."""
    model = TCloseness(t=0.3, distance="js")
    plain = Recipe(Mondrian(), model)
    moved = [Recipe(RakedBuckets(publish="exchanged", rho=rho), model) for rho in (None, 1.0)]

    def simple(*recipes: Recipe) -> list[Recipe]:
        frontier = sweep(table, recipes, study.measured()).on(*study.axes)
        return [frontier.measured[i].recipe for i in easiest_to_explain(frontier)]

    assert simple(*moved, plain) == [plain]
    assert simple(*moved) == moved, "no release is simpler"
