"""English words in column names, by concept, and how names are split into words.

`word*` also matches every word that begins with it, `*word` every word that ends with it. Plurals match.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

# --- direct identifiers
CONTACTS = (
    "address", "email", "firstname", "forename", "fullname", "iban", "lastname", "mail", "passport", "phone", "ssn",
    "surname", "telephone", "username",
)  # fmt: skip
PEOPLE = (  # next to "name": the person or the part of the name
    "client", "customer", "employee", "family", "first", "full", "given", "last", "maiden", "member", "middle",
    "participant", "patient", "person", "student", "user",
)  # fmt: skip
NUMBERS = (  # identify a person, a household or a record
    "guid", "hhid", "hid", "id", "identifier", "idno", "iid", "mrn", "pid", "rowid", "rowname", "serial", "uid", "uuid",
)  # fmt: skip
NUMBERED = (  # things with a number of their own
    "account", "application", "card", "case", "certificate", "claim", "client", "customer", "file", "household",
    "invoice", "license", "member", "order", "participant", "patient", "person", "policy", "record", "reference",
    "respondent", "row", "serial", "student", "subject", "ticket", "visit",
)  # fmt: skip
NUMBER = ("no", "nr", "num", "number")

# --- the survey
WEIGHTS = ("fnlwgt", "pweight", "sampwt", "weight", "wgt", "wt")
SURVEY = ("design", "expansion", "final", "household", "person", "raking", "sample", "sampling", "survey")
BODY = ("baby", "birth", "body", "gram", "kg", "lb")
DESIGN = ("cpsum", "cstratm", "psu", "repwt", "sdmvpsu", "sdmvstra", "secu", "strata", "stratum")
TEXT = ("comment", "narrative", "note", "remark")

# --- sensitive attributes
DIAGNOSES = ("comorbid*", "diag", "diagnos*", "dx", "icd")
TREATMENTS = (
    "atc", "cpt", "drg", "drug", "hcpcs", "medication", "medicine", "ndc", "operation", "prescri*", "procedure",
    "surgery", "surgical", "therap*", "treatment",
)  # fmt: skip
DISEASES = (
    "aids", "alzheimer*", "anaemia", "anemia", "anxiety", "arthritis", "asthma", "cancer", "carcinoma", "copd", "covid",
    "dementia", "depress*", "diabet*", "epilep*", "flu", "hepatitis", "hiv", "hypertension", "infarct*", "infection",
    "leukemia", "migraine", "obes*", "osteoporosis", "parkinson*", "psychosis", "schizophren*", "sepsis", "stroke",
    "syphilis", "tuberculosis", "tumor", "tumour", "ulcer*",
)  # fmt: skip
HEALTH = (
    "addict*", "adverse", "alcohol*", "allerg*", "apgar", "blind", "bmi", "bp", "chronic", "clinical", "cough",
    "dead", "deaf", "death", "deceased", "died", "disab*", "disease", "disorder", "dose", "drink", "drinking",
    "fatal*", "fever", "genetic", "genome", "gestation", "handicap*", "health", "healthy", "hearing", "hosp",
    "hospital*", "ill", "illness", "inj", "injur*", "lesion", "mental", "miscarriage", "mortality",
    "pain", "pregnan*", "relapse", "remission", "severity", "sick", "sickness", "smoke", "smoker", "smoking",
    "substance", "suicid*", "survived", "symptom", "tobacco", "toxicity", "vaccin*", "viral", "vision",
)  # fmt: skip
MEASURED = (  # by a doctor or a laboratory
    "albumin", "bilirubin", "biopsy", "blood", "chol", "cholesterol", "creatinine", "diastolic", "ecg",
    "edema", "glucose", "haemoglobin", "heartrate", "hemoglobin", "insulin", "lab", "platelet", "plasma", "pulse",
    "serum", "sodium", "stage", "systolic", "triglyceride", "urine",
)  # fmt: skip
HEALTH_IN_VALUES = (
    "acute", "chronic", "diagnos*", "flare*", "illness", "injur*", "postop*", "prevent*", "surgery", "surgical",
    "symptom*",
)  # fmt: skip
SEXUALITY = (
    "abortion", "affair", "contracepti*", "gay", "homosexual*", "infidelity", "intercourse", "lesbian", "lgbt",
    "orientation", "sexual*", "std",
)  # fmt: skip
BELIEFS = ("belief", "church", "faith", "relig", "religio*")
POLITICS = ("ideolog*", "party", "politic*", "union", "vote", "voted", "voter")
OPINIONS = ("attitude", "happiness", "happy", "opinion", "rating", "satisfaction", "satisfied", "trust")
CRIMES = (
    "abuse", "arrest", "arrested", "assault", "bail", "bully*", "citation", "convict*", "crime", "criminal",
    "custody", "felon", "felony", "fraud", "guilty", "harass*", "homicide", "incarcerat*", "jail", "misdemeanor",
    "murder", "offence", "offender", "offense", "parole", "prison*", "probation", "rape", "recidiv*",
    "robbery", "search", "searched", "sentence", "theft", "verdict", "victim", "violation", "violent", "warrant",
    "weapon",
)  # fmt: skip
CHARGES = ("charge", "charged")  # crimes if they are text, amounts if they are numbers
MONEY = (
    "arrears", "asset", "bankrupt*", "benefit", "credit", "debt", "debtor", "default", "defaulted", "delinquen*",
    "earning", "earnings", "foreclos*", "gambl*", "income", "loan", "mortgage", "overdraft", "pension", "poverty",
    "salary", "saving", "stipend", "subsidy", "wage", "wealth", "welfare",
)  # fmt: skip
HISTORIES = ("*hist", "history")  # credit, illness or crime
DECISIONS = ("approved", "denied", "deny", "enrolled", "purchased", "rejected", "takeup", "uptake")
SCORES = (
    "dropout", "exam", "failed", "gpa", "iq", "math", "mathematics", "passed", "reading", "retained",
    "score",
)  # fmt: skip
OUTCOMES = (
    "attrition", "churn", "dismissed", "fired", "hired", "outcome", "result", "status", "success",
)  # fmt: skip

# --- quasi-identifiers
AGES = ("age", "aged")
BIRTHS = ("birth", "birthday", "birthyear", "born", "dob")
TRAITS = (
    "ancestry", "asian", "birthplace", "black", "caste", "caucasian", "citizen*", "ethnic*", "female", "foreign",
    "foreigner", "gender", "hispanic", "immigrant", "lang", "language", "latino", "male", "nation", "nationality",
    "native", "origin", "race", "sex", "tribe", "veteran", "white",
)  # fmt: skip
VISIBLE = ("eye", "hair", "height", "stature", "weight", "wgt", "wt")
HOUSEHOLDS = (
    "child", "children", "civil", "cohabiting", "couple", "dependent", "dependents", "divorced", "family",
    "father", "hh", "household", "husband", "kid", "kids", "marital", "marriage", "married", "marstat", "mother",
    "parent", "parity", "partner", "relation", "relationship", "sibling", "single", "spouse", "widow",
    "widowed", "wife",
)  # fmt: skip
EDUCATION = (
    "college", "degree", "edu", "educ", "education", "grade", "graduate", "graduated", "literacy", "literate",
    "pupil", "qualification", "school", "schooling", "student", "university",
)  # fmt: skip
OCCUPATIONS = ("occupation",)
WORK = (
    "company", "contract", "department", "emp", "empl", "employed", "employee", "employer", "employment",
    "experience", "industry", "job", "labor", "labour", "manager", "military", "position", "profession", "rank",
    "retired", "self", "seniority", "tenure", "unemp", "unemployed", "unemployment", "veteran", "work", "workclass",
    "worker", "working",
)  # fmt: skip
POSTAL = ("plz", "postal", "postcode", "zip", "zipcode")
EXACT_PLACES = ("gps", "lat", "latitude", "lng", "lon", "long", "longitude")
PLACES = (
    "*area", "block", "borough", "canton", "cbsa", "census", "city", "clinic", "commune", "country", "county",
    "district", "facility", "fips", "location", "metro", "metropolitan", "msa", "municipal*", "neighborhood",
    "neighbourhood", "parish", "precinct", "province", "region", "residence", "rural", "site", "state", "street",
    "suburb", "town", "tract", "urban", "village", "ward", "zone",
)  # fmt: skip
HOMES = (
    "condo", "condomin*", "dwelling", "home", "house", "housing", "owner", "property", "rent", "renter", "tenant",
    "vehicle", "veh",
)  # fmt: skip
TIMES = ("admission", "admitted", "date", "datetime", "discharge", "month", "quarter", "season", "visit", "year", "yr")
INSURANCES = ("insurance", "insured", "insurer", "medicaid", "medicare", "payer", "payor")

# --- neither
RATES = ("average", "mean", "median", "pct", "percent", "proportion", "rate", "ratio", "share")
HABITS = ("diet", "exercise", "helmet", "hobby", "leisure", "sleep", "sport", "training", "tv")
DURATIONS = ("days", "duration", "elapsed", "followup", "hours", "minutes", "months", "weeks")
AMOUNTS = (
    "amount", "amt", "balance", "bill", "budget", "charge", "cost", "expend", "expense", "expenditure", "fee", "fees",
    "paid", "payment", "price", "profit", "revenue", "sales", "spending", "tax", "taxes", "turnover", "value",
)  # fmt: skip
INSTITUTIONS = (  # their numbers identify a place or a thing, not a person
    *PLACES, *DIAGNOSES, *TREATMENTS, "college", "company", "employer", "hospital*", "industry", "item", "occupation",
    "product", "race", "school", "store", "university",
)  # fmt: skip
ORGANIZATIONS = ("agency", "business", "enterprise", "establishment", "firm", "merchant", "supplier", "utility")
PLAIN = ("learning",)  # looks like a compound, but is none
SPLIT = (  # parts of compounds without a meaning of their own
    "cat", "code", "count", "desc", "flag", "group", "grp", "ind", "name", "occ", "qtr", "qrtr", "rate",
    "respondent", "size", "type", "veh", "year", "years", "yrs",
)  # fmt: skip
PREFIXED = 5  # minimum length of a known word that one letter may precede: meducation (mother's education)
SUFFIXED, SUFFIX = 4, 3  # letters of a known word at least, and of what follows at most: yearacc


def words_in(name: str) -> list[str]:
    """Return the words in a column name; compounds of known words are split: `caseid` is `case` and `id`."""
    found = re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower())
    return [part for word in found for part in _parts(word)]


def has_word(name: str, words: Sequence[str]) -> bool:
    """Return whether a column name contains one of these words."""
    return any(_matches(one, word) for one in words_in(name) for word in words)


def _matches(one: str, word: str) -> bool:
    if word.endswith("*"):
        return one.startswith(word[:-1])
    return one.endswith(word[1:]) if word.startswith("*") else one in (word, f"{word}s")


@cache
def _parts(word: str) -> tuple[str, ...]:
    """Return the known words that form a compound; the word itself if it is known or cannot be split."""
    known = _vocabulary()
    if word in known or (word.endswith("s") and word[:-1] in known):
        return (word,)
    if split := next(_splits(word), None):
        return split
    if word[1:] in known and len(word) > PREFIXED:
        return (word[1:],)
    ends = range(len(word) - 1, max(SUFFIXED, len(word) - SUFFIX) - 1, -1)
    return next(((word[:end],) for end in ends if word[:end] in known), (word,))


def _splits(word: str) -> Iterator[tuple[str, ...]]:
    """Yield the ways to split a word into known words, the longest first word first."""
    if not word:
        yield ()
    for end in range(len(word), 1, -1):
        if word[:end] in _vocabulary():
            yield from ((word[:end], *rest) for rest in _splits(word[end:]))


@cache
def _vocabulary() -> frozenset[str]:
    """Return every word of the concepts above."""
    lists = [words for name, words in globals().items() if name.isupper() and isinstance(words, tuple)]
    return frozenset(word.strip("*") for words in lists for word in words)
