"""Workers that run tests beside each other compile no kernel twice: who comes second waits, and loads it."""

from contextlib import contextmanager

from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher


def compile_once() -> None:
    """From now on this process waits while another one compiles what is in the same file."""
    compiled, held = Dispatcher.compile, set()

    @contextmanager
    def alone(source):
        import fcntl  # not on Windows

        if source in held:  # a kernel that calls another one of its file
            yield
            return
        with open(source, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            held.add(source)
            try:
                yield
            finally:
                held.remove(source)

    def compile(self, signature):
        with global_compiler_lock, alone(self.py_func.__code__.co_filename):
            return compiled(self, signature)

    Dispatcher.compile = compile
