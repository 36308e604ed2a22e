"""Parallel test workers compile each kernel once: the others wait and load it from the cache."""

from contextlib import contextmanager

from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher


def compile_once() -> None:
    """Make this process wait while another one compiles kernels of the same file."""
    compiled, held = Dispatcher.compile, set()

    @contextmanager
    def lock(source):
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
        with global_compiler_lock, lock(self.py_func.__code__.co_filename):
            return compiled(self, signature)

    Dispatcher.compile = compile
