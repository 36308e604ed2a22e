"""Labels of runs of codes in a release, each of which is parsed back as that run only."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property, partial

import numpy as np

from workbench.data.cells import distinct_rows
from workbench.data.column import MISSING, Column
from workbench.data.hierarchies.hierarchy import DOTTED, Hierarchy, key, keys
from workbench.data.range_ends import ANY
from workbench.models.classes import Classes

# Parser of released labels in the notations of many tools: the codes of the original column that each label covers.

# Labels of runs of codes that no hierarchy names: an interval, or a set of values.

STAR = "*"  # any value: everything, or suppressed
LISTED = 8  # maximum number of values that a set lists


def in_quotes(name: str) -> str:
    """Return a name in double quotes, so that it cannot be confused with several."""
    return json.dumps(name, ensure_ascii=False)


def format_run(column: Column, low: int, high: int, quoted: bool = False) -> str:
    """Return a run as an interval of numbers or dates, or as a set of values; "or missing" is appended for missing."""

    def name(code: int) -> str:
        label = column.value_labels()[code]
        return in_quotes(label) if quoted and code < len(column.values) else label

    if low == high:
        return name(low)
    if column.missing and high == len(column.values):
        return f"{format_run(column, low, high - 1, quoted)} or {MISSING}"
    if column.ends is not None and not quoted:
        text = column.ends.text(column, low, high)
        return STAR if text == ANY and not column.missing else text
    if column.kind != "text":
        plain = column.values.dtype.kind == "i" and column.values[0] >= 0
        return f"[{name(low)}{'-' if plain else '..'}{name(high)}]"
    if high - low < LISTED:
        return "{" + ", ".join(map(name, range(low, high + 1))) + "}"
    return f"{{{name(low)} .. {name(high)}: {high - low + 1} values}}"


STARS = re.compile(r"\*+")
NUMBERED = re.compile(r".*\(values (\d+) to (\d+)\)", re.S)
FROM_TO = re.compile(r"\{(.*): (\d+) values\}", re.S)
NUMBER = r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?|∞)"
CLOCK = r"(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)?"
DATE = rf"(?:\d{{4}}(?:-\d\d(?:-\d\d{CLOCK})?)?|\d\d?\.\d\d?\.\d{{4}}|[+-]?(?:inf|∞))"
SEPARATORS = "|;,/"
SUPPRESSED = ("unknown", "suppressed", "masked", "redacted", "any", "all")  # unless they are values
MASKS = re.compile(r"[#?]|(?<=[\d#xX])[xX]")  # 479##, 479??, 479XX
SIGNS = dict.fromkeys(("<", "under", "below", "before", "less than"), "<")
SIGNS |= dict.fromkeys(("<=", "=<", "≤", "up to", "until", "at most"), "<=")
SIGNS |= dict.fromkeys((">", "over", "above", "after", "more than"), ">")
SIGNS |= dict.fromkeys((">=", "=>", "≥", "at least", "from"), ">=")
UPWARDS = r"\+|(?:and|or)\s+(?:above|more|older|over)"
PRECISE = 9  # decimals; numbers with more may have any number of them
WRAPPED = re.compile(r"(?:frozenset|set|list|tuple)\((.*)\)", re.S)
DECADE = re.compile(r"(\d+0)s")
QUARTER = re.compile(r"(?:[qQ]([1-4])[- ])?(\d{4})(?(1)|[- ]?[qQ]([1-4]))")
LARGEST = 2**62


@dataclass(frozen=True)
class CoveredRun:
    """The smallest run of codes that contains everything a label names."""

    low: int
    high: int
    exact: bool = True  # the label names the whole run


@dataclass(frozen=True, eq=False)
class BoundParser:
    """The bounds of ranges of numbers or dates, as positions among the values of a column."""

    column: Column

    @property
    def pattern(self) -> str:
        """The regular expression of one bound."""
        return DATE if self.column.kind == "date" else NUMBER

    def below(self, bound: str) -> int:
        """Return the number of values below a bound."""
        return int(np.searchsorted(self._moments, self._span(bound)[0], side="left"))

    def upto(self, bound: str) -> int:
        """Return the number of values up to a bound; a day, a month or a year is included to its end."""
        first, after = self._span(bound)
        return int(np.searchsorted(self._moments, after, side="left" if after > first else "right"))

    @cached_property
    def _moments(self) -> np.ndarray:
        values = self.column.values
        return values.astype("datetime64[us]").astype(np.int64) if self.column.kind == "date" else values

    def _span(self, bound: str) -> tuple[float, float]:
        """Return the start and end of a bound; for a number, both are equal."""
        bound = bound.replace("∞", "inf")
        if bound.lstrip("+-").startswith("inf"):
            return (float(bound),) * 2
        if self.column.kind == "number":
            number = key(bound, "number")
            point = number if not isinstance(number, str) and abs(number) < LARGEST else float(bound)
            return point, point
        dotted = DOTTED.fullmatch(bound)
        start = np.datetime64(f"{dotted[3]}-{dotted[2]:0>2}-{dotted[1]:0>2}" if dotted else bound.replace(" ", "T"))
        first, after = (one.astype("datetime64[us]").astype(np.int64) for one in (start, start + 1))
        return int(first), int(after) if len(bound) <= len("2024-12-31") else int(first)

    def quarter(self, label: str) -> Sequence[int] | None:
        """Parse `1930-Q3`, `1930Q3`, `Q3 1930`."""
        found = QUARTER.fullmatch(label)
        if not found or self.column.kind != "date":
            return None
        last = 3 * int(found[1] or found[3])
        return range(self.below(f"{found[2]}-{last - 2:02}"), self.upto(f"{found[2]}-{last:02}"))


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels of one released column, parsed together, because a tool's notation shows in all of them."""

    column: Column
    labels: tuple[str, ...]

    def codes(self, label: str) -> Sequence[int] | None:
        """Return the codes that a label names; None if it matches no value of the column."""
        try:
            codes = self._codes(label)
            return codes if codes is not None or label == label.strip() else self._codes(label.strip())
        except ValueError:  # it looks like a date but is invalid: 2024-02-31
            return None

    def meaning(self, label: str) -> CoveredRun | None:
        """Return the run that a label covers; None if it matches no value of the column."""
        codes = self.codes(label)
        if codes is None or not len(codes):
            return None
        low, high = int(codes[0]), int(codes[-1])
        return CoveredRun(low, high, len(codes) == high - low + 1)

    # --- notations, in the order in which they are tried

    def _codes(self, label: str, whole: bool = True) -> Sequence[int] | None:
        """Return the codes of a label; an element of a set (not `whole`) cannot be a set again."""
        readings: list[Callable[[str], Sequence[int] | None]] = [self._average, self._named]
        readings += [partial(_parse_numbered, self.column), self._or_missing, self._own_set, self._from_to]
        if self.column.kind != "text":
            readings += [self._one_bound, self._between, self._beyond, self._decade, self._bounds.quarter]
        readings += [partial(_masked, self.column)]
        if whole:
            readings += [self._set]
        return next((codes for read in readings if (codes := read(label)) is not None), None)

    @cached_property
    def _places(self) -> dict[str, int]:
        """The code of each value, missing included."""
        return {name: code for code, name in reversed(list(enumerate(self.column.value_labels())))}

    @cached_property
    def _quoted(self) -> dict[str, int]:
        """The code of each value in quotes."""
        return {in_quotes(name): code for code, name in enumerate(self.column.labels)}

    @cached_property
    def _groups(self) -> dict[str, set[tuple[int, int]]]:
        """The runs of the hierarchy that each name represents."""
        found: dict[str, set[tuple[int, int]]] = {}
        hierarchy = self.column.hierarchy or Hierarchy(())
        for j, level in enumerate(hierarchy.levels):
            for name, (low, high) in zip(level.labels, hierarchy.bounds(j).tolist(), strict=True):
                found.setdefault(name, set()).add((low, high))
        return found

    def _runs(self, label: str) -> list[tuple[int, int]]:
        """Return the runs that a name represents, the widest first: a value, missing, a quoted value, groups."""
        found = set(self._groups.get(label, ()))
        found |= {(self._places[label],) * 2} if label in self._places else set()
        if label == MISSING and self.column.missing:
            found.add((self.column.size - 1,) * 2)
        if label.startswith('"') and label in self._quoted:
            found.add((self._quoted[label],) * 2)
        return sorted(found, key=lambda run: (run[0] - run[1], run))

    @cached_property
    def _by_value(self) -> dict[object, int]:
        return {value: code for code, value in enumerate(keys(self.column))}

    def _named(self, label: str) -> Sequence[int] | None:
        """Parse a value or a group; a name of both is the widest, unless another label of the column spells that
        out."""
        runs = self._runs(label)
        if len(runs) == 1:
            return range(runs[0][0], runs[0][1] + 1)
        if runs:
            spellings = [{format_run(self.column, *run, quoted) for quoted in (False, True)} - {label} for run in runs]
            free = [run for run, other in zip(runs, spellings, strict=True) if not other & self._every]
            low, high = (free or runs)[0]
            return range(low, high + 1)
        code = self._by_value.get(key(label, "number")) if self.column.kind == "number" else None
        if code is not None:
            return [code]
        return range(self.column.size) if self.hides(label) else None

    def hides(self, label: str) -> bool:
        """Return whether a label represents any value: `*`, or a word such as "suppressed" that is not a label."""
        word = label.strip()
        return bool(STARS.fullmatch(word)) or (word.casefold() in SUPPRESSED and not self._runs(word))

    @cached_property
    def _every(self) -> set[str]:
        return {one for label in self.labels for one in (label, label.strip())}

    def _or_missing(self, label: str) -> Sequence[int] | None:
        if not self.column.missing or not label.endswith(f" or {MISSING}"):
            return None
        codes = self._without_missing._codes(label.removesuffix(f" or {MISSING}"))
        return None if codes is None else [*codes, self.column.size - 1]

    @cached_property
    def _without_missing(self) -> Labels:
        """A parser of the labels over the values without missing."""
        return Labels(replace(self.column, missing=0), self.labels)

    def _own_set(self, label: str) -> Sequence[int] | None:
        """Parse `{a, b, c}` of neighboring values, which may contain commas."""
        if self.column.kind != "text" or not (label.startswith("{") and label.endswith("}")):
            return None
        inner, names = f"{label[1:-1]}, ", self.column.labels
        for places, shown in self._spellings(inner):
            for first, rest in _cut(inner, ", "):
                high = low = places.get(first, len(names))
                while rest and high + 1 < len(names) and rest.startswith(f"{shown(names[high + 1])}, "):
                    high += 1
                    rest = rest.removeprefix(f"{shown(names[high])}, ")
                if low < len(names) and not rest:
                    return range(low, high + 1)
        return None

    def _from_to(self, label: str) -> Sequence[int] | None:
        """Parse `{a .. k: 11 values}`, whose ends may contain dots: they have to be that many values apart."""
        found = FROM_TO.fullmatch(label)
        inner, count = (found[1], int(found[2])) if found else ("", 0)
        for places, _ in self._spellings(inner):
            for first, last in _cut(inner, " .. "):
                low, high = places.get(first), places.get(last)
                if low is not None and high is not None and high - low + 1 == count:
                    return range(low, high + 1)
        return None

    def _spellings(self, inner: str) -> Iterator[tuple[dict[str, int], Callable[[str], str]]]:
        """Yield the spellings of values in our own sets: the code of each, and the function that spells it."""
        yield self._places, str
        if inner.startswith('"'):
            yield self._quoted, in_quotes

    # --- numbers and dates

    @cached_property
    def _bounds(self) -> BoundParser:
        return BoundParser(self.column)

    def _one_bound(self, label: str) -> Sequence[int] | None:
        """Parse a single number or date, a month or a year: `2024-12`."""
        if not re.fullmatch(self._bounds.pattern, label):
            return None
        return range(self._bounds.below(label), self._bounds.upto(label)) or None

    def _decade(self, label: str) -> Sequence[int] | None:
        """Parse `1930s`, `30s`; `1900s` is the whole century, unless another label is a decade in it."""
        found = DECADE.fullmatch(label)
        if not found:
            return None
        first = int(found[1])
        inside = rf"{first // 100}[1-9]0s"
        century = first >= 1000 and not first % 100 and not any(re.fullmatch(inside, one) for one in self._every)
        last = first + (99 if century else 9)
        if self.column.kind == "date":
            return range(self._bounds.below(f"{first:04}"), self._bounds.upto(f"{last:04}"))
        return range(self._bounds.below(str(first)), self._bounds.below(str(last + 1)))

    @cached_property
    def averages(self) -> np.ndarray:
        """The labels of a column of averages: numbers between its values, some with more decimals than any value."""
        values, every = self.column.values, self._every if self.column.kind == "number" else ()
        numbers = {one: float(one) for one in every if re.fullmatch(NUMBER, one)}
        inside = {one: number for one, number in numbers.items() if values[0] <= number <= values[-1]}
        strange = [_decimals(one) for one, number in inside.items() if key(one, "number") not in self._by_value]
        finer = bool(strange) and max(strange) > min(PRECISE, max(map(_decimals, self.column.labels)))
        return np.unique([*inside.values()]) if finer else np.zeros(0)

    def _average(self, label: str) -> Sequence[int] | None:
        """Parse `17.33` as the values that are nearer to it than to any other average of the column, if it is one."""
        averages = self.averages
        if not re.fullmatch(NUMBER, label) or not len(averages):
            return None
        at = int(np.searchsorted(averages, float(label)))
        if at == len(averages) or averages[at] != float(label):
            return None
        between = np.concatenate([[-np.inf], (averages[1:] + averages[:-1]) / 2, [np.inf]])
        low, high = np.searchsorted(self.column.values, between[at : at + 2])
        return range(int(low), int(high)) or range(int(low) - 1, int(low) + 1)

    def _between(self, label: str) -> Sequence[int] | None:
        """Parse `[20, 30)`, `]20-30]`, `20-30`, `20-<30`, `from 20 to 30`.

        Without brackets, a shared end belongs to the upper interval.
        """
        found = self._interval.fullmatch(label)
        if not found or bool(found[1]) != bool(found[5]) or not (found[1] or (found[2] and found[4])):
            return None
        if not found[1] and found[3].strip() in SEPARATORS:
            return None  # `20, 30` are two numbers
        low, high = found[2] or "-inf", found[4] or "inf"
        closed_low = found[1] not in ("(", "]")
        below = "<" in found[3] or (high in self._begins and low != high)
        closed_high = found[5] == "]" if found[5] else not below
        bounds = self._bounds
        first = bounds.below(low) if closed_low else bounds.upto(low)
        return range(first, bounds.upto(high) if closed_high else bounds.below(high))

    @cached_property
    def _interval(self) -> re.Pattern[str]:
        separator = r"\s*(?:,|;|\.\.|–|—|-|~|:)\s*<?\s*|\s+(?:to|and)\s+"
        return re.compile(
            rf"(?:from\s+|between\s+)?([\[(\]])?\s*({self._bounds.pattern})?({separator})({self._bounds.pattern})?\s*([\])\[])?"
        )

    @cached_property
    def _begins(self) -> set[str]:
        """The lower ends of the intervals without brackets."""
        found = (self._interval.fullmatch(label) for label in self._every)
        return {one[2] for one in found if one and not one[1] and one[2] and one[2] != one[4]}

    @cached_property
    def shared_ends(self) -> bool:
        """True if intervals without brackets share ends, such as `20-30` and `30-40`."""
        if self.column.kind == "text":
            return False
        found = (self._interval.fullmatch(label) for label in self._every)
        return any(one and not one[1] and one[4] in self._begins and one[2] != one[4] for one in found)

    def _beyond(self, label: str) -> Sequence[int] | None:
        """Parse `<50`, `under 50`, `<=50`, `>=60`, `>60`, `60+`, `60 and over`."""
        signs = "|".join(sorted(map(re.escape, SIGNS), key=len, reverse=True))
        found = re.fullmatch(rf"({signs})?\s*({self._bounds.pattern})\s*({UPWARDS})?", label, re.IGNORECASE)
        if not found or bool(found[1]) == bool(found[3]):
            return None
        sign, bound = SIGNS[found[1].casefold()] if found[1] else ">=", found[2]
        if sign in ("<", "<="):
            return range(self._bounds.below(bound) if sign == "<" else self._bounds.upto(bound))
        return range(self._bounds.upto(bound) if sign == ">" else self._bounds.below(bound), len(self.column.values))

    # --- text

    def _set(self, label: str) -> Sequence[int] | None:
        """Parse `{A, B}`, `A;B`, `A|B`, `A/B`, `['A', 'B']`, `frozenset({'A', 'B'})`; every element has to be
        parsed."""
        wrapped = WRAPPED.fullmatch(label)
        label = wrapped[1] if wrapped else label
        inner = label[1:-1] if len(label) > 1 and label[0] + label[-1] in ("{}", "[]", "()") else label
        for separator in SEPARATORS if inner == label else f"{SEPARATORS}\0":
            parts = list(_split(inner, separator))
            if len(parts) == 1 and separator != "\0":
                continue
            codes = [self._codes(part, whole=False) for part in parts]
            if all(one is not None and len(one) for one in codes):
                return sorted({code for one in codes if one is not None for code in one})
        return None


def _parse_numbered(column: Column, label: str) -> Sequence[int] | None:
    """Parse the last resort of our own labels: `{a, b} (values 3 to 5)`."""
    found = NUMBERED.fullmatch(label)
    if not found or not 1 <= int(found[1]) <= int(found[2]) <= column.size:
        return None
    return range(int(found[1]) - 1, int(found[2]))


def _masked(column: Column, label: str) -> Sequence[int] | None:
    """Parse `479**`, `479##`, `479??`, `479XX`.

    Each mask stands for one character; if no value has that length, a run of masks stands for any number of them.
    """
    masked = label
    while (shorter := MASKS.sub("*", masked)) != masked:
        masked = shorter
    if "*" not in masked:
        return None
    label = masked
    for star, text in ((".", label), (".*", re.sub(r"\*+", "*", label))):
        pattern = re.compile(star.join(map(re.escape, text.split("*"))), re.S)
        if codes := [c for c, name in enumerate(column.labels) if pattern.fullmatch(name)]:
            return codes
    return None


def _cut(text: str, separator: str) -> Iterator[tuple[str, str]]:
    """Yield the text before and after each separator."""
    at = text.find(separator)
    while at >= 0:
        yield text[:at], text[at + len(separator) :]
        at = text.find(separator, at + 1)


def _split(text: str, separator: str) -> Iterator[str]:
    """Yield the parts between separators outside quotes, without the quotes around them."""
    part, quote = "", ""
    for letter in text:
        if letter == separator and not quote:
            yield _unquoted(part)
            part = ""
            continue
        if letter in "'\"" and (letter == quote or (not quote and not part.strip())):
            quote = "" if quote else letter
        part += letter
    yield _unquoted(part)


def _decimals(number: str) -> int:
    """Return the number of digits after the decimal point."""
    exponent = Decimal(number).normalize().as_tuple().exponent
    return max(-exponent, 0) if isinstance(exponent, int) else 0


def _unquoted(part: str) -> str:
    part = part.strip()
    return part[1:-1] if len(part) > 1 and part[0] == part[-1] and part[0] in "'\"" else part


GROUPS = 3  # maximum number of groups in one label


def region_labels(column: Column, classes: Classes, a: int, level: int | None = None) -> np.ndarray:
    """Return the label of each class's region of quasi-identifier number `a`; with a `level`, labels of nodes from
    there up."""
    if a in classes.sets:
        return set_labels(column, classes.sets[a])
    assert classes.low is not None and classes.high is not None
    return run_labels(column, classes.low[:, a], classes.high[:, a], level)


def set_labels(column: Column, members: np.ndarray) -> np.ndarray:
    """Return a label for each set of codes (sets x codes) that lists its values; different sets have different
    labels."""
    first, number = distinct_rows(np.packbits(members, axis=1))
    sets = [np.flatnonzero(members[i]).tolist() for i in first]
    labels = [_set_label(column, codes, quoted=False) for codes in sets]
    reading = Labels(column, tuple(labels))
    if any(list(reading.codes(label) or ()) != codes for label, codes in zip(labels, sets, strict=True)):
        labels = [_set_label(column, codes, quoted=True) for codes in sets]
    return np.array(labels, dtype=object)[number]


def _set_label(column: Column, codes: list[int], quoted: bool) -> str:
    """Return a value, or values between braces; "or missing" is appended for missing."""
    names = [in_quotes(column.labels[code]) if quoted else column.labels[code] for code in codes[:-1]]
    if not names:
        return format_run(column, codes[0], codes[0], quoted)
    if codes[-1] == len(column.values):
        return f"{_set_label(column, codes[:-1], quoted)} or {MISSING}"
    names.append(format_run(column, codes[-1], codes[-1], quoted))
    return f"{{{', '.join(names)}}}"


def run_labels(column: Column, low: np.ndarray, high: np.ndarray, level: int | None = None) -> np.ndarray:
    """Return a label for each run: of its hierarchy node, an interval or a set; different runs have different labels.

    Where runs are nodes from a `level` up (0: values), their labels are those of that level and of the ones above.
    """
    first, number = distinct_rows(np.stack([low, high], axis=1))
    runs = [(int(low[i]), int(high[i])) for i in first]
    labels = [run_label(column, *run) if level is None else node_label(column, *run, level) for run in runs]
    styles = list(LABEL_STYLES)
    while styles and (ambiguous := _ambiguous(column, labels, runs)):
        form = styles.pop(0)
        for i in ambiguous:
            labels[i] = form(column, *runs[i])
    return np.array(labels, dtype=object)[number]


def run_label(column: Column, low: int, high: int) -> str:
    """Return the label of one run."""
    if column.ends is not None and high - low == column.size - 1 and column.ends.text(column, low, high) == ANY:
        return STAR
    if column.missing and low < high == len(column.values):
        return f"{run_label(column, low, high - 1)} or {MISSING}"
    node = column.hierarchy.label(low, high) if column.hierarchy and high < len(column.values) else None
    if node is None and column.kind == "text" and column.hierarchy and column.hierarchy.levels and high - low >= LISTED:
        node = _list_groups(column.hierarchy, low, high)
    return node if node is not None else format_run(column, low, high)


def node_label(column: Column, low: int, high: int, level: int) -> str:
    """Return the label of a node on the lowest level from this one up that has it; `*` for everything."""
    if level == 0 and low == high:
        return format_run(column, low, high)
    if high - low == column.size - 1:
        return STAR
    above = column.hierarchy.levels[max(level, 1) - 1 :] if column.hierarchy and high < len(column.values) else ()
    for one in above:
        if _end(one.starts, low, high, len(column.values)) == high:
            return one.labels[int(np.searchsorted(one.starts, low))]
    return run_label(column, low, high)


def named_levels(column: Column, labels: Sequence[str], runs: np.ndarray) -> np.ndarray:
    """Return the lowest level on which each label names its run (labels x 2) as a node; 0 if none does."""
    named, top = dict[tuple[str, int, int], int](), len(column.released_at) - 1
    for j, level in enumerate(column.hierarchy.levels if column.hierarchy else ()):
        assert column.hierarchy is not None
        for label, (low, high) in zip(level.labels, column.hierarchy.bounds(j).tolist(), strict=True):
            named.setdefault((label.strip(), low, high), j + 1)
    found = []
    for label, (low, high) in zip(map(str.strip, labels), runs.tolist(), strict=True):
        everything = top if label == STAR and high - low == column.size - 1 else 0
        found.append(named.get((label, low, high), everything))
    return np.array(found, np.int64)


def _list_groups(hierarchy: Hierarchy, low: int, high: int) -> str | None:
    """Return a set of the few groups and values that make up a run; None if they are many."""
    parts = list[str]()
    while low <= high and len(parts) < GROUPS:
        end = max(low, *(_end(level.starts, low, high, len(hierarchy.leaves)) for level in hierarchy.levels))
        parts.append(str(hierarchy.label(low, end)))
        low = end + 1
    return f"{{{', '.join(parts)}}}" if low > high else None


def _end(starts: np.ndarray, low: int, high: int, size: int) -> int:
    """Return the last code of a level's run that begins at `low` and ends by `high`; -1 if there is none."""
    at = int(np.searchsorted(starts, low))
    if at == len(starts) or starts[at] != low:
        return -1
    end = int(starts[at + 1]) - 1 if at + 1 < len(starts) else size - 1
    return end if end <= high else -1


def _quoted(column: Column, low: int, high: int) -> str:
    return format_run(column, low, high, quoted=True)


def _numbered(column: Column, low: int, high: int) -> str:
    return f"{format_run(column, low, high)} (values {low + 1} to {high + 1})"


LABEL_STYLES: tuple[Callable[[Column, int, int], str], ...] = (format_run, _quoted, _numbered)


def _ambiguous(column: Column, labels: list[str], runs: list[tuple[int, int]]) -> list[int]:
    """Return the labels that several runs have, or that would be parsed as another run."""
    taken, reading = Counter(labels), Labels(column, tuple(labels))
    read = (reading.meaning(label) for label in labels)
    return [
        i
        for i, (run, found) in enumerate(zip(runs, read, strict=True))
        if taken[labels[i]] > 1 or found is None or (found.low, found.high) != run
    ]
