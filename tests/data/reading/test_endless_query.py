"""An endless query is stopped by Ctrl-C and by its time limit."""

import signal
import subprocess
import sys
import threading
import time

import psutil
import pytest

from workbench import BadInput, Table
from workbench.base import progress
from workbench.data.reading.source import Query
from workbench.studies.study import Study

ENDLESS = "SELECT max(a.i * b.i) AS n FROM range(100000000) a(i), range(100000000) b(i)"
STUDY = f"study: Endless\ndata: {{sql: '{ENDLESS}', seconds: SECONDS}}\nroles: {{quasi: [n]}}\n"
BEGIN = """
import sys
from workbench.commands import main
from workbench.data.reading import encoder

asked = encoder.run_interruptible

def heard(*given):
    print("asked", flush=True)
    return asked(*given)

encoder.run_interruptible = heard
sys.exit(main.main(sys.argv[1:]))
"""  # the command, which says when it asks DuckDB


@pytest.mark.slow
def test_ctrl_c_ends_a_query_on_the_command_line(tmp_path):
    (tmp_path / "s.yaml").write_text(STUDY.replace("SECONDS", "3600"))
    command = [sys.executable, "-c", BEGIN, "check", "s.yaml"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout.readline() == "asked\n"
            process = psutil.Process(running.pid)
            begun = process.cpu_times().user
            while running.poll() is None and process.cpu_times().user < begun + 0.5:
                time.sleep(0.02)  # until the query is under way, past what comes before it
            assert running.poll() is None
            running.send_signal(signal.SIGINT)
            assert running.wait(90) == 130
        finally:
            running.kill()


def test_a_query_ends_after_its_time_limit():
    with pytest.raises(BadInput, match="stopped after"):
        Table.without_roles(Query(ENDLESS, seconds=0.3))


def test_a_query_ends_when_it_is_cancelled():
    cancel = threading.Event()
    threading.Timer(0.3, cancel.set).start()
    with progress.cancellable(cancel), pytest.raises(progress.Cancelled):
        Table.without_roles(Query(ENDLESS))


def test_a_study_sets_the_time_limit_of_its_query(tmp_path):
    with pytest.raises(BadInput, match="stopped after"):
        Study.from_yaml(STUDY.replace("SECONDS", "0.3"), tmp_path).read()
    for wrong in ("-1", "long", "true"):
        with pytest.raises(BadInput, match="must be a number above 0"):
            Study.from_yaml(STUDY.replace("SECONDS", wrong), tmp_path)
