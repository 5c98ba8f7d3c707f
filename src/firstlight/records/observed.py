"""What the observers inside the user's process saw, one record a sighting, streamed as it happens.

Nothing here is judged and nothing here holds a tensor. Records that would grow with the model name at most a
handful of parameters and count the rest, so that one of them always fits a line of the event log. A kind of sighting is
declared once, by its class, in one of the modules named here.
"""

import importlib
from typing import Any

from firstlight.records.sighting import Sighting
from firstlight.records.wire import any_of

MODULES = """averages carried census copies dealings evaluated failing feed given_up inner kept learning lived_on
nonfinite pairs program randomness rehearsal relations restored resumed rounded scoring selection standing_by steered
stored stuck symmetry taped timelines training trials"""

for name in MODULES.split():
    importlib.import_module(f"firstlight.records.{name}")

OBSERVED: Any = any_of(Sighting)
"""What a sighting is read as."""
