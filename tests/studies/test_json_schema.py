"""The JSON Schema of studies accepts every valid study, and refuses what a key cannot contain."""

import copy
import json

import jsonschema
import pytest
import yaml

from tests.project.tracked import tracked_files
from workbench.base.parameters import Data, WorkloadChoice
from workbench.commands.main import main
from workbench.frontier.recipe import variants
from workbench.studies.json_schema import study_schema
from workbench.studies.schema import study_faults

SCHEMA = jsonschema.Draft202012Validator(study_schema())
STUDIES = [path for path in tracked_files() if path.suffix == ".yaml" and "recipes:" in path.read_text("utf-8")]
GOOD = {
    "study": "Patients",
    "data": "people.csv",
    "roles": {"quasi": ["age", "sex"], "sensitive": "disease"},
    "hierarchies": {"age": {"builder": "intervals", "widths": [5, 10]}},
    "recipes": [{"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": [5, 10]}}],
    "measures": [{"name": "privacy loss"}, {"name": "utility loss", "min_support": 0.1}],
    "caps": {"P_loss": 0.2},
}
BAD = {
    "an unknown key": ("colour", "red"),
    "a role that does not exist": ("roles", {"secret": ["age"]}),
    "a cap below 0": ("caps", {"P_loss": -1}),
    "a threshold below 5": ("smallest", 2),
    "a method that does not exist": ("recipes", [{"method": {"name": "mondrain"}}]),
    "a recipe without a method": ("recipes", [{"model": {"name": "k-anonymity", "k": 5}}]),
    "a parameter that does not exist": ("recipes", [{"method": {"name": "mondrian", "kk": 1}}]),
    "a k below its minimum": ("recipes", [{"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": 0}}]),
    "a list for a measure": ("measures", [{"name": "utility loss", "min_support": [0.1, 0.2]}]),
    "three axes": ("axes", ["P_loss", "U_loss", "R_id"]),
    "a builder that does not exist": ("hierarchies", {"age": {"builder": "interval"}}),
}


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_studies_of_the_project_are_valid(path):
    given = yaml.safe_load(path.read_text("utf-8"))
    if not list(study_faults(given)):
        SCHEMA.validate(json.loads(json.dumps(given, default=str)))


def test_there_are_studies():
    assert len(STUDIES) >= 3


@pytest.mark.parametrize(("key", "value"), BAD.values(), ids=BAD.keys())
def test_what_check_refuses_the_schema_refuses(key, value):
    SCHEMA.validate(GOOD)
    given = {**copy.deepcopy(GOOD), key: value}
    assert list(study_faults(given))
    with pytest.raises(jsonschema.ValidationError):
        SCHEMA.validate(given)


@pytest.mark.parametrize("kind", ["method", "model", "measure"])
def test_every_variant_is_valid_with_its_defaults(kind):
    for name, variant in variants(kind).items():
        plain = (one for one in variant.parameters().items() if not isinstance(one[1], (Data, WorkloadChoice)))
        settings = {key: declared.default for key, declared in plain if declared.default is not None}
        given = {"name": name, **json.loads(json.dumps(settings, default=str))}
        recipe = {"method": {"name": "mondrian"}, "model": given} if kind == "model" else {"method": given}
        SCHEMA.validate({"measures": [given]} if kind == "measure" else {"recipes": [recipe]})


def test_the_command_prints_it(capsys):
    assert main(["check", "--schema"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(study_schema()))
