"""The commands that open a page: pyproject names them in the group `workbench.commands`."""
