"""An event that cancels work at some moment."""

import threading


class Stops(threading.Event):
    """Set when it has been asked so many times."""

    def __init__(self, looks):
        super().__init__()
        self.looks = looks

    def is_set(self):
        self.looks -= 1
        return self.looks < 0
