"""Declared parameters and the contract of every variant of the three catalogs."""

import dataclasses
import importlib
import inspect
import re
from pathlib import Path

import pytest

from workbench.base.errors import BadInput
from workbench.base.parameters import Choice, Number, canonical, parameter
from workbench.base.variants import Variant, catalog, from_dict
from workbench.measures import Measure
from workbench.methods import Keep, Method, Mondrian, Remove
from workbench.models import AlphaK, DeltaDisclosure, KAnonymity, Model, TCloseness

BASES = {"workbench.models": Model, "workbench.measures": Measure, "workbench.methods": Method}
CATALOGS = {package: catalog(package, base) for package, base in BASES.items()}
VARIANTS = [kind for kinds in CATALOGS.values() for kind in kinds.values()]
MODELS = CATALOGS["workbench.models"]
every_variant = pytest.mark.parametrize("kind", VARIANTS, ids=lambda kind: kind.__name__)


def file_of(kind):
    return Path(inspect.getsourcefile(kind))


def test_the_catalogs_hold_one_variant_for_every_file_that_defines_one():
    for package, base in BASES.items():
        folder = Path(importlib.import_module(package).__file__).parent
        bases = {base.__name__, *(kind.__bases__[0].__name__ for kind in CATALOGS[package].values())}
        derived = re.compile(rf"class (\w+)\((?:{'|'.join(bases)})\):")
        defining = {path.stem for path in folder.rglob("*.py") if {*derived.findall(path.read_text())} - bases}
        assert {file_of(kind).stem for kind in CATALOGS[package].values()} == defining - {"__init__"}


@every_variant
def test_a_variant_is_a_small_frozen_dataclass_with_one_plain_sentence(kind):
    assert dataclasses.is_dataclass(kind) and kind.__dataclass_params__.frozen
    assert {field.name for field in dataclasses.fields(kind)} == set(kind.parameters())
    assert len(inspect.getsource(kind).splitlines()) <= 80
    assert kind.title and len(kind.summary) > 10 and not kind.summary.endswith(".")
    assert kind.describe() == f"{kind.title}: {kind.summary}."


@every_variant
def test_the_default_is_within_its_own_bounds(kind):
    default = kind()
    for name, declared in kind.parameters().items():
        assert declared.help and not declared.help.endswith(".")
        low, high = declared.bounds() if isinstance(declared, Number) else (None, None)
        value = getattr(default, name)
        assert value is None or low is None or value >= low
        assert value is None or high is None or value <= high
        assert not isinstance(declared, Choice) or value in declared.choices


@every_variant
def test_a_variant_equals_one_made_from_its_description(kind):
    default = kind()
    variants = next(found for found in CATALOGS.values() if kind in found.values())
    assert from_dict("variant", variants, default.to_dict()) == default
    assert canonical(default.to_dict()) == canonical(from_dict("variant", variants, default.to_dict()).to_dict())
    assert hash(default) == hash(kind())
    assert str(default).startswith(kind.name)


@every_variant
def test_every_choice_and_both_ends_of_every_range_are_accepted(kind):
    for name, declared in kind.parameters().items():
        for choice in getattr(declared, "choices", ()):
            if kind is Mondrian and choice in ("information_gain", "order", "workload", False):
                continue  # they go with a target, or with none
            assert getattr(kind(**{name: choice}), name) == choice
        low, high = declared.bounds() if isinstance(declared, Number) else (None, None)
        if low is not None:
            with pytest.raises(BadInput, match=f"{name} = .* must be (above|at least) {low:g}"):
                kind(**{name: low - 1 if not declared.above else low})
            assert declared.above or kind(**{name: low})
        if high is not None:
            with pytest.raises(BadInput, match=f"{name} = .* must be at most {high:g}"):
                kind(**{name: high + 1})
            assert kind(**{name: high})


@pytest.mark.parametrize("kind", CATALOGS["workbench.measures"].values(), ids=lambda kind: kind.__name__)
def test_a_measure_declares_side_unit_symbol_and_which_way_is_better(kind):
    measure = kind()
    assert measure.side in ("privacy", "utility") and measure.better in ("lower", "higher")
    assert measure.unit and measure.symbol and isinstance(measure.best, float)
    assert measure.key.startswith(measure.symbol) or kind.__name__ == "Achieved"
    for name, declared in kind.parameters().items():
        keys = {kind(**{name: choice}).key for choice in getattr(declared, "choices", ())}
        assert len(keys) == len(getattr(declared, "choices", ())), "each setting has a separate column"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: KAnonymity(0), "k-anonymity: k = 0 must be at least 1"),
        (lambda: KAnonymity(2.5), "k = 2.5 must be a whole number"),
        (lambda: KAnonymity("ten"), "k = 'ten' must be a number"),
        (lambda: KAnonymity(True), "k = True must be a number"),
        (lambda: KAnonymity(None), "k = None must be a number"),
        (lambda: TCloseness(float("nan")), "t = nan must be a number"),
        (lambda: TCloseness(1.01), "t = 1.01 must be at most 1"),
        (lambda: AlphaK(alpha=0), "alpha = 0 must be above 0"),
        (lambda: TCloseness(distance="far"), "distance = 'far' is not one of 'equal', 'ordered', 'hierarchical', 'js'"),
        (lambda: DeltaDisclosure(absent=True), "absent = True is not one of"),
        (
            lambda: from_dict("model", MODELS, {"name": "k-anonimity", "k": 3}),
            "no model is called",
        ),
        (lambda: from_dict("model", MODELS, {"k": 3}), "a model has a name; choose from"),
        (lambda: from_dict("model", MODELS, {"name": "k-anonymity", "l": 3}), "no parameter l; it has k"),
    ],
)
def test_a_value_outside_the_declaration_is_refused_in_plain_words(make, message):
    with pytest.raises(BadInput, match=message):
        make()


def test_a_bound_that_depends_on_the_table_is_checked_with_the_table(small):
    table = small(0)
    KAnonymity(10_000).check()
    with pytest.raises(BadInput, match=f"must be at most {table.records}"):
        KAnonymity(10_000).check(table)
    assert KAnonymity.parameters()["k"].bounds(table) == (1, table.records)
    assert KAnonymity.parameters()["k"].bounds() == (1, None)


def test_a_parameter_that_names_a_column_is_checked_with_the_table(small):
    method = Mondrian(split="information_gain", target="illness")
    with pytest.raises(BadInput, match="target = 'illness' is not a column of the table; it has"):
        method.check(small(0))


PACKAGE = {
    "__init__.py": "",
    "one.py": """
from dataclasses import dataclass
from workbench.models import KAnonymity, Model, And
from workbench.models.k_anonymity import KAnonymity as Borrowed
@dataclass(frozen=True)
class One(KAnonymity):
    name = "one"
@dataclass(frozen=True)
class _Hidden(KAnonymity):
    name = "hidden"
class Unfinished(Model):
    name = "unfinished"
""",
}


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return a function that makes a temporary package of some files importable."""

    def make(name, files):
        (tmp_path / name).mkdir()
        for file, text in files.items():
            (tmp_path / name / file).write_text(text)
        importlib.invalidate_caches()
        return name

    monkeypatch.syspath_prepend(tmp_path)
    return make


def test_a_new_file_is_a_new_variant_and_imported_private_or_abstract_classes_are_not(package):
    assert list(catalog(package("fresh", PACKAGE), Model)) == ["one"]


def test_two_variants_with_one_name_are_refused(package):
    twice = {**PACKAGE, "two.py": PACKAGE["one.py"]}
    with pytest.raises(BadInput, match="two variants are called 'one'"):
        catalog(package("twice", twice), Model)


def test_a_variant_made_outside_the_package_is_not_found():
    @dataclasses.dataclass(frozen=True)
    class Fake(KAnonymity):
        name = "fake"

    assert "fake" not in catalog("workbench.models", Model)
    assert "and" not in catalog("workbench.models", Model)


def test_a_package_offers_its_variants_by_class_name_and_nothing_else():
    models = importlib.import_module("workbench.models")
    assert models.KAnonymity is KAnonymity
    with pytest.raises(AttributeError, match="no attribute 'Fake'"):
        _ = models.Fake


def test_a_variant_is_printed_with_its_numbers_and_non_default_settings():
    assert str(TCloseness(0.2)) == "t-closeness, t = 0.2"
    assert str(TCloseness(0.2, "js")) == "t-closeness, t = 0.2, distance = js"
    assert str(Keep()) == "keep"


def test_columns_to_remove_are_normalized_to_a_tuple():
    read = from_dict("method", CATALOGS["workbench.methods"], {"name": "remove", "columns": ["age"]})
    assert Remove("age") == Remove(["age"]) == read


@pytest.mark.parametrize(
    "value, listed",
    [("age", False), (["age", "sex"], False), ([["age"], ["sex"]], True), (["age", ["sex"]], True), ([None], True),
     ([], True), (None, False), (("age",), False)],
)  # fmt: skip
def test_a_column_name_is_one_value_and_a_list_of_names_several(value, listed):
    assert Mondrian.parameters()["order"].is_list(value) is listed
    assert KAnonymity.parameters()["k"].is_list(value) is isinstance(value, list)


def test_a_default_order_and_workload_are_not_printed():
    assert not {"order", "workload"} & set(Mondrian().to_dict())
    with pytest.raises(BadInput, match="workload = 5 must be the name of a workload, or a Workload"):
        Mondrian("workload", workload=5)
    ordered = Mondrian("order", order=["sex", "age"])
    assert ordered.to_dict()["order"] == ("sex", "age") and str(ordered).endswith("order = sex, age")


def test_a_variant_without_parameters_has_nothing_to_check():
    @dataclasses.dataclass(frozen=True)
    class Plain(Variant):
        label: str = "x"
        size: int = parameter(1, "a size", low=1)
        name = "plain"

    assert Plain().settings() == {"size": 1}
