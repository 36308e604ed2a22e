"""A class has at most 30 members; the classes above have a limit of their own, which only shrinks."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIMIT = 30
ABOVE = {
    "widgets/frontier/frontier.py: FrontierChart": 67,
    "widgets/release/release.py: ReleaseCard": 58,
    "widgets/data/data.py: DataPicker": 51,
    "widgets/roles/roles.py: RolePicker": 47,
    "widgets/recipes/recipes.py: RecipePicker": 45,
    "widgets/app/workbench.py: Workbench": 44,
    "widgets/session/points.py: Points": 44,
    "widgets/disclosure/disclosure.py: DisclosureTable": 40,
    "widgets/scenario/scenario.py: ScenarioPicker": 39,
    "widgets/hierarchies/editing.py: Editing": 39,
    "widgets/hierarchies/editor.py: HierarchyEditor": 39,
    "workbench/charts/scene.py: Scene": 38,
    "workbench/studies/study.py: Study": 36,
}


def members(definition: ast.ClassDef) -> set[str]:
    """Return the names that a class defines in its body and on `self`, without dunders."""
    nodes = [node for statement in definition.body for node in ast.walk(statement)]
    found = {
        one.attr
        for one in nodes
        if isinstance(one, ast.Attribute)
        and isinstance(one.ctx, ast.Store)
        and isinstance(one.value, ast.Name)
        and one.value.id == "self"
    }
    for statement in definition.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(statement.name)
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            found |= {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}
    return {name for name in found if not (name.startswith("__") and name.endswith("__"))}


def counts() -> dict[str, int]:
    """Return the number of members of each class of the workbench, by module and name."""
    found = {}
    for package in ("workbench", "widgets"):
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.ClassDef):
                    found[f"{path.relative_to(ROOT)}: {node.name}"] = len(members(node))
    return found


def test_a_class_has_at_most_30_members():
    assert {name: count for name, count in counts().items() if count > LIMIT} == ABOVE


def test_members_are_methods_variables_fields_and_attributes_of_self():
    source = """
class Example:
    first = second = 1
    third: int
    __slots__ = ()

    def method(self):
        self.fourth: int = 4
        self.fourth, self.fifth = local, other.not_own = 4, 5

    class Inner:
        pass
"""
    assert members(ast.parse(source).body[0]) == {"first", "second", "third", "method", "fourth", "fifth", "Inner"}
