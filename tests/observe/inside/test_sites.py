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


IMPORTS = """\
import sys
from pathlib import Path

from firstlight.observe.inside import sites

for folder in sys.argv[1:]:
    sys.path.append(folder)
    print(sites.is_users(str(Path(folder) / "module.py")))
"""


def test_a_folder_that_packages_were_installed_into_is_not_the_users(tmp_path: Path) -> None:
    program, beside, installed = tmp_path / "program.py", tmp_path / "beside", tmp_path / "installed"
    program.write_text(IMPORTS)
    beside.mkdir()
    (installed / "package-1.0.dist-info").mkdir(parents=True)
    (tmp_path / "package-1.0.dist-info").mkdir()

    done = subprocess.run(
        [sys.executable, program, beside, installed, tmp_path], capture_output=True, text=True, check=True
    )

    assert done.stdout.split() == ["True", "False", "True"]
