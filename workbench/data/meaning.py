"""What a column is about, told from its name and the form of its values: a diagnosis, a survey weight, a zip code."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from workbench.data.column import Column

SHORT, HALF = 50, 0.5  # values of a column whose words are read, and the share of records that have such a word
MOST = 0.9  # share of the records that have a form, so that it is the column's
NAMING = (
    "address", "email", "firstname", "forename", "fullname", "iban", "lastname", "mail", "passport", "phone", "ssn",
    "surname", "telephone", "username",
)  # fmt: skip
PERSON = (  # whose name or which of the names it is, where a column is called a name
    "client", "customer", "employee", "family", "first", "full", "given", "last", "maiden", "member", "middle",
    "participant", "patient", "person", "student", "user",
)  # fmt: skip
POSTAL = ("plz", "postal", "postcode", "zip", "zipcode")
KNOWN = (
    "admission", "admitted", "age", "birth", "birthplace", "born", "citizen", "city", "company", "country", "county",
    "date", "discharge", "district", "education", "employer", "ethnic", "ethnicity", "gender", "household",
    "language", "marital", "metropolitan", "month", "municipal", "nationality", "province", "race", "region",
    "relationship", "school", "sex", "state", "town", "urban", "workclass",
)  # fmt: skip
DISEASES = (
    "aids", "alzheimer", "anaemia", "anemia", "anxiety", "arthritis", "asthma", "cancer", "carcinoma", "copd", "covid",
    "dementia", "depression", "diabetes", "diabetic", "epilepsy", "hepatitis", "hiv", "hypertension", "infarct",
    "leukemia", "migraine", "obesity", "osteoporosis", "parkinson", "psychosis", "schizophren", "sepsis", "stroke",
    "syphilis", "tuberculosis", "tumor", "tumour", "ulcer",
)  # fmt: skip
HEALTH = (
    "addict", "alcohol", "allerg", "bmi", "cholesterol", "chronic", "disab", "disease", "disorder", "genetic",
    "genome", "glucose", "health", "illness", "mental", "pregnan", "sexual", "sickness", "smoker", "smoking", "symptom",
    "tobacco", "vaccin", "viral",
)  # fmt: skip
TREATED = (
    "atc", "cpt", "drg", "drug", "drugs", "hcpcs", "medication", "medicine", "ndc", "operation", "prescri",
    "procedure", "surgery", "surgical", "therap", "treatment",
)  # fmt: skip
HEALTH_SAID = (  # begins a word in the values of a column about health
    "acute", "chronic", "diagnos", "flare", "illness", "injur", "postop", "prevent", "surgery", "surgical", "symptom",
)  # fmt: skip
MONEY = ("debt", "debts", "earning", "income", "pension", "salary", "wage", "wages", "wealth")
ICD_9, ICD_10 = r"(\d{3}|V\d\d|E\d{3})\.?\d{0,2}-*", r"[A-TV-Z]\d[\dA-Z]\.?[\dA-Z]{0,4}-*"
HCPCS, ATC = r"[A-Z]\d{4}", r"[A-Z]\d\d[A-Z]{2}\d\d"
POSTCODES = r"[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d|\d{5}-\d{4}"  # British, Canadian, American
EMAIL, SOCIAL_SECURITY, INTERNET = r"[^@\s]+@[^@\s]+\.[a-zA-Z]+", r"\d{3}-\d\d-\d{4}", r"(\d{1,3}\.){3}\d{1,3}"
UUID = r"[\da-fA-F]{8}(-[\da-fA-F]{4}){3}-[\da-fA-F]{12}"
ADDRESSES = "|".join((EMAIL, SOCIAL_SECURITY, INTERNET, UUID))


@dataclass(frozen=True)
class Meaning:
    """What a column is about, the role that follows, and why; the words in its name, and a form of its values.

    A form alone tells it; a word tells it where `fits` does not object.
    """

    what: str
    role: str
    why: str
    words: Sequence[str] = ()
    form: Callable[[Column], bool] | None = None
    fits: Callable[[Column], bool] | None = None

    def told(self, column: Column) -> str:
        """By what it is told that the column is this: its name, its values; nothing if it is not."""
        if says(column.name, self.words) and (self.fits is None or self.fits(column)):
            return "name"
        return "values" if self.form is not None and self.form(column) else ""


def meaning_of(column: Column) -> tuple[Meaning, str] | None:
    """The first meaning that fits, and by what it is told."""
    return next(((one, by) for one in MEANINGS if (by := one.told(column))), None)


def says(name: str, words: Sequence[str]) -> bool:
    """Whether a word in the name of a column is one of these, or begins like one of at least five letters."""
    return any(one == word or (len(word) >= 5 and one.startswith(word)) for one in words_in(name) for word in words)


def words_in(name: str) -> list[str]:
    """The words in the name of a column."""
    return re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower())


# --- forms


def _share(column: Column, holds: Callable[[str], object]) -> float:
    """The share of the records with a value that has a form; of text alone."""
    if column.kind != "text" or not len(column.labels):
        return 0.0
    held = np.array([bool(holds(label)) for label in column.labels])
    return float(column.counts[held].sum() / max(column.counts.sum(), 1))


def _like(pattern: str, column: Column) -> bool:
    return _share(column, re.compile(pattern).fullmatch) >= MOST


def _diagnoses(column: Column) -> bool:
    """Codes of the ICD, of the ninth edition with some of its V and E codes, or of the tenth with many chapters."""
    if len(column.labels) < 20 or not _like(f"{ICD_9}|{ICD_10}", column):
        return False
    letters = {label[0] for label in column.labels if label[:1].isalpha()}
    return len(letters) >= 5 or bool(letters & {"V", "E"} and any(label[:1].isdigit() for label in column.labels))


def _procedures(column: Column) -> bool:
    return len(column.labels) >= 20 and (_like(HCPCS, column) or _like(ATC, column))


def _prose(column: Column) -> bool:
    """Several words, and hardly any value twice."""
    many = len(column.labels) > 0.3 * column.counts.sum()
    return many and _share(column, lambda label: label.count(" ") >= 3 and len(label) >= 20) >= 0.5


def _of_health(column: Column) -> bool:
    """A few values that speak of health, such as why somebody went to a doctor."""
    return len(column.labels) <= SHORT and _share(column, lambda label: says(label, HEALTH_SAID)) >= HALF


def _names_people(column: Column) -> bool:
    """A "name" may also be a country's."""
    others = [word for word in words_in(column.name) if word != "name"]
    named = len(others) < len(words_in(column.name))
    return named and column.kind == "text" and all(word in PERSON or len(word) == 1 for word in others)


def _weighs_many(column: Column) -> bool:
    """How many people a record stands for, in thousands or around one; people's own weight lies between."""
    if column.kind != "number" or says(column.name, ("birth", "body", "baby", "gram", "grams", "kg", "lb", "lbs")):
        return False
    middle = float(column.values[np.searchsorted(np.cumsum(column.counts), column.counts.sum() / 2)])
    return middle >= 1000 or (column.values.dtype.kind == "f" and 0.2 <= middle <= 5)


def _many(column: Column) -> bool:
    return column.kind == "text" and len(column.labels) > 20


def _dates(column: Column) -> bool:
    """Days, or years."""
    numbers = column.kind == "number" and len(column.values)
    return column.kind == "date" or bool(numbers and column.values[0] >= 1800 and column.values[-1] <= 2100)


def _text(column: Column) -> bool:
    return column.kind == "text"


DIRECT, SECRET = "it tells directly who somebody is", "it must not be learnt"
MEANINGS = (
    Meaning("a person's name", "identifier", DIRECT, ("name",), None, _names_people),
    Meaning("a name or an address", "identifier", DIRECT, NAMING, partial(_like, ADDRESSES)),
    Meaning("free text", "dropped", "it may say anything about a person",
            ("comment", "comments", "narrative", "note", "notes", "remark"), _prose, _many),
    Meaning("a place to the metre", "dropped", "it tells where somebody is",
            ("gps", "lat", "latitude", "lng", "lon", "longitude")),
    Meaning("a survey weight", "weight",
            "it says how many people a record stands for, and is not published",
            ("fnlwgt", "pweight", "sampwt", "weight", "weights", "wgt", "wt"), None, _weighs_many),
    Meaning("a part of a survey's design", "dropped", "it tells where somebody was drawn",
            ("cpsum", "cstratm", "psu", "repwt", "sdmvpsu", "sdmvstra", "secu", "strata", "stratum")),
    Meaning("a diagnosis", "sensitive", SECRET, ("comorbid", "diag", "diagnos", "dx", "icd"), _diagnoses),
    Meaning("a treatment", "sensitive", SECRET, TREATED, _procedures),
    Meaning("a disease", "sensitive", SECRET, DISEASES),
    Meaning("health", "sensitive", SECRET, HEALTH, _of_health),
    Meaning("a belief", "sensitive", SECRET, ("belief", "church", "faith", "religio")),
    Meaning("politics", "sensitive", SECRET, ("party", "politic", "union", "vote", "voted", "voter"), None, _text),
    Meaning("a crime", "sensitive", SECRET,
            ("arrest", "conviction", "crime", "felony", "offence", "offense", "prison")),
    Meaning("money", "sensitive", SECRET, MONEY),
    Meaning("an occupation", "sensitive", SECRET, ("occupation",)),
    Meaning("a date of birth", "quasi", "many know it, and it singles out", ("birth", "birthday", "born", "dob"), None,
            _dates),
    Meaning("a postal code", "quasi", "many know it, and it singles out", POSTAL, partial(_like, POSTCODES)),
)  # fmt: skip
