"""`make lab`, a run of the example, an autosave, then the tests: as a new user would."""

import os
import shutil
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from tests.browser import stage
from tests.project.tracked import ROOT

pytestmark = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git checkout")


@pytest.fixture
def clone(tmp_path):
    """A clone with the files as they are now, committed, and with this environment."""
    folder = tmp_path / "project"
    git = ["git", "-c", f"safe.directory={ROOT}", "-c", "safe.directory=*"]
    subprocess.run([*git, "clone", "-q", "--shared", str(ROOT), str(folder)], check=True)
    changed = subprocess.run([*git, "ls-files", "-z", "-m", "-o", "--exclude-standard"], cwd=ROOT, **CAPTURED).stdout
    for name in filter(None, changed.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_file():
            shutil.copyfile(ROOT / name, folder / name)
        else:
            (folder / name).unlink()
    (folder / ".venv").mkdir()
    (folder / ".venv" / "bin").symlink_to(os.path.dirname(sys.executable))
    author = ["-c", "user.name=test", "-c", "user.email=test@localhost"]
    subprocess.run([*git, "add", "-A"], cwd=folder, check=True)
    subprocess.run([*git, *author, "commit", "-q", "--allow-empty", "-m", "Now"], cwd=folder, check=True)
    return folder


CAPTURED = {"check": True, "capture_output": True, "text": True}


def test_a_run_in_jupyterlab_leaves_tracked_files_and_tests_alone(clone, on_stage, tmp_path):
    settings = tmp_path / "settings"
    settings.mkdir()
    (settings / "jupyter_lab_config.py").write_text("c.LabApp.expose_app_in_browser = True\n")
    port = stage.free_port()
    command = ["make", "-o", ".venv/ready", "lab", f"ARGS=--no-browser --port {port}"]
    own = {"JUPYTER_CONFIG_DIR": str(settings), "JUPYTER_TOKEN": stage.TOKEN}
    own |= {"JUPYTERLAB_WORKSPACES_DIR": str(settings), "JUPYTERLAB_SETTINGS_DIR": str(settings)}
    with stage.served(command, f"http://127.0.0.1:{port}/api", clone, **own):
        page = stage.open_lab(on_stage(), f"http://127.0.0.1:{port}/lab/tree/", "explore.ipynb")
        expect(page.locator(".wb-done")).to_have_text("26 points", timeout=90_000)
        page.evaluate("async () => { await jupyterapp.commands.execute('docmanager:save'); }")
        page.evaluate("async () => { await jupyterapp.shell.currentWidget.sessionContext.shutdown(); }")
    assert (clone / "sandbox" / "adult.study.yaml").exists() or list((clone / "sandbox").glob("*.yaml"))
    status = subprocess.run(["git", "status", "--porcelain"], cwd=clone, **CAPTURED).stdout
    assert status == ""
    tests = ["tests/project/test_english.py", "tests/project/test_notebooks.py", "-k", "reader or outputs"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    done = subprocess.run(command, cwd=clone, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": "."})
    assert done.returncode == 0, done.stdout
