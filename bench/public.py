"""Public training programs that nobody of this project wrote, unchanged, on data made here: quiet, or right?

python bench/public.py --mirrors DIR --packages DIR                # all of them; writes bench/results/public.md
python bench/public.py --mirrors DIR --packages DIR --only gan     # those with the word in their name; other rows stay

DIR of --mirrors has a clone of each repository as owner+name/repo, bare or not. --packages is a folder for PYTHONPATH with
what the programs need beside torch: pip install --target DIR gymnasium matplotlib torchvision unidecode six einops einx.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import public_data as data

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "bench" / "results" / "public.md"
MEASURED = ROOT / "bench" / "results" / "public.json"
COMMITS = {
    "Diego999/pyGAT": "3664f2dc90cbf971564c0bf186dc794f12446d0c",
    "MorvanZhou/PyTorch-Tutorial": "dbe154a9e56635e51c6b0c2ccea8ae36cfb585a7",
    "eriklindernoren/PyTorch-GAN": "36d3c77e5ff20ebe0aeefd322326a134a279b93e",
    "graykode/nlp-tutorial": "d05e31ec81d56d70c1db89b99ab07e948f7ebc11",
    "jcjohnson/pytorch-examples": "0003fcdc606a79951e53bf8f46f8574fa4739f23",
    "karpathy/makemore": "988aa59e4d8fefa526d06f3b453ad116258398d4",
    "karpathy/minGPT": "37baab71b9abea1b76ab957409a1cc2fbfba8a26",
    "karpathy/nanoGPT": "3adf61e154c3fe3fca428ad6bc3818b27a3b8291",
    "lucidrains/x-transformers": "9252ed7838021ee61e6c5be0930b3a9a88efdf06",
    "patrickloeber/pytorchTutorial": "69637721ed9fa2ccf81a1093a928a52bbb591439",
    "pytorch/examples": "77f55b912142e11fcfdf5b530231fb9c52f181e8",
    "seungeunrho/minimalRL": "c8efed8481e3cd40e9739cfde220a55522555b57",
    "spro/char-rnn.pytorch": "282bcb6b15ab3929d6a588b455cfc0f19f32add4",
    "tkipf/pygcn": "1600b5b748b3976413d1e307540ccc62605b4d6d",
    "yunjey/pytorch-tutorial": "0500d3df5a2a8080ccfccbc00aca0eacc21818db",
}


def nothing(_: Path) -> None:
    """Programs that make their data themselves."""


@dataclass(frozen=True)
class Program:
    name: str
    repository: str
    folder: str
    """Where it is run; its Python files, and those of `beside`, are copied out."""
    command: str
    make: Callable[[Path], object] = nothing
    """Writes the data, given the folder it is run in."""
    beside: str = ""


SMALL_GPT = "--device=cpu --compile=False --dataset=chars --block_size=32 --batch_size=8 --n_layer=2 --n_head=2"
PROGRAMS = (
    Program(
        "word-lstm",
        "pytorch/examples",
        "word_language_model",
        "main.py --emsize 32 --nhid 32 --batch_size 8 --bptt 16 --epochs 2 --log-interval 20",
        lambda here: data.corpus(here / "data/wikitext-2"),
    ),
    Program(
        "word-transformer",
        "pytorch/examples",
        "word_language_model",
        "main.py --model Transformer --lr 5 --emsize 32 --nhid 32 --batch_size 8 --bptt 16 --epochs 2 --log-interval 20",
        lambda here: data.corpus(here / "data/wikitext-2"),
    ),
    Program(
        "mingpt-adder",
        "karpathy/minGPT",
        "",
        "projects/adder/adder.py --trainer.max_iters=600 --trainer.num_workers=0 --model.model_type=gpt-nano",
    ),
    Program(
        "mingpt-chars",
        "karpathy/minGPT",
        "",
        "projects/chargpt/chargpt.py --trainer.max_iters=300 --trainer.num_workers=0 --model.model_type=gpt-nano"
        " --trainer.batch_size=8 --data.block_size=32",
        lambda here: data.text(here / "input.txt", first="O God, O God!"),  # what it samples from
    ),
    Program(
        "nanogpt",
        "karpathy/nanoGPT",
        "",
        f"train.py {SMALL_GPT} --n_embd=32 --max_iters=400 --lr_decay_iters=400 --warmup_iters=50 --eval_interval=200"
        " --eval_iters=10 --gradient_accumulation_steps=1 --learning_rate=1e-3 --dtype=float32",
        lambda here: data.tokens(here / "data/chars"),
    ),
    Program(
        "nanogpt-slow",
        "karpathy/nanoGPT",
        "",
        f"train.py {SMALL_GPT} --n_embd=32 --learning_rate=1e-4 --decay_lr=False --max_iters=5000 --eval_interval=1000"
        " --eval_iters=10 --gradient_accumulation_steps=1 --dtype=float32",
        lambda here: data.tokens(here / "data/chars"),
    ),
    Program(
        "nanogpt-warmup",
        "karpathy/nanoGPT",
        "",
        f"train.py {SMALL_GPT} --n_embd=32 --max_iters=20000 --lr_decay_iters=20000 --eval_interval=1000 --eval_iters=10"
        " --gradient_accumulation_steps=2 --dtype=float32",
        lambda here: data.tokens(here / "data/chars"),
    ),
    Program(
        "makemore-transformer",
        "karpathy/makemore",
        "",
        "makemore.py -n 0 --max-steps 600 --n-layer 2",
        lambda here: data.names(here / "names.txt"),
    ),
    Program(
        "makemore-bigram",
        "karpathy/makemore",
        "",
        "makemore.py -n 0 --max-steps 600 --type bigram",
        lambda here: data.names(here / "names.txt"),
    ),
    Program(
        "makemore-rnn",
        "karpathy/makemore",
        "",
        "makemore.py -n 0 --max-steps 600 --type rnn",
        lambda here: data.names(here / "names.txt"),
    ),
    Program(
        "char-rnn",
        "spro/char-rnn.pytorch",
        "",
        "train.py text.txt --chunk_len 20 --batch_size 10 --n_epochs 300 --hidden_size 32",
        lambda here: data.text(here / "text.txt"),
    ),
    Program(
        "ptb-lstm",
        "yunjey/pytorch-tutorial",
        "tutorials/02-intermediate/language_model",
        "main.py",
        lambda here: data.text(here / "data/train.txt", 4000),
    ),
    Program("nnlm", "graykode/nlp-tutorial", "1-1.NNLM", "NNLM.py"),
    Program("seq2seq", "graykode/nlp-tutorial", "4-1.Seq2Seq", "Seq2Seq.py"),
    Program("text-cnn", "graykode/nlp-tutorial", "2-1.TextCNN", "TextCNN.py"),
    Program("bert", "graykode/nlp-tutorial", "5-2.BERT", "BERT.py"),
    Program("transformer", "graykode/nlp-tutorial", "5-1.Transformer", "Transformer.py"),
    Program("copy-transformer", "lucidrains/x-transformers", "", "train_parity.py"),
    Program(
        "mnist-cnn",
        "pytorch/examples",
        "mnist",
        "main.py --epochs 2 --save-model",
        lambda here: data.digits(here.parent / "data"),
    ),
    Program(
        "mnist-rnn",
        "pytorch/examples",
        "mnist_rnn",
        "main.py --epochs 2 --save-model",
        lambda here: data.digits(here.parent / "data"),
    ),
    Program(
        "siamese",
        "pytorch/examples",
        "siamese_network",
        "main.py --epochs 1",
        lambda here: data.digits(here.parent / "data"),
    ),
    Program("vae", "pytorch/examples", "vae", "main.py --epochs 3", lambda here: data.digits(here.parent / "data")),
    Program(
        "super-resolution",
        "pytorch/examples",
        "super_resolution",
        "main.py --upscale_factor 4 --batchSize 4 --nEpochs 3 --threads 0",
        lambda here: data.pictures(here / "dataset/BSDS300/images"),
    ),
    Program("polynomial", "pytorch/examples", "regression", "main.py"),
    Program("reinforce", "pytorch/examples", "reinforcement_learning", "reinforce.py"),
    Program("actor-critic", "pytorch/examples", "reinforcement_learning", "actor_critic.py"),
    Program("dqn", "seungeunrho/minimalRL", "", "dqn.py", data.gym),
    Program("ppo", "seungeunrho/minimalRL", "", "ppo.py", data.gym),
    Program("sac", "seungeunrho/minimalRL", "", "sac.py", data.gym),
    Program(
        "gan",
        "eriklindernoren/PyTorch-GAN",
        "implementations/gan",
        "gan.py --n_epochs 4",
        lambda here: data.digits(here.parents[1] / "data/mnist"),
    ),
    Program(
        "wgan-gp",
        "eriklindernoren/PyTorch-GAN",
        "implementations/wgan_gp",
        "wgan_gp.py --n_epochs 4",
        lambda here: data.digits(here.parents[1] / "data/mnist"),
    ),
    Program(
        "graph-convolution",
        "tkipf/pygcn",
        "pygcn",
        "train.py",
        lambda here: data.citations(here.parent / "data/cora"),
    ),
    Program(
        "graph-attention",
        "pytorch/examples",
        "gat",
        "main.py --epochs 60 --hidden-dim 16",
        lambda here: data.citations(here / "cora"),
    ),
    Program(
        "autoencoder-variational",
        "yunjey/pytorch-tutorial",
        "tutorials/03-advanced/variational_autoencoder",
        "main.py",
        lambda here: data.digits(here.parents[2] / "data"),
    ),
    Program("rnn-regressor", "MorvanZhou/PyTorch-Tutorial", "tutorial-contents", "403_RNN_regressor.py"),
    Program("gan-painter", "MorvanZhou/PyTorch-Tutorial", "tutorial-contents", "406_GAN.py"),
    Program("dynamic-net", "jcjohnson/pytorch-examples", "nn", "dynamic_net.py"),
    Program("logistic-regression", "patrickloeber/pytorchTutorial", "", "08_logistic_regression.py"),
)


HELD: dict[tuple[str, str], str] = {}
"""What we hold of a finding, by program and check, after reading the program."""


def copied(program: Program, mirrors: Path, into: Path) -> Path:
    """The program's Python files at its commit, with its data beside: the folder it is run in."""
    store = mirrors / program.repository.replace("/", "+") / "repo"
    git = ["git", f"--git-dir={store / '.git' if (store / '.git').is_dir() else store}"]
    commit = COMMITS[program.repository]
    where = [program.folder] if program.folder else []
    listed = subprocess.run([*git, "ls-tree", "-rz", "--name-only", commit, *where], capture_output=True, check=True)
    for name in listed.stdout.decode().split("\0"):
        if name.endswith((".py", ".gitignore")):  # the latter keep folders that are written to
            path = into / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(subprocess.run([*git, "show", f"{commit}:{name}"], capture_output=True, check=True).stdout)
    here = into / program.folder
    program.make(here)
    return here


def measured(program: Program, mirrors: Path, packages: Path) -> dict[str, Any]:
    """What `check` and `rehearse` say of it, and what they leave in its folder."""
    with tempfile.TemporaryDirectory() as folder:
        here = copied(program, mirrors, Path(folder).resolve() / "copy")
        before = {path for path in here.rglob("*") if path.is_file()}
        made: dict[str, Any] = {verb: asked(verb, program, here, packages) for verb in ("check", "rehearse")}
        after = {
            path for path in here.rglob("*") if path.is_file() and not {".firstlight", "__pycache__"} & set(path.parts)
        }
        made["left"] = sorted(str(path.relative_to(here)) for path in after - before)
    return made


def asked(verb: str, program: Program, here: Path, packages: Path) -> dict[str, Any]:
    words = [sys.executable, "-m", "firstlight", verb, "--format", "json", *program.command.split()]
    paths = os.pathsep.join((str(packages), str(here)))
    environment = {**os.environ, "PYTHONPATH": paths, "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1"}
    begun = time.monotonic()
    done = subprocess.run(words, cwd=here, env=environment, capture_output=True, text=True, check=False)
    seconds = round(time.monotonic() - begun)
    if not done.stdout:
        return {"verdict": "no report", "said": done.stderr[-400:], "seconds": seconds, "findings": []}
    report = json.loads(done.stdout)
    keep = ("id", "name", "severity", "confidence", "cause", "saw")
    return {
        "verdict": report["verdict"],
        "reason": report.get("reason"),
        "seconds": seconds,
        "learns": (report["assurance"].get("learns") or {}).get("status"),
        "rehearsal": report["assurance"].get("rehearsal"),
        "findings": [{**{key: one[key] for key in keep}, "line": one["where"]["line"]} for one in report["findings"]],
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--mirrors", type=Path, required=True, help="Folder of clones, each as owner+name/repo.")
    parser.add_argument("--packages", type=Path, required=True, help="Folder with what the programs import.")
    parser.add_argument("--only", default="", help="Programs with this in their names.")
    asked_for = parser.parse_args()
    known = json.loads(MEASURED.read_text(encoding="utf-8")) if MEASURED.exists() else {}
    for program in PROGRAMS:
        if asked_for.only in program.name:
            known[program.name] = measured(program, asked_for.mirrors.resolve(), asked_for.packages.resolve())
            print(program.name, json.dumps(known[program.name]), flush=True)
            MEASURED.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    RESULTS.write_text(_page(known), encoding="utf-8")


def _page(known: dict[str, Any]) -> str:
    """The measured programs in the order of the table."""
    measured_ones = [(program, known[program.name]) for program in PROGRAMS if program.name in known]
    quiet = sum(made["check"]["verdict"] == "clean" for _, made in measured_ones)
    ends = sum(bool((made["rehearse"]["rehearsal"] or {}).get("reached_end")) for _, made in measured_ones)
    left = sum(bool(made["left"]) for _, made in measured_ones)
    return "\n".join(
        [
            "# Public programs",
            "",
            "Written by `bench/public.py`: training programs of public repositories at the commits it names, their code",
            "unchanged, with arguments that make them small, on data that `bench/public_data.py` makes in the formats they",
            f"expect. Python {platform.python_version()}, {os.cpu_count()} cores that others used too.",
            "",
            f"- {len(measured_ones)} programs, {quiet} of them clean",
            f"- {ends} rehearsals reached the program's own end",
            f"- {left} runs left files in the program's folder",
            "",
            "| program | repository | command | verdict | learns | findings | rehearsal | check, rehearsal, whole run (s) |",
            "|---|---|---|---|---|---|---|---|",
            *(_row(program, made) for program, made in measured_ones),
            "",
            *_faults(),
        ]
    )


def _row(program: Program, made: dict[str, Any]) -> str:
    check, rehearsed = made["check"], made["rehearse"]
    findings = {(one["id"], one["name"], one["severity"]) for one in check["findings"] + rehearsed["findings"]}
    told = "<br>".join(
        f"{severity} {id_} {name}: {HELD.get((program.name, id_), 'not judged yet')}"
        for id_, name, severity in sorted(findings)
        if severity != "note"
    )
    end = rehearsed["rehearsal"] or {}
    reached = "reached its end" if end.get("reached_end") else f"stopped: {end.get('why') or rehearsed['reason']}"
    whole = end.get("full_seconds")
    cells = (
        program.name,
        f"{program.repository} `{program.folder or '.'}`",
        f"`{program.command}`",
        check["verdict"],
        check["learns"] or "",
        told,
        reached + (f"; left {', '.join(made['left'])}" if made["left"] else ""),
        f"{check['seconds']}, {rehearsed['seconds']}, {'?' if whole is None else f'~{whole:.0f}'}",
    )
    return f"| {' | '.join(cells)} |"


def _faults() -> list[str]:
    return []


if __name__ == "__main__":
    main()
