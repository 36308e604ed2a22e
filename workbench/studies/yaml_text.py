"""Read and write YAML as plain data, without duplicate keys, tags and references."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import yaml

from workbench.base.errors import BadInput

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C loaders are ten times as fast
DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
MOST = 4_000_000  # characters of a text
LONGEST = 100_000  # characters of one value: bounds parsers whose time is quadratic in the length
HUGE = 10**300  # larger numbers cannot be printed
DEEPEST = 50  # maximum nesting; a study needs eight levels


class _Loader(LOADER):  # type: ignore[misc, valid-type]
    """Loads plain data; rejects duplicate keys and invalid values."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            if isinstance(key, yaml.ScalarNode):
                name = self.construct_object(key)
                if name in seen:
                    raise _wrong("this name is used twice; keep one", key.start_mark)
                seen.add(name)
        return dict(super().construct_mapping(node, deep))

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            value = super().construct_object(node, deep)
        except (ValueError, OverflowError):  # such as 9999-99-99
            value = HUGE
        if isinstance(value, int) and abs(value) >= HUGE:
            raise _wrong("invalid value; put text in quotes", node.start_mark)
        return value


class _Dumper(DUMPER):  # type: ignore[misc, valid-type]
    """Writes plain data without references."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def read_yaml(text: str, where: str) -> Any:
    """Return the data in a text; raise BadInput with the line if it is invalid YAML or uses references or tags."""
    if not isinstance(text, str):
        raise BadInput(f"{where}: this is not text")
    if len(text) > MOST:
        raise BadInput(f"{where}: the text is longer than {MOST:,} characters; hierarchies can be in files next to it")
    failure = None
    try:
        _look_through(text)
        return yaml.load(text, Loader=_Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        last = text.rstrip().count("\n")  # the parser may stop one line later
        line = f", line {min(mark.line, last) + 1}" if mark else ""
        no = "" if isinstance(error, _Refused) else "this is not YAML: "
        failure = BadInput(f"{where}{line}: {no}{getattr(error, 'problem', None) or 'unreadable'}")
    except ValueError:  # such as half of a surrogate pair
        failure = BadInput(f"{where}: this is not YAML: unreadable")
    raise failure


def lines_of(text: str) -> Callable[[Sequence[Any]], int]:
    """Return a function from a path, such as ("recipes", 0, "model", "k"), to its line in a text that `read_yaml`
    accepts.

    For a missing path, the function returns the line of its nearest parent.
    """
    loader = _Loader(text)
    root = loader.get_single_node()

    def line(path: Sequence[Any]) -> int:
        node, mark = root, root.start_mark if root else None
        for step in path:
            if isinstance(node, yaml.MappingNode):
                found = [(k, v) for k, v in node.value if loader.construct_object(k, deep=True) == step]
            elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
                found = [(node.value[step], node.value[step])]
            else:
                found = []
            if not found:
                break
            mark, node = found[0][0].start_mark, found[0][1]
        return mark.line + 1 if mark else 1

    return line


def write_yaml(data: Any, *, short: bool = False) -> str:
    """Return plain data as text, in their order; `short` writes lists and mappings of single values in one line."""
    flow, width = (None, 10**6) if short else (False, 100)
    return str(
        yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=width, default_flow_style=flow)
    )


class _Refused(yaml.MarkedYAMLError):
    """Valid YAML that is not supported."""


def _wrong(problem: str, mark: Any) -> _Refused:
    return _Refused(problem=problem, problem_mark=mark)


def _look_through(text: str) -> None:
    """Reject unsupported YAML before any object is constructed."""
    depth = 0
    for event in yaml.parse(text, Loader=LOADER):
        if isinstance(event, yaml.AliasEvent):
            raise _wrong("a reference (*name) is not supported; write out its value", event.start_mark)
        if getattr(event, "tag", None) is not None:
            raise _wrong(
                "a tag (!!name) is not supported; a study consists of names, numbers and lists", event.start_mark
            )
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.ScalarEvent) and len(event.value) > LONGEST:
            raise _wrong(f"a value of more than {LONGEST:,} characters", event.start_mark)
        if depth > DEEPEST:
            raise _wrong(f"more than {DEEPEST} nested brackets or indents", event.start_mark)
