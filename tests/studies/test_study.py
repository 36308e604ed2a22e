"""Studies: the table, recipes and measures described by plain data, and round trips through files."""

import re
from pathlib import Path

import pandas as pd
import pytest

from tests.studies.written import TEXT, without
from workbench.base.errors import BadInput
from workbench.data import datasets, weights
from workbench.data.records import fingerprint
from workbench.data.table import Table
from workbench.data.wording import Wording
from workbench.queries.workload import Workload
from workbench.studies.schema import CHOICES, FILE, FROM, ROLES
from workbench.studies.study import Study, files_read, records_of_study, with_data


def test_a_study_survives_a_round_trip_through_text():
    study = Study.from_yaml(TEXT)
    assert Study.from_yaml(study.to_yaml()) == study
    assert study.caps == {"P_loss": 0.15}
    assert study.sensitive == ("occupation",)


def test_a_study_is_saved_and_opened(tmp_path):
    study = Study.from_yaml(TEXT)
    study.save(tmp_path / "adult.study.yaml")
    assert Study.open(tmp_path / "adult.study.yaml").to_dict() == study.to_dict()


@pytest.mark.slow
def test_the_table_of_a_study_equals_one_made_in_python():
    study = Study.from_yaml(without("hierarchies"))
    study = study.with_(hierarchies={name: "bundled" for name in datasets.ADULT_HIERARCHIES})
    table, direct = study.table(study.read()), datasets.adult()
    assert (
        fingerprint(table)
        == fingerprint(direct.with_settings(regions={}, threshold=study.smallest))
        != fingerprint(direct)
    )
    exact = study.with_(regions=dict.fromkeys(table.quasi, "exact")).table(study.read())
    assert fingerprint(exact) == fingerprint(direct)


def test_measures_have_their_settings():
    assert [(m.key, m.settings()) for m in Study.from_yaml(TEXT).measured()][1][1]["min_support"] == 0.1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("- a\n- b", "not a study"),
        (
            "Mrs Miller, 43",
            "^this is not a study: one has lines such as .data:. and .roles:., each a name and a colon$",
        ),
        ("study: [", "line 1"),
        ("studdy: x", "did you mean 'study'"),
        ("roles: {quazi: [a]}", "did you mean 'quasi'"),
        ("data: {path: a.csv, bundled: adult}", "exactly one"),
        ("recipes: {a: 1}", "must be a list"),
        ("hierarchies: [a]", "must be a mapping"),
        ("smallest: many", "whole number"),
        ("seed: true", "whole number"),
        ("data: !!python/object/apply:os.system [ls]", "line 1: a tag"),
        ("study: x\na: &a [l, o, l]\nb: *a", "line 3: a reference .* is not supported"),
        ("caps: {P_loss: 1, U_loss: 2,\n  P_loss: 3}", "line 2: this name is used twice"),
        ("study: x\nseed: 9999-99-99", "line 2: invalid value"),
        ("study: x\nseed: 1" + ":59" * 10_000, "line 2: invalid value"),
        ("[" * 100_000, "line 1: more than 50 nested brackets"),
        ("{a: " * 100_000, "line 1: more than 50 nested brackets"),
        ("\n".join(" " * i + "a:" for i in range(2_000)), "line 51: more than 50 nested brackets"),
        ("study: " + "x" * 200_000, "line 1: a value of more than 100,000 characters"),
        ("#" * 5_000_000, "longer than 4,000,000"),
        ("study: \ud800", "not YAML"),
        ("study: \0", "not YAML"),
        (None, "not text"),
    ],
)
def test_errors_are_reported(text, says):
    with pytest.raises(BadInput, match=says):
        Study.from_yaml(text)


def test_the_error_of_a_wrong_value_does_not_quote_it():
    with pytest.raises(BadInput) as caught:
        Study.from_yaml("study: x\ncaps: {P_loss: 2024-13-77}")
    assert "2024" not in str(caught.value) and caught.value.__cause__ is caught.value.__context__ is None


def test_shared_objects_are_written_without_aliases():
    """Aliases would prevent opening the study again."""
    name, sizes = {"name": "mondrian"}, [2, 5]
    study = Study(recipes=[{"method": name, "model": {"name": "k-anonymity", "k": sizes}}] * 2)
    assert Study.from_yaml(study.to_yaml()).recipes == study.recipes


QUERY = 'data: {{sql: "SELECT * FROM {}"}}'


@pytest.fixture
def places(tmp_path):
    """Return a study's folder next to a secret file that links can reach."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "data.csv").write_text("sex,illness\nMale,flu\nFemale,cold\n")
    for name in ("secret.csv", "inside.csv"):
        (tmp_path / name).write_text("secret,other\n4711,1\n")
    (tmp_path / "in" / "link.csv").symlink_to(tmp_path / "secret.csv")
    return tmp_path


@pytest.mark.parametrize(
    "function",
    [
        "read_csv('/etc/passwd')",
        "read_text('/proc/self/environ')",
        "read_blob('{out}/secret.csv')",
        "read_csv('{out}/in/../secret.csv')",
        "read_csv('{out}/in/link.csv')",
        "read_csv('{out}/in*.csv')",
        "read_csv(['{out}/in/data.csv', '{out}/secret.csv'])",
        "glob('/etc/*')",
        "glob('{out}/*')",
        "query('FROM read_csv(''/etc/passwd'')')",
        "read_csv('https://example.org/x.csv')",
    ],
)
def test_a_query_of_a_study_reads_no_file_outside_its_folder(places, function):
    (places / "in" / "study.yaml").write_text(QUERY.format(function.format(out=places)))
    with pytest.raises(BadInput, match="outside the folder of its study") as caught:
        Study.open(places / "in" / "study.yaml").read()
    assert "4711" not in str(caught.value) and "root" not in str(caught.value)


def test_a_query_of_a_study_reads_files_next_to_it(places):
    for folder in (places / "in", places / "it's"):
        folder.mkdir(exist_ok=True)
        (folder / "data.csv").write_text("sex,illness\nMale,flu\nFemale,cold\n")
        text = QUERY.format("read_csv('" + str(folder / "data.csv").replace("'", "''") + "')")
        assert Study.from_yaml(text, folder, confined=True).read().records == 2


@pytest.mark.parametrize("name", ["../secret.csv", "link.csv", "/etc/passwd", "{out}/secret.csv", "a/../../secret.csv"])
def test_an_untrusted_study_names_no_file_outside_its_folder(places, name):
    name = name.format(out=places)
    for text in (f"data: {{path: {name}}}", f"hierarchies: {{sex: {{csv: {name}}}}}"):
        with pytest.raises(BadInput, match="outside the folder of the study"):
            Study.from_yaml(text, places / "in", confined=True)
        assert Study.from_yaml(text, places / "in").to_dict()  # the analyst's own study may
    with pytest.raises(BadInput, match="outside the folder"):
        Study.from_yaml('data: {path: "a\\0b"}', places / "in", confined=True)


def test_an_untrusted_study_names_files_in_its_folder(places):
    for name in ("data.csv", f"{places}/in/data.csv"):
        assert Study.from_yaml(f"data: {{path: {name}}}", places / "in", confined=True).read().records == 2


def test_an_endless_file_is_not_a_study():
    with pytest.raises(BadInput, match="longer than"):
        Study.open("/dev/zero")


def test_given_data_are_required_again_on_opening():
    with pytest.raises(BadInput, match="pass them again"):
        Study(data={"given": "frame"}).read()


def test_a_hierarchy_file_is_next_to_the_study(tmp_path):
    (tmp_path / "sex.csv").write_text("Female;person\nMale;person\n")
    (tmp_path / "data.csv").write_text("sex,illness\nMale,flu\nFemale,flu\nMale,cold\n")
    text = "data: {path: data.csv}\nroles: {quasi: [sex], sensitive: illness}\nhierarchies: {sex: {csv: sex.csv}}\n"
    (tmp_path / "study.yaml").write_text(text)
    study = Study.open(tmp_path / "study.yaml")
    assert study.table(study.read()).columns["sex"].hierarchy.levels[0].labels == ("person",)


def test_dropped_columns_are_in_the_file_and_in_no_release():
    study = Study(data={"given": "x"}, quasi=("age",), sensitive=("ill",), identifiers=("name",), dropped=("ward",))
    assert Study.from_yaml(study.to_yaml()).to_dict() == study.to_dict()
    frame = pd.DataFrame({"name": ["a", "b"], "age": [1, 2], "ill": ["x", "y"], "ward": ["A", "B"], "note": ["c", "d"]})
    table = study.table(study.read(frame))
    assert table.names == ["age", "ill", "note"] and table.neutral == ("note",)
    with pytest.raises(BadInput, match="roles"):
        Study.from_yaml("data: {given: x}\nroles: {quasi: [a], left: [b]}\n")


def test_records_with_missing_values_are_dropped_after_identifiers():
    frame_of = "name,age,illness\nAnn,30,flu\n,31,cold\nBob,,flu\nEve,33,cold\n"
    study = Study(
        data={"given": "x", "drop_missing": True}, quasi=("age",), sensitive=("illness",), identifiers=("name",)
    )
    import io

    import pandas as pd

    base = Table.without_roles(pd.read_csv(io.StringIO(frame_of)))
    assert study.table(base).records == 3
    assert study.with_(identifiers=()).table(base).records == 2


def test_a_study_may_select_a_part_of_the_data(tmp_path):
    rows = ["Mexico,30,flu,x", "Mexico,31,cold,", "Peru,30,flu,y", "Peru,44,flu,z", "Mexico,30,cold,"]
    (tmp_path / "data.csv").write_text("country,age,illness,note\n" + "\n".join(rows) + "\n")
    text = (
        "data: {path: data.csv, only: {country: Mexico}}\n"
        "roles: {quasi: [age], sensitive: illness, identifiers: [country]}\n"
    )
    study = Study.from_yaml(text, tmp_path)
    table = study.table(study.read())
    assert table.records == 3 and table.names == ["age", "illness", "note"]
    assert study.with_(data={**study.data, "only": {"country": "Mexico", "age": 30}}).table(study.read()).records == 2
    only = {"country": "Mexico"}
    directly = Table.read(tmp_path / "data.csv", ["age"], "illness", ["country"], only=only, regions={})
    assert fingerprint(directly) == fingerprint(table)
    for only, says in (({"country": "Chile"}, "'country'"), ({"town": "x"}, "no column 'town'")):
        with pytest.raises(BadInput, match=says) as caught:
            Table.without_roles(tmp_path / "data.csv").only(only)
        assert "Mexico" not in str(caught.value) and "Chile" not in str(caught.value)
    with pytest.raises(BadInput, match="all of the values"):
        Table.without_roles(tmp_path / "data.csv").only({"country": "Peru", "age": 31})


def test_an_empty_column_of_a_part_is_dropped(tmp_path):
    (tmp_path / "data.csv").write_text("country,age,note\nMexico,30,\nMexico,31,\nPeru,30,y\n")
    assert Table.without_roles(tmp_path / "data.csv").only({"country": "Mexico"}).names == ["country", "age"]


def test_the_file_names_the_version_that_wrote_it():
    study = Study.from_yaml(TEXT)
    assert "versions:" in study.to_yaml() and "versions" not in study.to_dict()
    with pytest.raises(BadInput, match="line 2: the file was written by a newer workbench"):
        Study.from_yaml("study: x\nversions: {format: 2}")


def test_errors_of_opening_name_the_file_and_the_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.yaml").write_text(TEXT.replace("k: [10, 50]", "k: [10, 0.5]"))
    with pytest.raises(BadInput, match=r"^my\.yaml, line 9: k-anonymity: k = 0\.5 must be a whole number$"):
        Study.open("my.yaml")


def test_the_documented_study_is_valid_and_every_key_is_documented():
    text = (Path(__file__).parents[2] / "docs" / "study.md").read_text()
    example = text.split("```yaml\n")[1].split("```")[0]
    assert len(Study.from_yaml(example).candidates()) == 5
    for key in (*Study.from_yaml(example).to_dict(), *ROLES, *FROM, *CHOICES, *FILE, "versions"):
        assert key in text


def test_a_study_has_titles_of_columns_and_records():
    study = Study.from_yaml(TEXT + "titles: {race: origin}\nrecord: [visit, visits]\n")
    assert study.wording == Wording({"race": "origin"}, "visit", "visits")
    assert Study.from_yaml(study.to_yaml()) == study
    assert "record" not in Study.from_yaml(TEXT).to_yaml()


@pytest.mark.parametrize(
    "line, says",
    [
        ("titles: {race: [1]}", "must be text"),
        ("harmful: {race: [x]}", "is not a sensitive column"),
        ("harmful: {occupation: x}", "must be a list of values as text"),
        ("titles: {race: ' '}", "race is empty"),
        ("titles: {race: a, sex: a}", "two columns are called 'a'"),
        ("record: visit", "[visit, visits]"),
        ("record: [visit, '']", "[visit, visits]"),
    ],
)
def test_errors_in_titles_are_reported_with_their_line(line, says):
    with pytest.raises(BadInput, match=re.escape(says)) as caught:
        Study.from_yaml(TEXT + line + "\n")
    assert f"line {len(TEXT.splitlines()) + 1}" in str(caught.value)


def test_a_weight_is_one_column_and_in_no_release():
    text = "study: s\ndata: {given: x}\nroles: {quasi: [age], sensitive: [ill], weight: stands_for}\n"
    study = Study.from_yaml(text)
    assert study.weight == ("stands_for",) and "weight: stands_for\n" in study.to_yaml()
    assert Study.from_yaml(study.to_yaml()) == study
    frame = pd.DataFrame({"age": [1, 2, 3], "ill": list("xyx"), "stands_for": [5, 6.5, 0]})
    table = study.table(Table.without_roles(frame))
    assert table.weight == "stands_for" and table.neutral == () and weights.people(table).sum() == 11.5
    with pytest.raises(BadInput, match=r"line 3: .*several columns"):
        Study.from_yaml(text.replace("stands_for", "[a, b]"))


def test_a_study_names_the_file_of_its_population(tmp_path):
    (tmp_path / "ill.csv").write_text("age,ill\n1,x\n2,y\n2,x\n")
    (tmp_path / "all.csv").write_text("name,age\na,1\nb,2\nc,2\nd,2\ne,3\n")
    text = "data: {path: ill.csv}\nroles: {quasi: [age], sensitive: ill}\npopulation: {csv: all.csv}\n"
    study = Study.from_yaml(text, tmp_path, confined=True)
    base = study.read()
    table = study.table(base)
    assert table.population.records == 5 and table.origin.population is study.table(base).origin.population
    assert study.to_dict()["population"] == {"csv": "all.csv"} and tmp_path / "all.csv" in files_read(study)
    assert fingerprint(table) != fingerprint(study.with_(population={}).table(base))
    for wrong, said in (
        ("{csv: ../all.csv}", "outside the folder"),
        ("{path: all.csv}", "has no 'path'"),
        ("{}", "population names the file"),
        ("[all.csv]", "must be a mapping"),
        ("{csv: 5}", "must be text"),
    ):
        with pytest.raises(BadInput, match=said):
            Study.from_yaml(text.replace("{csv: all.csv}", wrong), tmp_path, confined=True)
    with pytest.raises(BadInput, match=r"none\.csv"):
        study.with_(population={"csv": "none.csv"}).table(study.read())


def test_workloads_are_in_the_table_and_in_the_file(tmp_path):
    (tmp_path / "ill.csv").write_text("age,ill\n1,x\n2,y\n2,x\n")
    (tmp_path / "log.sql").write_text("age >= 2\n")
    text = "data: {path: ill.csv}\nroles: {quasi: [age], sensitive: ill}\nworkloads:\n  log: {file: log.sql}\n"
    text += "  by hand: [age = 1, avg(age)]\n  many: {random: {count: 9, dimension: 1}}\n"
    study = Study.from_yaml(text, tmp_path)
    assert Study.from_yaml(study.to_yaml(), tmp_path) == study
    table = study.table(study.read())
    answers = [Workload.named(table, name).truth.tolist() for name in ("log", "by hand")]
    assert answers == [[2], [1, 5 / 3]] and len(Workload.named(table, "many")) == 9
    assert study.to_dict()["workloads"]["log"] == {"file": "log.sql"}


def test_a_study_of_a_sample_requests_intervals_by_default():
    text = "study: Some\ndata: {bundled: adult, sample: 200}\nroles: {quasi: [age], sensitive: [sex]}\n"
    study = Study.from_yaml(text)
    assert study.intervals == {"over": "records"} == Study.from_yaml(study.to_yaml()).intervals
    assert Study.from_yaml(text + "intervals: {over: seeds}").intervals == {"over": "seeds"}
    without = Study.from_yaml(text + "intervals: {}")
    assert without.intervals == {} == Study.from_yaml(without.to_yaml()).intervals
    assert with_data(without, {**without.data, "sample": 100}).intervals == {}, "an explicit choice has priority"
    whole = Study.from_yaml(text.replace(", sample: 200", ""))
    assert whole.intervals == {} and with_data(whole, study.data).intervals == {"over": "records"}
    base = study.read()
    table = study.table(base)
    assert str(table.origin.sampled) == "a random sample of 200 of 48,842 records" and table.engine.in_memory
    assert records_of_study(study.with_(quasi=("age", "race")), base) is records_of_study(study, base), "drawn once"
    assert records_of_study(study.with_(data={**study.data, "sample": 100}), base).records == 100
    assert records_of_study(study.with_(identifiers=("race",)), base).names == [n for n in base.names if n != "race"]


@pytest.mark.parametrize("sample", ["0", "-3", "yes", "1.5", "[3]"])
def test_an_invalid_sample_size_is_refused_before_reading(sample):
    with pytest.raises(BadInput, match=r"data: sample = .* must be a whole number, 1 or above"):
        Study.from_yaml(f"data: {{path: nothing.csv, sample: {sample}}}")


def test_folders_and_spark_files_are_relative_to_the_study(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "people.csv").write_text("age,ill\n" + "30,flu\n41,gout\n" * 20)
    data = {"path": "people.csv", "engine": "duckdb", "temp_directory": "disk"}
    table = Study.from_dict({"study": "x", "data": data, "roles": {"quasi": ["age"]}}, tmp_path).read()
    assert [*(tmp_path / "disk").glob("workbench-*/records.db")] and table.records == 40
    spark = Study(data={"spark": f"parquet.`{tmp_path}/in.parquet`", "remote": "sc://host"})
    assert tmp_path / "in.parquet" in files_read(spark)


def test_data_may_be_just_a_path(tmp_path):
    (tmp_path / "people.csv").write_text("age,ill\n31,flu\n42,cold\n")
    study = Study.from_yaml("data: people.csv\nroles: {quasi: [age]}\n", tmp_path)
    assert study.data == {"path": "people.csv"} and study.read().records == 2
    with pytest.raises(BadInput, match="lies outside the folder of the study"):
        Study.from_yaml("data: ../people.csv\n", tmp_path, confined=True)
