"""Every command is documented, and the help loads no heavy modules."""

import contextlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from workbench.commands import main

HERE = Path(__file__).parents[2]
PAGE = (HERE / "docs" / "commands.md").read_text("utf-8")
COMMANDS = {command.callback.__name__: command for command in main.app.registered_commands}
HEAVY = (
    "altair",
    "duckdb",
    "numba",
    "numpy",
    "pandas",
    "pyarrow",
    "scipy",
    "sklearn",
    "IPython",
    "papermill",
    "voila",
    "tornado",
)


def section(name):
    """Return the section of the page about a command."""
    found = re.search(rf"^## `workbench {name}`\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found, f"docs/commands.md has no section about workbench {name}"
    return found[1]


def options(name):
    """Return the long options of a command."""
    parameters = typer.main.get_command(main.app).commands[name].params
    return {opt for one in parameters for opt in one.opts if opt.startswith("--") and opt != "--help"}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_documented(name):
    command = COMMANDS[name]
    assert command.short_help, f"workbench --help says nothing about {name}"
    assert re.search(rf"\x08\n(.*\n)*?.*workbench {name}\b", command.help), f"{name} has no example"
    about = section(name)
    assert re.search(rf"^```\n(.*\n)*?.*workbench {name}\b", about, re.MULTILINE), f"{name} has no example in the docs"
    assert re.search(r"Exit\s+code", about) and "stdout" in about, (
        f"docs/commands.md: {name}: what goes where, how does it end?"
    )
    assert f"[`{name}`](#workbench-{name})" in PAGE, f"{name} is not in the list of docs/commands.md"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_documented(name):
    missing = sorted(option for option in options(name) if f"`{option}" not in section(name))
    assert not missing, f"docs/commands.md says nothing of {name} {missing}"
    parameters = typer.main.get_command(main.app).commands[name].params
    assert all(one.help for one in parameters if one.name != "help"), name


def test_the_page_names_no_command_that_does_not_exist():
    named = set(re.findall(r"^## `workbench (\w+)`", PAGE, re.MULTILINE))
    assert named == set(COMMANDS)
    assert "docs/commands.md" in (HERE / "README.md").read_text("utf-8")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_command_lines_of_the_page_are_valid(name):
    known = options(name)
    for line in re.findall(rf"^.*workbench {name} .*$", PAGE, re.MULTILINE):
        typed = line.split(f"workbench {name}")[1].split("|")[0]
        assert set(re.findall(r"(?<=\s)--[a-z-]+", typed)) <= known, line


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [[], *([name] for name in COMMANDS)], ids=lambda one: " ".join(one) or "all")
def test_help_loads_no_heavy_modules(arguments):
    code = (
        "import sys; from workbench.commands import main as cli\n"
        f"assert cli.main([*{arguments!r}, '--help']) == 0\n"
        f"print('heavy:', *(name for name in {HEAVY!r} if name in sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], cwd=HERE, capture_output=True, text=True, check=True)
    assert "Usage: workbench" in found.stdout
    assert found.stdout.splitlines()[-1].strip() == "heavy:"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_short_option_shows_the_help_with_types_in_capitals(name, capsys):
    assert main.main([name, "-h"]) == 0
    assert "-h, --help" in capsys.readouterr().out
    for one in typer.main.get_command(main.app).commands[name].params:
        metavar = one.metavar or ""
        assert metavar.isupper() or "|" in metavar or not metavar, f"{name} {one.opts}: {metavar}"


def test_the_same_option_has_the_same_name_and_form_in_all_commands():
    commands = typer.main.get_command(main.app).commands
    named = [(one.opts, one.metavar) for command in commands.values() for one in command.params]
    assert all("--out" in opts for opts, _ in named if "-o" in opts)
    assert {metavar for opts, metavar in named if "--cap" in opts} == {"KEY=NUMBER"}
    assert not any("--output" in opts for opts, _ in named)


def test_shells_can_complete_commands(monkeypatch, capsys):
    monkeypatch.setenv("_WORKBENCH_COMPLETE", "complete_bash")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", "workbench fr")
    monkeypatch.setenv("COMP_WORDS", "workbench fr")
    monkeypatch.setenv("COMP_CWORD", "1")
    with contextlib.suppress(SystemExit):
        main.main([])
    assert capsys.readouterr().out.split() == ["frontier"]
