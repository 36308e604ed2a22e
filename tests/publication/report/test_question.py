"""The question, the data and the method of the computation."""

from workbench.publication.report import question


def test_every_candidate_is_counted_and_the_limit_is_stated(read):
    said = question.question_section(read, 0, 0.2)
    candidates = sum(not one["baseline"] for one in read.points)
    assert f"{candidates:,} candidates were generated" in said and "The limit: " in said
    assert "No limit was set" in question.question_section(read, 0, read.results["cap"])


def test_columns_are_listed_by_role_and_rare_values_are_not_named(read):
    said = question.data(read, 0, None)
    assert "age" in said and "wage" in said and "about 600" in said and "planted" not in said


def test_every_measure_has_its_figure(read):
    best = read.choices(0.2)["recommended"]
    said = question.computed(read, best, 0.2)
    assert all(measure["key"] in said for measure in read.results["measures"])
