"""The pass for the device the parameters are on."""

from firstlight.guard.statistics.host import HostPass
from firstlight.guard.statistics.rows import Pass
from firstlight.guard.statistics.subjects import Subjects


def pass_for(subjects: Subjects) -> Pass:
    return HostPass(subjects.weights())
