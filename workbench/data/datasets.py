"""Data sets of the workbench: a bundled census, and two tables that are generated on request.

Adult: Becker, B. and Kohavi, R. (1996), UCI Machine Learning Repository, CC BY 4.0. An extract of the 1994 US census.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pc

from workbench.base.errors import BadInput
from workbench.base.package import DATA
from workbench.data.hierarchies.builders import Builder, Intervals, read_csv
from workbench.data.table import Table

Codes = Mapping[str, Mapping[str, str]]


def present(path: str | Path) -> Path:
    """Return the path of an existing text file. Raise BadInput otherwise."""
    found = Path(path)
    if not found.is_file():
        raise BadInput(f"{path}: not an existing file; check the path")
    if found.suffix.lower() in (".zip", ".exe"):
        raise BadInput(f"{path}: the file is compressed; unpack it, and use the text file in it")
    return found


def stripped(column: pd.Series) -> pd.Series:
    """Strip text; blank values are missing."""
    bare = column.str.strip()
    return bare.where(bare != "")


def spelled(column: pd.Series, meanings: Mapping[str, str], where: str, place: str) -> pd.Series:
    """Replace codes with their meanings."""
    found = stripped(column)
    unknown = found.notna() & ~found.isin(list(meanings))
    _refuse(unknown, where, f"{place} is an unknown code; add its meaning to codes")
    return found.map(meanings)


def numbers(column: pd.Series, where: str, place: str) -> pd.Series:
    """Parse digits as numbers, as integers if all are whole."""
    bare = stripped(column)
    found = pd.to_numeric(bare, errors="coerce")
    _refuse(bare.notna() & ~np.isfinite(found), where, f"{place} is not a number; check the format of the file")
    return found.astype("Int64") if (found.dropna() % 1 == 0).all() else found


def _refuse(wrong: pd.Series, where: str, what: str) -> None:
    if wrong.any():
        raise BadInput(f"{where}, line {int(wrong.to_numpy().argmax()) + 1:,}: {what}")


# The bulk file of contributions by individuals that the US Federal Election Commission publishes (`itcont.txt`).
#
# One line per contribution, 21 fields separated by vertical bars, no header, no quotes. The positions of the fields are
# those of the Commission's data dictionary. Lines with a memo code (field 19) repeat amounts of other lines.

FIELDS, COMMITTEE_FIELDS = 21, 15
# columns and their fields in a line, counted from 1; names and addresses are not read
PLACES = {"state": 10, "zip": 11, "employer": 12, "occupation": 13, "entity": 7, "amount": 15}
COMMITTEE, PARTY_OF_COMMITTEE = 1, 11  # field in both files; field in the file of committees
CODES = {
    "entity": {
        "CAN": "candidate",
        "CCM": "candidate committee",
        "COM": "committee",
        "IND": "individual",
        "ORG": "organization",
        "PAC": "political action committee",
        "PTY": "party organization",
    },
    "amendment": {"N": "new", "A": "amendment", "T": "termination"},
}


def read_contributions(
    path: str | Path,
    committees: str | Path | None = None,
    places: Mapping[str, int] | None = None,
    codes: Codes | None = None,
) -> pd.DataFrame:
    """Read contributions from an `itcont.txt`: state, zip (five digits), employer, occupation, entity, amount.

    Parameters
    ----------
    path
        The file of contributions.
    committees
        The file of committees of the same years (`cm.txt`). It adds the party (missing for unlisted committees).
    places
        Fields of further columns, or other fields of known columns: `{"date": 14, "amendment": 2}`.
    codes
        The meanings of the codes of a column.
    """
    found, meanings = {**PLACES, **(places or {})}, {**CODES, **(codes or {})}
    lines = _fields(present(path), FIELDS, {*found.values(), *((COMMITTEE,) if committees else ())})
    frame = pd.DataFrame()
    for name, place in found.items():
        where = f"field {place} ({name})"
        if name in meanings:
            frame[name] = spelled(lines[place], meanings[name], str(path), where)
        else:
            frame[name] = numbers(lines[place], str(path), where) if name == "amount" else stripped(lines[place])
    frame["zip"] = frame["zip"].str[:5]
    if committees is not None:
        committee_rows = _fields(present(committees), COMMITTEE_FIELDS, {COMMITTEE, PARTY_OF_COMMITTEE})
        parties = dict(zip(committee_rows[COMMITTEE], stripped(committee_rows[PARTY_OF_COMMITTEE]), strict=True))
        frame["party"] = lines[COMMITTEE].map(parties)
    return frame


def _fields(path: Path, width: int, wanted: set[int]) -> pd.DataFrame:
    """Read some fields of every line as text, by their positions."""
    for place in wanted:
        if place not in range(1, width + 1):
            raise BadInput(f"{path}: there is no field {place} in this format; use a number from 1 to {width}")
    wrong: list[str] = []

    def other(row: pc.InvalidRow) -> str:
        wrong.append(f"line {row.number:,} has {row.actual_columns} fields")
        return "error"

    names = [str(place) for place in range(1, width + 1)]
    chosen = sorted(wanted)
    try:
        table = pc.read_csv(
            path,
            pc.ReadOptions(use_threads=False, column_names=names, encoding="latin-1"),
            pc.ParseOptions(delimiter="|", quote_char=False, invalid_row_handler=other),
            pc.ConvertOptions(
                include_columns=[str(place) for place in chosen], column_types=dict.fromkeys(names, pa.string())
            ),
        )
    except (pa.ArrowInvalid, OSError):
        table = None
    if table is None:
        what = wrong[0] if wrong else "it cannot be read as lines of text"
        raise BadInput(f"{path}: {what}; in this format each line has {width} fields, separated by vertical bars")
    return table.rename_columns([str(place) for place in chosen]).to_pandas().set_axis(chosen, axis=1).fillna("")


# The fixed-width records of the US National Ambulatory Medical Care Survey of 1973: one line per visit, 80 characters.
#
# The positions here are those of the survey's documentation of 1973 that could be checked. For symptoms, race, region
# and treatment, which the records also have, give the positions of the documentation that comes with the file.

Span = tuple[int, int]  # first and last position in a line, counted from 1
POSITIONS: dict[str, Span] = {
    "visit_month": (1, 2),
    "visit_year": (3, 4),
    "birth_month": (5, 6),
    "birth_year": (7, 8),
    "sex": (9, 9),
    "diagnosis": (39, 42),  # the principal one, in ICDA-8
    "weight": (71, 80),
}
SURVEY_CODES = {"sex": {"1": "female", "2": "male"}}
MONTHS, YEARS = ("visit_month", "birth_month"), ("visit_year", "birth_year")
NUMBERS = (*MONTHS, *YEARS, "weight")


def read_visits(
    path: str | Path, positions: Mapping[str, Span] | None = None, codes: Codes | None = None
) -> pd.DataFrame:
    """Read visits from the survey's fixed-width records: month and year of visit and birth, sex, diagnosis, weight.

    `weight` is the number of visits that a record represents.

    Parameters
    ----------
    path
        The text file.
    positions
        First and last position of further columns, or of known columns in other years, counted from 1:
        `{"race": (10, 10)}`.
    codes
        The meanings of the codes of a column.
    """
    spans, meanings = {**POSITIONS, **(positions or {})}, {**SURVEY_CODES, **(codes or {})}
    for name, (first, last) in spans.items():
        if not 1 <= first <= last:
            raise BadInput(f"{name}: specify the first and the last position, counted from 1, such as (5, 6)")
    lines = pd.Series(present(path).read_text("latin-1").splitlines(), dtype=str)
    end = max(last for _, last in spans.values())
    short = lines.str.len() < end
    if lines.empty or short.any():
        at = f"line {int(short.to_numpy().argmax()) + 1:,} is shorter" if len(lines) else "it is empty"
        raise BadInput(f"{path}: {at}, but the positions need {end} characters per line; check the format of the file")
    frame = pd.DataFrame()
    for name, (first, last) in spans.items():
        text, place = lines.str[first - 1 : last], f"positions {first} to {last} ({name})"
        if name in meanings:
            frame[name] = spelled(text, meanings[name], str(path), place)
        else:
            frame[name] = numbers(text, str(path), place) if name in NUMBERS else stripped(text)
    for name in MONTHS:
        frame[name] = frame[name].where(frame[name].between(1, 12))  # 99: unknown
    return _full_years(frame)


def _full_years(frame: pd.DataFrame) -> pd.DataFrame:
    """Complete years of two digits: nobody is born after the visit."""
    for name in YEARS:
        frame[name] = frame[name].where(frame[name] > 99, frame[name] + 1900)
    before = frame["birth_year"] > frame["visit_year"]
    frame["birth_year"] = frame["birth_year"].where(~before, frame["birth_year"] - 100)
    return frame


# Generated visits to doctors, in the shape of the survey table of Srivastava & Weis (2005). No record is real.
#
# Their table is the US National Ambulatory Medical Care Survey of 1973: 29,102 visits, 9,678 combinations of month and
# year of birth, sex, race and region. Ages, sexes and the skew of diagnoses are those of the survey of 2011.

VISITS_NOTE = "These visits are generated: no record is real, and symptoms and diagnoses are arbitrary numbers."
YEAR = 1973
# number of visits by age, interpolated between AGES
AGES = (0, 1, 5, 15, 25, 35, 45, 55, 65, 75, 85, 96)
VISITS = (5.5, 3.3, 1.5, 1.7, 1.9, 1.6, 1.7, 1.8, 1.7, 1.2, 0.45, 0.01)
FEMALE = 0.6
OTHER = 0.075
REGIONS = {"NC": 0.28, "NE": 0.24, "S": 0.3, "W": 0.18}
SYMPTOMS = 190
DIAGNOSES = 700
SKEW = 0.95  # the exponent of Zipf's law, as measured for diagnoses
TYPICAL = 0.6  # share of visits whose diagnosis is one of the six that are typical of the symptom


def generate_visits(n: int, seed: int) -> pd.DataFrame:
    """Generate `n` visits: month and year of birth, sex, race, region, symptom, diagnosis and three yes/no columns."""
    world, draw = np.random.default_rng([seed, 0]), np.random.default_rng([seed, 1])
    age = _drawn(np.interp(np.arange(96), AGES, VISITS), n, draw)
    female = draw.random(n) < np.where((age > 15) & (age < 45), FEMALE + 0.1, FEMALE - 0.05)
    region = _drawn(np.array(list(REGIONS.values())), n, draw)
    other = draw.random(n) < OTHER * np.array([0.9, 0.8, 1.5, 0.6])[region] * np.where(age > 60, 0.7, 1.1)
    symptom, diagnosis = _illness(age, female, world, draw)
    fertile = female & (age > 14) & (age < 46)
    yes = np.array(["no", "yes"], dtype=object)
    return pd.DataFrame(
        {
            "birth_month": draw.integers(1, 13, n),
            "birth_year": YEAR - age,
            "sex": np.array(["M", "F"], dtype=object)[female.astype(int)],
            "race": np.array(["W", "O"], dtype=object)[other.astype(int)],
            "region": np.array(list(REGIONS), dtype=object)[region],
            "symptom": np.array([f"S{one:03d}" for one in range(SYMPTOMS)], dtype=object)[symptom],
            "diagnosis": np.array([f"D{one:03d}" for one in range(DIAGNOSES)], dtype=object)[diagnosis],
            "x_rayed": yes[(draw.random(n) < world.beta(0.2, 1.5, DIAGNOSES)[diagnosis]).astype(int)],
            "therapy": yes[(draw.random(n) < world.beta(0.15, 1.5, DIAGNOSES)[diagnosis]).astype(int)],
            "family_planning": yes[(draw.random(n) < np.where(fertile, 0.06, 0.001)).astype(int)],
        }
    )


def _drawn(weight: np.ndarray, n: int, draw: np.random.Generator) -> np.ndarray:
    return draw.choice(len(weight), n, p=weight / weight.sum())


def _illness(
    age: np.ndarray, female: np.ndarray, world: np.random.Generator, draw: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw symptoms by age group and sex; diagnoses by symptom, or by age group and sex as well."""
    group = 2 * np.searchsorted((15, 45, 65), age, side="right") + female
    symptom, diagnosis = np.empty(len(age), int), np.empty(len(age), int)
    for one in range(8):
        these = np.flatnonzero(group == one)
        for found, size in ((symptom, SYMPTOMS), (diagnosis, DIAGNOSES)):
            weight = (np.arange(size) + 1) ** -SKEW * np.exp(world.normal(0, 1, size))
            found[these] = _drawn(weight, len(these), draw)
    few = world.integers(0, DIAGNOSES, (SYMPTOMS, 6))
    typical = draw.random(len(age)) < TYPICAL
    pick = np.minimum(draw.geometric(0.4, len(age)) - 1, few.shape[1] - 1)
    return symptom, np.where(typical, few[symptom, pick], diagnosis)


# Generated donations to parties, in the shape of the table of Srivastava & Weis (2005). No record is real.
#
# The published figures of their table (277,274 donations, 164,649 combinations of state, zip and employer) determine
# how often donors give again. The skew of zips and employers, and how far an employer determines its state, are those
# of 372,629 real donations of 2008. Nothing else is derived from these: their 127,736 combinations are fewer, since
# their donors gave again more often.

DONATIONS_NOTE = "These donations are generated: no record is real, and zip codes and employers are invented."
# states in the order of their zip codes, with their populations in hundreds of thousands (public, about 2005)
STATES = {
    **{"PR": 39, "VI": 1, "MA": 64, "RI": 11, "NH": 13, "ME": 13, "VT": 6, "CT": 35, "NJ": 87, "NY": 193, "PA": 124},
    **{"DE": 8, "DC": 6, "MD": 56, "VA": 76, "WV": 18, "NC": 87, "SC": 43, "GA": 91, "FL": 178, "AL": 46, "TN": 60},
    **{"MS": 29, "KY": 42, "OH": 115, "IN": 63, "MI": 101, "IA": 30, "WI": 55, "MN": 51, "SD": 8, "ND": 6, "MT": 9},
    **{"IL": 128, "MO": 58, "KS": 27, "NE": 18, "LA": 45, "AR": 28, "OK": 35, "TX": 229, "CO": 47, "WY": 5, "ID": 14},
    **{"UT": 25, "AZ": 59, "NM": 19, "NV": 24, "CA": 361, "HI": 13, "GU": 2, "OR": 36, "WA": 63, "AK": 7},
}
ZIPS = 24_000  # some have no donor
ZIP_SKEW = 1.45  # standard deviation of the logarithm of a zip's share
# entries in place of an employer, with their shares of donors
OCCUPATIONS = {"RETIRED": 0.16, "SELF-EMPLOYED": 0.06, "HOMEMAKER": 0.03, "ATTORNEY": 0.02, "BUSINESS OWNER": 0.01}
EMPLOYERS = 200_000  # many have no donor
EMPLOYER_SKEW = 0.7  # exponent of Zipf's law
NEARLY_EQUAL = 5  # added to the ranks, so that the largest employers have similar sizes
GIVES_AGAIN = 0.03  # probability of one more donation by the same donor
AMOUNTS = {250: 21, 500: 18, 1000: 15, 200: 12, 300: 8, 2000: 5, 400: 4, 100: 4, 350: 2, 600: 2, 1500: 1, 5000: 1}
ODD_AMOUNTS = 0.08
SYLLABLES = [begin + end for begin in ("BA", "CO", "DE", "FE", "GA", "HO", "KI", "MA", "RO", "SU") for end in "LNR"]
KINDS = ("", " & SONS", " ASSOCIATES", " COLLEGE", " GROUP", " HOSPITAL", " INDUSTRIES", " PARTNERS")


@dataclass(frozen=True)
class Country:
    """Zips in the order of states, and employers by size; leans are the log odds of a donation to REP."""

    state: np.ndarray  # per zip
    codes: np.ndarray
    upto: np.ndarray  # cumulative shares of the zips among all people
    begins: np.ndarray  # per state, the cumulative share before its first zip
    home: np.ndarray  # zip of each employer
    employs: np.ndarray  # cumulative share of each employer
    names: np.ndarray  # of employers, then occupations
    zip_lean: np.ndarray
    employer_lean: np.ndarray


def generate_donations(n: int, seed: int) -> pd.DataFrame:
    """Generate `n` donations: state, zip, employer, party, amount. Each seed has its own zips and employers."""
    country = _country(np.random.default_rng([seed, 0]))
    draw = np.random.default_rng([seed, 1])
    donor = np.repeat(np.arange(n), draw.geometric(1 - GIVES_AGAIN, n))[:n]
    donors = int(donor[-1]) + 1
    employer = np.searchsorted(country.employs, draw.random(donors))
    lives = _lives(country, employer, draw)
    occupation = np.searchsorted(np.cumsum(list(OCCUPATIONS.values())), draw.random(donors))
    apart = occupation < len(OCCUPATIONS)
    lives[apart] = np.searchsorted(country.upto, draw.random(np.count_nonzero(apart)))
    lean = country.zip_lean[lives] + np.where(apart, 0, country.employer_lean[employer])
    republican = draw.random(donors) < 1 / (1 + np.exp(-lean))
    amount = np.where(draw.random(n) < 0.7, _amounts(donors, draw)[donor], _amounts(n, draw))
    order = draw.permutation(n)
    who = donor[order]
    return pd.DataFrame(
        {
            "state": np.array(list(STATES), dtype=object)[country.state[lives[who]]],
            "zip": country.codes[lives[who]],
            "employer": country.names[np.where(apart, EMPLOYERS + occupation, employer)[who]],
            "party": np.array(["DEM", "REP"], dtype=object)[republican[who].astype(int)],
            "amount": amount[order],
        }
    )


def _country(draw: np.random.Generator) -> Country:
    people = np.array(list(STATES.values()), float)
    counts = np.maximum(3, ZIPS * people**0.8 / np.sum(people**0.8)).astype(int)  # large states have larger zips
    counts[np.argmax(people)] += ZIPS - counts.sum()
    state = np.repeat(np.arange(len(people)), counts)
    share = np.exp(draw.normal(0, ZIP_SKEW, ZIPS))
    upto = _cumulative(share * (people / np.bincount(state, share))[state])
    begins = np.concatenate([[0], upto[np.cumsum(counts) - 1]])
    zip_lean = 0.4 + draw.normal(0, 0.6, len(people))[state] + draw.normal(0, 0.8, ZIPS)
    return Country(
        state,
        np.array([f"{number:05d}" for number in np.sort(draw.permutation(99_000)[:ZIPS]) + 600], dtype=object),
        upto,
        begins,
        np.searchsorted(upto, draw.random(EMPLOYERS)),
        _cumulative((np.arange(EMPLOYERS) + NEARLY_EQUAL) ** -EMPLOYER_SKEW),
        np.array([*_names(draw), *OCCUPATIONS], dtype=object),
        zip_lean,
        draw.normal(0, 1.5, EMPLOYERS),
    )


def _cumulative(weight: np.ndarray) -> np.ndarray:
    upto = np.cumsum(weight / weight.sum())
    upto[-1] = 1
    return upto


def _lives(country: Country, employer: np.ndarray, draw: np.random.Generator) -> np.ndarray:
    """Return the zip of each donor: near a small employer, in many states for a large one."""
    rank = np.log(employer + 1)
    in_state = np.clip(0.1 + 0.1 * rank, 0.12, 0.97)
    in_zip = in_state * np.clip(0.1 * rank, 0.3, 0.85)
    home = country.home[employer]
    state = country.state[home]
    chance, place = draw.random(len(employer)), draw.random(len(employer))
    inside = country.begins[state] + place * (country.begins[state + 1] - country.begins[state])
    found = np.searchsorted(country.upto, np.where(chance < in_state, inside, place))
    return np.where(chance < in_zip, home, found)


def _amounts(n: int, draw: np.random.Generator) -> np.ndarray:
    """Draw amounts in whole dollars, most of them round."""
    weight = np.array(list(AMOUNTS.values()), float)
    found = draw.choice(list(AMOUNTS), n, p=weight / weight.sum())
    odd = np.clip(np.exp(draw.normal(6, 0.8, n)), 5, 25_000).astype(int)
    return np.where(draw.random(n) < ODD_AMOUNTS, odd, found)


def _names(draw: np.random.Generator) -> np.ndarray:
    """Return a random name for each employer; the alphabetical order reveals nothing."""
    syllables, kinds = np.array(SYLLABLES), np.array(KINDS)
    count = len(syllables)
    number = draw.permutation(count**3 * len(kinds))[:EMPLOYERS]
    kind, rest = number % len(kinds), number // len(kinds)
    text = np.char.add(syllables[rest // count**2], syllables[rest // count % count])
    return np.char.add(np.char.add(text, syllables[rest % count]), kinds[kind])


# a file of data/hierarchies, or a builder
ADULT_HIERARCHIES: dict[str, str | Builder] = {
    "age": Intervals(widths=(5, 10, 20, 40)),
    "workclass": "workclass.csv",
    "fnlwgt": Intervals(widths=(10_000, 50_000, 100_000, 500_000)),
    "education": "education.csv",
    "education_num": Intervals(cuts=(5, 10, 13, 14)),  # the same groups as education
    "marital_status": "marital_status.csv",
    "occupation": "occupation.csv",
    "relationship": "relationship.csv",
    "race": "race.csv",
    "sex": "sex.csv",
    "capital_gain": Intervals(cuts=((1, 3_000, 7_000, 15_000), (1,))),
    "capital_loss": Intervals(cuts=((1, 1_500, 2_000), (1,))),
    "hours_per_week": Intervals(widths=(5, 10, 20)),
    "native_country": "native_country.csv",
    "salary": "salary.csv",
}


def path(name: str) -> Path:
    """Return the file of a bundled table."""
    if name != "adult":
        raise BadInput(f"{name!r} is not a bundled data set; the only one is 'adult'")
    return DATA / "adult.csv.gz"


def hierarchy(name: str, column: str) -> Builder:
    """Return the builder of the bundled hierarchy of a column."""
    path(name)
    if column not in ADULT_HIERARCHIES:
        raise BadInput(f"{name} has no bundled hierarchy of {column!r}; choose from {', '.join(ADULT_HIERARCHIES)}")
    given = ADULT_HIERARCHIES[column]
    return read_csv(DATA / "hierarchies" / given) if isinstance(given, str) else given


def adult(
    quasi: Sequence[str] = ("age", "workclass", "education", "marital_status", "race", "sex"),
    sensitive: str | Sequence[str] | None = "occupation",
    drop_missing: bool = True,
) -> Table:
    """Read the Adult census data: 48,842 records, of which 45,222 have no missing value.

    Parameters
    ----------
    quasi
        The quasi-identifiers.
    sensitive
        The sensitive columns. All other columns are neutral.
    drop_missing
        Drop the records with missing values.
    """
    return Table.read(
        path("adult"),
        quasi=quasi,
        sensitive=sensitive,
        hierarchies={name: hierarchy("adult", name) for name in ADULT_HIERARCHIES},
        drop_missing=drop_missing,
    )


def donations(
    n: int = 277_274,
    seed: int = 0,
    quasi: Sequence[str] = ("state", "zip", "employer"),
    sensitive: str | Sequence[str] | None = "party",
) -> Table:
    """Generate donations to parties, in the shape of the table of Srivastava & Weis (2005). No record is real.

    State, zip and employer have 164,649 combinations (within 2 %) among 277,274 records. The zip determines the state,
    the employer does so partly (60 %).

    Parameters
    ----------
    n
        Number of generated records.
    seed
        Seed of the generator: the same `n` and `seed` give the same records.
    quasi
        The quasi-identifiers.
    sensitive
        The sensitive columns.
    """
    return _generated(generate_donations, DONATIONS_NOTE, n, seed, quasi, sensitive)


def ambulatory(
    n: int = 29_102,
    seed: int = 0,
    quasi: Sequence[str] = ("birth_month", "birth_year", "sex", "race", "region"),
    sensitive: str | Sequence[str] | None = ("symptom", "diagnosis", "x_rayed", "therapy", "family_planning"),
) -> Table:
    """Generate visits to doctors, in the shape of the table of Srivastava & Weis (2005). No record is real.

    The quasi-identifiers have 9,678 combinations (within 2 %) among 29,102 records.

    Parameters
    ----------
    n
        Number of generated records.
    seed
        Seed of the generator: the same `n` and `seed` give the same records.
    quasi
        The quasi-identifiers.
    sensitive
        The sensitive columns.
    """
    return _generated(generate_visits, VISITS_NOTE, n, seed, quasi, sensitive)


def _generated(
    generate: Callable[[int, int], pd.DataFrame],
    note: str,
    n: int,
    seed: int,
    quasi: Sequence[str],
    sensitive: str | Sequence[str] | None,
) -> Table:
    if n < 1 or seed < 0:
        raise BadInput(f"generated records: n must be at least 1 and seed at least 0, got n={n} and seed={seed}")
    table = Table.read(generate(n, seed), quasi=quasi, sensitive=sensitive)
    return replace(table, notes=(*table.notes, note))
