"""Generated donations to parties, in the shape of the table of Srivastava & Weis (2005). No record is real.

The published figures of their table (277,274 donations, 164,649 combinations of state, zip and employer) determine how
often donors give again. The skew of zips and employers, and how far an employer determines its state, are those of
372,629 real donations of 2008. Nothing else is derived from these: their 127,736 combinations are fewer, since their
donors gave again more often.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

NOTE = "These donations are generated: no record is real, and zip codes and employers are invented."
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


def generate(n: int, seed: int) -> pd.DataFrame:
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
