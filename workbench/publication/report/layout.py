"""The report's templates: what lies in `templates/` beside this file, on the page that charts have too."""

from workbench.base.templates import Templates

render = Templates("workbench.publication.report", "workbench.charts").render
