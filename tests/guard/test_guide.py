"""The program and the red flag in the guide are real."""

import re
import subprocess
import sys
from pathlib import Path

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guard.md"


def test_the_program_of_the_guide_prints_the_flag_of_the_guide(tmp_path: Path) -> None:
    blocks = re.findall(r"```(\w*)\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    (program,) = [text for kind, text in blocks if kind == "python" and "class Net" in text]
    (shown,) = [text for kind, text in blocks if kind == "text" and text.startswith("error[FL670]")]
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, check=True, cwd=tmp_path, capture_output=True, text=True, timeout=120)

    assert shown in done.stderr
