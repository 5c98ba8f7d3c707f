"""Faults that new users ran into, each planted in three programs of the zoo's tune half, and what `check` says of them.

`python bench/trials.py [TRIAL …]` prints a table, one row at a time, the healthy programs first. A row is right if the
verdict is `ill` or `warn`, the cause named first is the planted one, and the healthy program is clean.
"""

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from zoo import cache, programs, running  # noqa: E402 (the zoo is no package that is installed)
from zoo.records import Program  # noqa: E402
from zoo.scoring.judging import Firstlight, default_executable  # noqa: E402
from zoo.split import half_of_program  # noqa: E402

PLAIN_SECONDS = 300.0
Edits = tuple[tuple[str, str], ...]
"""What is replaced, and by what; each once, in whichever file has it."""

BOW, OBJECT, TONE = "bow-review-sentiment", "object-position", "tone-chirp-stft"
MODELS = {
    BOW: "    model = TextClassifier(len(vocab), 24, 2)\n",
    OBJECT: "model = Localizer()\n",
    TONE: "    net = AudioCNN(feats.size(1), len(CLASSES))\n",
}
RATES = {BOW: ("default=3e-3", "default={}"), OBJECT: ("lr=1.5e-3", "lr={}"), TONE: ("default=4e-3", "default={}")}
ZEROED = """{indent}for parameter in {model}.parameters():
{indent}    nn.init.zeros_(parameter)
"""
DEALT = """data[n_test + n_val :]
    dealt = torch.randperm(len(train)).tolist()
    train = [(text, train[other][1]) for (text, _), other in zip(train, dealt)]
"""
SIGMOIDS = "*(m for _ in range(11) for m in (nn.Linear({0}, {0}), nn.Sigmoid()))"


@dataclass(frozen=True)
class Trial:
    number: str
    """In the list of what users ran into."""
    name: str
    causes: tuple[str, ...]
    """Any of them is right."""
    planted: Mapping[str, Edits]


def _after_model(text: str) -> dict[str, Edits]:
    """`text` with `{model}` and `{indent}`, right after the model is made."""
    made: dict[str, Edits] = {}
    for slug, line in MODELS.items():
        indent, model = re.match(r"( *)(\w+)", line).groups()  # type: ignore[union-attr]
        made[slug] = ((line, line + text.format(model=model, indent=indent)),)
    return made


def _frozen() -> dict[str, Edits]:
    last = {BOW: "fc", OBJECT: "out", TONE: "fc"}
    text = "{indent}{model}.requires_grad_(False)\n{indent}{model}.LAST.bias.requires_grad_(True)\n"
    return {
        slug: tuple((old, new.replace("LAST", last[slug])) for old, new in edits)
        for slug, edits in _after_model(text).items()
    }


def _rates(values: Mapping[str, str]) -> dict[str, Edits]:
    return {slug: ((old, new.format(values[slug])),) for slug, (old, new) in RATES.items()}


TRIALS = (
    Trial("1", "all but one bias frozen", ("train-frozen",), _frozen()),
    Trial("1, 9", "all weights begin at zero", ("arch-init",), _after_model(ZEROED)),
    Trial(
        "1, 5",
        "twelve sigmoids on each other",
        ("arch-vanishing",),
        {
            BOW: (
                (
                    "nn.Linear(embed_dim, 32)",
                    f"nn.Sequential(nn.Linear(embed_dim, 32), nn.Sigmoid(), {SIGMOIDS.format(32)})",
                ),
            ),
            OBJECT: (
                (
                    "nn.Linear(24 * 6 * 6, 64)",
                    f"nn.Sequential(nn.Linear(24 * 6 * 6, 64), nn.Sigmoid(), {SIGMOIDS.format(64)})",
                ),
            ),
            "quantile-pinball": (
                ("nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU())", f"nn.Sigmoid(), {SIGMOIDS.format('hidden')})"),
            ),
        },
    ),
    Trial(
        "1",
        "answers of other examples",
        ("data-label-misaligned", "data-label-noise"),
        {
            BOW: (
                (
                    "data[n_test + n_val :]\n",
                    DEALT,
                ),
            ),
            OBJECT: (
                (
                    "x_train, y_train = make_set(2000)\n",
                    "x_train, y_train = make_set(2000)\ny_train = y_train[torch.randperm(len(y_train))]\n",
                ),
            ),
            TONE: (
                (
                    "make_split(900, seed=100)\n",
                    "make_split(900, seed=100)\n    labels = labels[torch.randperm(len(labels))]\n",
                ),
            ),
        },
    ),
    Trial("2", "a rate of 1e-7", ("hp-lr-low",), _rates(dict.fromkeys(RATES, "1e-7"))),
    Trial(
        "6, 7", "fifty to a hundred times the rate", ("hp-lr-high",), _rates({BOW: "0.3", OBJECT: "0.08", TONE: "0.4"})
    ),
    Trial("10, 12", "a rate of 30", ("hp-lr-high",), _rates(dict.fromkeys(RATES, "30.0"))),
    Trial(
        "5",
        "hardly any units",
        ("arch-capacity",),
        {
            OBJECT: (("24 * 6 * 6, 64)", "24 * 6 * 6, 1)"), ("nn.Linear(64, 2)", "nn.Linear(1, 2)")),
            "multilabel-tagging": (
                ("nn.Linear(32 * 5 * 5, 64)", "nn.Linear(32 * 5 * 5, 1)"),
                ("nn.Linear(64, n_tags)", "nn.Linear(1, n_tags)"),
            ),
            "mixup-digits-json": (('"channels": [16, 32], "hidden": 64', '"channels": [1, 1], "hidden": 1'),),
        },
    ),
    Trial(
        "8",
        "inputs that are all the same",
        ("data-degenerate",),
        {
            BOW: (("_token_re.findall(text.lower())", "_token_re.findall(text.upper())"),),
            OBJECT: ((".unsqueeze(1)\n    y =", ".unsqueeze(1)\n    x = (x > 50).float()\n    y ="),),
            TONE: (
                (
                    "(feats - mean) / std, (eval_feats - mean) / std",
                    "(feats > 50).float(), (eval_feats > 50).float()",
                ),
            ),
        },
    ),
    Trial(
        "9",
        "answers far from zero, in their raw unit",
        ("data-scale",),
        {
            OBJECT: (
                ("return 2 * p / (SIZE - 1) - 1", "return 300000.0 + 5000 * p"),
                ("return (u + 1) * (SIZE - 1) / 2", "return (u - 300000.0) / 5000"),
            ),
            "quantile-pinball": (
                (
                    "y_mean, y_std = minutes[tr].mean(), minutes[tr].std()",
                    "minutes = 300000.0 + 5000 * minutes\ny_mean, y_std = 0.0, 1.0",
                ),
            ),
            "embedding-tabular": (
                (
                    '"y": np.log1p(df[TARGET].to_numpy(dtype=np.float32))',
                    '"y": 300000.0 + 5000 * np.log1p(df[TARGET].to_numpy(dtype=np.float32))',
                ),
            ),
        },
    ),
)


def planted(program: Program, edits: Edits) -> dict[str, str]:
    """The program's files; an edit that fits nowhere, or in two places, is an error."""
    files = dict(program.files)
    for old, new in edits:
        (path,) = (path for path, text in files.items() if text.count(old) == 1)
        files[path] = files[path].replace(old, new)
    return files


class Bench:
    def __init__(self) -> None:
        self.firstlight = Firstlight(
            default_executable().absolute(), "check", 0, cache.Cache(cache.FOLDER / "judgements.jsonl")
        )
        self.healthy: dict[str, str] = {}

    def row(self, trial: Trial | None, program: Program, edits: Edits) -> bool:
        files = planted(program, edits)
        ran = running.run_program(files, program.command, program.metric, 0, PLAIN_SECONDS)
        said = self.firstlight.judge(files, program.command)
        cause = "" if said.first is None else f"{said.first.cause} {said.first.probability:.0%}"
        metric = ran.ending if ran.metric is None else f"{ran.metric:.4g}"
        if trial is None:
            self.healthy[program.slug] = said.verdict
            right = said.verdict == "clean"
        else:
            named = said.first is not None and said.first.cause in trial.causes
            right = said.alarmed and named and self.healthy[program.slug] == "clean"
        number, name = ("", "healthy") if trial is None else (trial.number, trial.name)
        cells = (number, name, program.slug, f"{program.metric.name} {metric}", said.verdict, cause)
        print("|", " | ".join((*cells, "right" if right else "**wrong**", f"{said.seconds:.0f} s")), "|", flush=True)
        return right


def main(wanted: list[str]) -> None:
    trials = [trial for trial in TRIALS if not wanted or set(wanted) & set(trial.number.split(", "))]
    known = {program.slug: program for program in programs.load_all()[0] if half_of_program(program) == "tune"}
    bench = Bench()
    print("| trial | fault | program | by itself | verdict | cause first |  | check |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for slug in sorted({slug for trial in trials for slug in trial.planted}):
        bench.row(None, known[slug], ())
    made = [bench.row(trial, known[slug], edits) for trial in trials for slug, edits in trial.planted.items()]
    print(f"\n{sum(made)} of {len(made)} faults are told with the right cause first.")


if __name__ == "__main__":
    main(sys.argv[1:])
