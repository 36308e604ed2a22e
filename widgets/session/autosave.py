"""Automatic saving of the study: to the browser's tab at once, and to the file after a short pause."""

from __future__ import annotations

from widgets.base.host import under_voila
from widgets.base.kernel_thread import ScheduledCall
from widgets.session.study_file import FileChanged, StudyFile, file_for_other_data
from widgets.topbar.topbar import TopBar
from workbench.base.errors import BadInput
from workbench.base.parameters import canonical
from workbench.studies.schema import FROM
from workbench.studies.study import Study

PAUSE = 0.5  # seconds without a change until the file is written


class Autosave:
    """`schedule(study)` saves the study to its file, to the browser's tab, or nowhere; the status line shows where."""

    def __init__(self, file: StudyFile | None, top: TopBar) -> None:
        self.file = file
        self._top = top
        self._timer: ScheduledCall | None = None
        self._study: Study | None = None
        self._files: dict[str, StudyFile] = {}  # by the source of the data

    def schedule(self, study: Study) -> None:
        """Save a change: to the tab immediately, to the file when changes pause."""
        self._switch_file(study)
        self._study = study
        if self._top.remembered:
            self._top.state(study=study.to_yaml())
        if self.file is None or not (study.quasi or self.file.exists()):
            return  # a study without quasi-identifiers is not worth a new file
        if not self.file.exists():
            self.save()
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._top.call_later(PAUSE, self.save)

    def _switch_file(self, study: Study) -> None:
        """Switch to another file when the data of a study with a default file name are replaced."""
        if self.file is None or self.file.named:
            return
        source = canonical({name: study.data[name] for name in FROM if name in study.data})
        if not self._files:
            self._files[source] = self.file
        file = self._files.get(source) or file_for_other_data(study)
        if file is not self.file:
            self.close()
            self.file = self._files[source] = file
            self._top.state(conflict="", kept=self.describe_place())

    def save(self, over: bool = False) -> None:
        """Write the file; if another tab has changed it, ask the user, unless `over`."""
        file = self.file
        self._timer = None
        if self._study is None or file is None:
            return
        try:
            file.save(self._study, over)
        except FileChanged as conflict:
            self._top.state(conflict=str(conflict))
        except (BadInput, OSError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            self._top.state(kept=f"not saved: {file.path.name} cannot be written ({reason})")
        else:
            self._top.state(conflict="", kept=self.describe_place())

    def close(self) -> None:
        """Write the last change."""
        if self._timer is not None:
            self._timer.cancel()
            self.save()

    def load_saved(self) -> Study | None:
        """Return the study in the file."""
        self._top.state(conflict="")
        return self.file.open() if self.file is not None else None

    def describe_place(self) -> str:
        """Describe where the study is saved."""
        if self.file is not None:
            name, first = self.file.path.name, next(iter(self._files.values()), self.file)
            return f"saved in {name}" + ("" if self.file is first else f'; Workbench("{name}") opens it again')
        return "saved in this browser tab" if under_voila() else "not saved to a file"
