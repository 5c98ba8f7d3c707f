"""Programs are read whole, and what is wrong with one is told by file and key."""

from pathlib import Path

import pytest
from tests.zoo.conftest import DESCRIPTION, TRAIN, MakeProgram
from zoo.errors import ZooError
from zoo.programs import load, load_all


def test_a_program_is_read_with_all_its_text_files(make_program: MakeProgram) -> None:
    program = make_program(train=TRAIN, model="WIDTH = 4\n")
    assert program.slug == "tiny"
    assert program.command == ("train.py",)
    assert program.metric.reaches == 0.95
    assert program.files == {"train.py": TRAIN, "model.py": "WIDTH = 4\n"}


def test_what_a_run_left_behind_is_no_part_of_a_program(make_program: MakeProgram) -> None:
    folder = make_program().folder
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "note.txt").write_text("made by a run")
    (folder / ".firstlight").write_text("made by a run")
    (folder / "weights.pt").write_bytes(b"\xff\xfe\x00\x80")
    assert set(load(folder).files) == {"train.py"}


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('title = "A line between two classes"\n', "", "tiny/program.toml: `title` is missing"),
        ("needs = []", "needs = []\ncolour = 1", "`colour` is unknown"),
        ("needs = []", 'needs = "numpy"', "`needs` is 'numpy'; wanted is a list of texts"),
        ("seconds = 2.0", "seconds = 0", "`seconds` is 0"),
        ("seconds = 2.0", "seconds = true", "`seconds` is True; wanted is a number"),
        ('command = ["train.py"]', "command = []", "`command` is empty"),
        ('command = ["train.py"]', 'command = ["main.py"]', "`command` names main.py, which is not in the folder"),
        ("([0-9.]+)", "[0-9.]+", "[metric]: `pattern` is 'accuracy: [0-9.]+'; wanted is a regular expression with one"),
        ("([0-9.]+)", "([0-9.]+", "`pattern` is 'accuracy: ([0-9.]+'; wanted is a regular expression"),
        ('better = "higher"', 'better = "more"', '`better` is \'more\'; wanted is "higher" or "lower"'),
        ('better = "higher"', 'better = "lower"', "`reaches` is 0.95; wanted is lower than `chance`, which is 0.5"),
        ("reaches = 0.95", "reaches = 0.5", "`reaches` is 0.5; wanted is higher"),
        ("needs = []", "needs = [", "tiny/program.toml: "),
    ],
)
def test_a_wrong_description_names_file_and_key(make_program: MakeProgram, old: str, new: str, told: str) -> None:
    with pytest.raises(ZooError) as problem:
        make_program(description=DESCRIPTION.replace(old, new))
    assert told in str(problem.value)


def test_a_folder_is_named_in_kebab_case(make_program: MakeProgram) -> None:
    with pytest.raises(ZooError, match="kebab-case"):
        make_program(slug="Tiny_Program")


def test_one_wrong_program_does_not_hide_the_others(make_program: MakeProgram, tmp_path: Path) -> None:
    make_program("good")
    with pytest.raises(ZooError):
        make_program("bad", DESCRIPTION.replace("seconds = 2.0", "seconds = -1"))
    programs, problems = load_all(tmp_path)
    assert [program.slug for program in programs] == ["good"]
    assert [str(problem).partition(":")[0] for problem in problems] == ["bad/program.toml"]
