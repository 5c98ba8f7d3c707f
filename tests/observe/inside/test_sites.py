import subprocess
import sys
from pathlib import Path

PROGRAM = """\
import sys
from firstlight.observe.inside import sites
from firstlight.records.places import Site

def outer():
    return inner()

def inner():
    return sites.caller()

print(outer().line)
sites.look_within(sys._getframe(), Site(file="declared.py", line=7))
print(sites.caller().file, outer().line)
"""


def test_frames_outside_of_the_bounds_are_not_asked(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["9", "declared.py", "9"]
