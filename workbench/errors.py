"""What can go wrong, in the user's words: each message says what, where and what to do."""


class BadInput(ValueError):
    """Data, roles, hierarchies or parameters that cannot be used as they are."""


class Unsatisfiable(ValueError):
    """No release of this method keeps the model; the message says why."""


class Undefined(Exception):
    """A question that a release cannot answer; the message is the reason."""


class Cancelled(Exception):
    """Long work that was told to stop."""
