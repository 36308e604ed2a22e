"""An event that cancels work after a number of checks."""

import threading


class Stops(threading.Event):
    """An event that is set after a number of checks."""

    def __init__(self, looks):
        super().__init__()
        self.looks = looks

    def is_set(self):
        self.looks -= 1
        return self.looks < 0
