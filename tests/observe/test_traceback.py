from pathlib import Path

import firstlight.observe
from firstlight.observe.traceback import message_of, site_of, without_ours

OURS = Path(firstlight.observe.__file__).parent / "inside" / "start.py"
LINES = f"""epoch 0
Traceback (most recent call last):
  File "<frozen runpy>", line 198, in _run_module_as_main
  File "{OURS}", line 40, in main
    _run_file(arguments[0], arguments)
  File "train.py", line 12, in <module>
    main()
    ^^^^^^
  File "/usr/lib/python3.11/site-packages/torch/nn/modules/linear.py", line 5, in forward
    return F.linear(x)
RuntimeError: mat1 and mat2 shapes cannot be multiplied (8x4 and 5x2)""".splitlines()


def test_our_frames_are_left_out_and_nothing_else() -> None:
    kept = without_ours(LINES)
    assert not [line for line in kept if "start.py" in line or "_run_file" in line or "runpy" in line]
    assert [line for line in LINES if line not in kept] == LINES[2:5]


def test_the_users_line_and_the_message_are_found(tmp_path: Path) -> None:
    site = site_of(LINES, tmp_path)
    assert site is not None
    assert (site.file, site.line) == ("train.py", 12)
    assert message_of(LINES) == "RuntimeError: mat1 and mat2 shapes cannot be multiplied (8x4 and 5x2)"


def test_output_without_a_traceback_gives_its_last_line(tmp_path: Path) -> None:
    assert (
        message_of(["usage: train.py", "train.py: error: --lr is required", ""]) == "train.py: error: --lr is required"
    )
    assert site_of(["nothing here"], tmp_path) is None
    assert message_of([]) == ""


def test_of_two_tracebacks_the_last_counts(tmp_path: Path) -> None:
    lines = ["Traceback (most recent call last):", '  File "a.py", line 1, in f', "KeyError: 'x'", "", *LINES]
    site = site_of(lines, tmp_path)
    assert site is not None
    assert site.file == "train.py"
