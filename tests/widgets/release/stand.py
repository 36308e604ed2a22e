"""A table, a frontier and a card that these tests share."""

from widgets.release.release import ReleaseCard
from workbench.measures import PrivacyLoss, UtilityLoss

MEASURES = [PrivacyLoss(), UtilityLoss()]


class Stand:
    """A card, and what it sent."""

    def __init__(self, table, measures=MEASURES, recipe=None, **traits):
        self.card = ReleaseCard(table, measures, recipe, **traits)
        self.sent = []
        self.card.send = lambda content, buffers=None: self.sent.append(content)
        self.card._receive(None, {"kind": "hello"}, [])

    def send(self, kind, **content):
        self.sent.clear()
        self.card._receive(None, {"kind": kind, **content}, [])

    def move(self, name, value, part=0, **more):
        self.send("move", field=f"{part}.{name}", part=part, name=name, value=value, **more)

    def last(self, kind):
        return next((one for one in reversed(self.sent) if one["kind"] == kind), None)
