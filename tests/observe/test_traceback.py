from pathlib import Path

import firstlight.observe
from firstlight.observe.traceback import message_of, refused, site_of, without_ours

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


def test_what_a_device_asserted_is_part_of_the_message() -> None:
    asserted = "Loss.cu:250: nll_loss: block: [0,0,0], thread: [3,0,0] Assertion `t >= 0 && t < n_classes` failed."
    error = "torch.AcceleratorError: CUDA error: device-side assert triggered"

    assert message_of([asserted, *LINES[:-1], error]) == f"{error}: Assertion `t >= 0 && t < n_classes` failed"
    assert message_of([asserted, *LINES]) == LINES[-1]


def test_of_ranks_that_crash_side_by_side_one_is_read_and_not_their_launcher(tmp_path: Path) -> None:
    lines = [
        "[rank1]: Traceback (most recent call last):",
        "[rank0]: Traceback (most recent call last):",
        '[rank1]:   File "train.py", line 7, in other',
        '[rank0]:   File "train.py", line 9, in main',
        "[rank1]: ValueError: another",
        "[rank0]: RuntimeError: Expected to have finished reduction in the prior iteration",
        "Traceback (most recent call last):",
        '  File "/usr/bin/torchrun", line 6, in <module>',
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:",
        "  traceback : To enable traceback see: the manual",
    ]
    site = site_of(lines, tmp_path)
    assert site is not None
    assert (site.file, site.line) == ("train.py", 9)
    assert message_of(lines) == "RuntimeError: Expected to have finished reduction in the prior iteration"


def test_a_path_that_could_not_be_written_to_is_blamed_only_where_it_may_be_the_reason(tmp_path: Path) -> None:
    said = [f"mkdir: cannot create directory '{tmp_path}': Permission denied"]

    assert refused([*said, "RuntimeError: the cache could not be made"]) == str(tmp_path)
    assert refused([*said, "TypeError: Cannot perform reduction 'mean' with string dtype"]) is None
    assert refused([f"OSError: [Errno 30] Read-only file system: '{tmp_path}'"]) == str(tmp_path)
