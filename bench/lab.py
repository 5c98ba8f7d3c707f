"""The benches of the lab, on one page.

    python bench/lab.py [--repetitions 400] [--grid-steps 450] [PROGRAM ...]

Writes `bench/results/lab.md`: the suggestions of `lr-find` against a fine grid and two other finders
(`bench/lab_rates.py`, which goes on where it stood), what the statistics promise by simulation
(`bench/lab_statistics.py`), and the sources of luck that `seeds` finds in constructed programs (`bench/lab_shares.py`).
That `seeds`, `compare` and `ablate` tell the same on Ray as locally is a test: `tests/lab/test_on_ray.py`.
"""

import argparse
import os
import platform

import lab_rates
import lab_shares
import lab_statistics
import torch

PAGE = lab_rates.RESULTS.with_name("lab.md")
RATES = """\
A grid of trainings at held rates, a quarter of a decade apart and longer than those of `lr-find` (450 steps against
300, or as many as the program makes); its lowest last loss is the best rate, and what ends within the noise or within
5 % of what that gained is as good. In brackets, how far a suggestion is from the best rate; the seconds are those of
the whole answer, on a machine that others used as well. The other finders' ramps are as they make them by default, read by the rules they
publish: Lightning 2.6 `_LRFinder.suggestion` (lightning/pytorch/tuner/lr_finder.py) and fastai 2 `valley`
(fastai/callback/schedule.py).
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", default=list(lab_rates.PROGRAMS))
    parser.add_argument("--repetitions", type=int, default=400)
    parser.add_argument("--grid-steps", type=int, default=450)
    options = parser.parse_args()
    rates = lab_rates.section(lab_rates.measured(options.programs, options.grid_steps))
    lines = [
        "# The lab",
        "",
        (
            f"`python bench/lab.py --repetitions {options.repetitions}` on {platform.machine()}, {os.cpu_count()} shared "
            f"cores, {platform.system()}, Python {platform.python_version()}, torch {torch.__version__.split('+')[0]} CPU."
        ),
        "",
        "## `lr-find` against a grid",
        "",
        RATES,
        *rates,
        "",
        *lab_statistics.sections(options.repetitions),
        "## Sources of luck in real runs",
        "",
        (
            f"`firstlight seeds` on a program whose luck is constructed, {lab_shares.RUNS} runs for each source, and as many "
            "of one seed where they differ."
        ),
        "",
        *lab_shares.section(),
    ]
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"wrote {PAGE}")


if __name__ == "__main__":
    main()
