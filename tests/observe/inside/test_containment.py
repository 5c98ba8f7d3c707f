"""Each script runs in a process of its own, contained, in a project of which every byte is compared afterwards."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import firstlight
from firstlight.observe.inside import containment

PREAMBLE = """
import os, sys
from pathlib import Path
from firstlight.observe.inside import containment
SCRATCH = Path(".firstlight/runs/1/scratch").absolute()
os.environ.update(containment.tracker_environment(SCRATCH))
overlay = containment.install(SCRATCH)
"""


class Project:
    """A user's folder with a log and a checkpoint in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "checkpoints").mkdir(parents=True)
        (folder / "checkpoints/best.pt").write_bytes(b"precious")
        (folder / "log.txt").write_text("old\n")

    def files(self) -> dict[str, bytes | None]:
        found = (path for path in self.folder.rglob("*") if ".firstlight" not in path.parts)
        return {
            str(path.relative_to(self.folder)): path.read_bytes() if path.is_file() else None
            for path in found
            if "__pycache__" not in path.parts
        }

    def run(self, script: str, **environment: str) -> str:
        """Run it contained, and answer what it printed; the project must be as before."""
        before = self.files()
        code = PREAMBLE + textwrap.dedent(script)
        source = str(Path(firstlight.__file__).parents[1])
        run = subprocess.run(
            [sys.executable, "-c", code],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": source, **environment},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert self.files() == before
        assert run.returncode == 0, run.stderr[-4000:]
        return run.stdout


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")


def test_a_file_that_exists_is_appended_to_overwritten_and_removed(project: Project) -> None:
    assert project.run("""
        with open("log.txt", "a") as file:
            file.write("new\\n")
        print(open("log.txt").read().split(), file.name)
        Path("log.txt").write_text("over")
        print(Path("log.txt").read_text(), os.path.getsize("log.txt"))
        os.remove("log.txt")
        print(os.path.exists("log.txt"), sorted(os.listdir()))
        try:
            open("log.txt")
        except FileNotFoundError as problem:
            print(problem.filename)
    """).splitlines() == ["['old', 'new'] log.txt", "over 4", "False ['.firstlight', 'checkpoints']", "log.txt"]


def test_a_folder_of_the_user_is_removed_only_in_the_script_s_eyes(project: Project) -> None:
    assert project.run("""
        import shutil
        shutil.rmtree("checkpoints")
        print(os.path.exists("checkpoints"), Path("checkpoints/best.pt").exists())
        os.makedirs("checkpoints")
        print(os.listdir("checkpoints"))
    """).splitlines() == ["False False", "[]"]


def test_what_was_held_back_is_listed_with_the_user_s_paths(project: Project) -> None:
    assert project.run("""
        import logging
        logging.basicConfig(handlers=[logging.FileHandler("train.log")])
        logging.warning("hello")
        Path("a").mkdir(); Path("a/b.txt").touch()
        print(*(os.path.relpath(path) for path in containment.held_back(overlay)))
        print("hello" in Path("train.log").read_text())
        print(containment.install(SCRATCH) is overlay)
    """).splitlines() == ["a/b.txt train.log", "True", "True"]


def test_a_script_that_changes_into_a_folder_it_made_stays_in_the_user_s_paths(project: Project) -> None:
    assert project.run("""
        home = os.getcwd()
        os.makedirs("outputs/2026/run"); os.chdir("outputs/2026/run")
        print(os.path.relpath(os.getcwd(), home), os.path.relpath(Path("x.txt").absolute(), home))
        Path("x.txt").write_text("1")
        import subprocess
        subprocess.run(["touch", "from_a_program"], check=True)
        print(sorted(os.listdir()), Path("../../../log.txt").read_text().strip())
        os.chdir(home)
        subprocess.run(["pwd"], cwd="outputs/2026", check=True, stdout=subprocess.DEVNULL)
        print(sorted(str(path) for path in Path("outputs").rglob("*")))
    """).splitlines() == [
        "outputs/2026/run outputs/2026/run/x.txt", "['from_a_program', 'x.txt'] old",
        "['outputs/2026', 'outputs/2026/run', 'outputs/2026/run/from_a_program', 'outputs/2026/run/x.txt']",
    ]  # fmt: skip


def test_temporary_files_are_real_and_go_away(project: Project) -> None:
    assert project.run("""
        import subprocess, tempfile
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "x").write_text("seen by others")
            print(subprocess.check_output(["cat", f"{folder}/x"], text=True))
        print(os.path.exists(folder))
        with tempfile.NamedTemporaryFile(dir=".") as file:
            print(os.path.exists(file.name))
        print(os.path.exists(file.name))
    """).splitlines() == ["seen by others", "False", "True", "False"]


def test_a_project_in_the_temporary_directory_itself_is_held_too(project: Project) -> None:
    printed = project.run(
        """
        import tempfile
        Path("result.txt").write_text("1")
        with tempfile.NamedTemporaryFile() as file:
            print(os.path.relpath(os.path.dirname(file.name)))
        """,
        TMPDIR=str(project.folder),
    )
    assert printed.splitlines() == [".firstlight/runs/1/scratch/tmp"]


def test_what_bypasses_the_routes_is_refused_by_name(project: Project) -> None:
    assert project.run("""
        import posix
        for act in (lambda: posix.unlink("log.txt"), lambda: posix.open("new", os.O_WRONLY | os.O_CREAT),
                    lambda: posix.rename("log.txt", "other"), lambda: posix.mkdir("sub")):
            try:
                act()
            except OSError as problem:
                print(problem.filename)
    """).splitlines() == ["log.txt", "new", "log.txt", "sub"]


def test_a_fault_of_ours_is_an_error_and_never_a_write(project: Project) -> None:
    assert project.run("""
        overlay.locate = lambda *_args: 1 / 0
        try:
            open("log.txt", "w")
        except OSError as problem:
            print(problem.filename, problem.strerror)
    """).splitlines() == ["log.txt firstlight could not hold this back"]


def test_every_way_to_name_a_file_works(project: Project) -> None:
    assert project.run("""
        import io, pickle
        open(b"bytes.txt", "w").close()
        open(Path("path.txt"), mode="w").close()
        with open(os.open("fd.txt", os.O_WRONLY | os.O_CREAT), "w") as file: file.write("fd")
        open("opener.txt", "w", opener=lambda name, flags: os.open(name, flags)).close()
        with io.FileIO("raw.bin", "wb") as raw: raw.write(b"raw")
        print(isinstance(open("log.txt", "rb", buffering=0), io.FileIO), os.stat(path="raw.bin").st_size)
        print(b"bytes.txt" in os.listdir(b"."), pickle.loads(pickle.dumps(os.remove)) is os.remove)
        class Holder: opened = open
        print(Holder().opened("log.txt").read().strip(), os.stat in os.supports_dir_fd)
    """).splitlines() == ["True 3", "True True", "old True"]


def test_sqlite_databases_are_copied(project: Project) -> None:
    project.run("import sqlite3; sqlite3.connect(':memory:').execute('create table t(x)')")
    import sqlite3

    connection = sqlite3.connect(project.folder / "study.db")
    connection.execute("create table t(x)")
    connection.commit()
    connection.close()
    assert project.run("""
        import sqlite3
        from sqlite3 import dbapi2
        with dbapi2.connect("study.db") as connection:
            connection.execute("insert into t values (1)")
        connection.close()
        connection = sqlite3.connect("file:study.db?mode=ro", uri=True)
        print(connection.execute("select count(*) from t").fetchone())
        sqlite3.connect(Path("new.db")).execute("create table u(x)")
        print(os.path.exists("new.db"))
    """).splitlines() == ["(1,)", "True"]


JOBS = """
    import os
    from pathlib import Path
    Path("imported-by-" + str(os.getpid())).write_text("x")
    def look(answers):
        Path("child.txt").write_text("from the child")
        answers.put((Path("parent.txt").read_text(), os.path.exists("log.txt"), os.path.basename(os.getcwd())))
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes_share_what_is_held_back(project: Project, method: str) -> None:
    (project.folder / "jobs.py").write_text(textwrap.dedent(JOBS))
    assert project.run(f"""
        import multiprocessing, jobs
        os.makedirs("out"); os.remove("log.txt"); os.chdir("out")
        Path("parent.txt").write_text("from the parent")
        context = multiprocessing.get_context("{method}")
        answers = context.Queue()
        child = context.Process(target=jobs.look, args=(answers,))
        child.start()
        print(answers.get(timeout=60), child.join())
        print(Path("child.txt").read_text())
    """).splitlines() == ["('from the parent', False, 'out') None", "from the child"]


def test_joblib_workers_are_contained(project: Project) -> None:
    pytest.importorskip("joblib")
    (project.folder / "jobs.py").write_text("def put(name):\n    open(name, 'w').write('x')\n    return name\n")
    assert project.run("""
        import joblib, jobs
        print(joblib.Parallel(n_jobs=2)(joblib.delayed(jobs.put)(name) for name in ("a", "b")), os.path.exists("a"))
    """).splitlines() == ["['a', 'b'] True"]


def test_torch_saves_and_loads_what_it_saved(project: Project) -> None:
    pytest.importorskip("torch")
    assert project.run("""
        import torch
        from torch.utils.data import DataLoader
        model = torch.nn.Linear(2, 2)
        os.makedirs("new")
        torch.save(model.state_dict(), "checkpoints/best.pt")
        torch.save({"x": torch.ones(2)}, Path("new/é.pt"))
        print(len(torch.load("checkpoints/best.pt")), torch.load("checkpoints/best.pt", mmap=True).keys())
        print(torch.load(Path("new/é.pt")), torch.load(f=open("new/é.pt", "rb")))
        try:
            torch.save(1, "missing/x.pt")
        except RuntimeError as problem:
            print("does not exist" in str(problem))
        exported = torch.export.export(model, (torch.ones(1, 2),))
        torch.export.save(exported, "m.pt2"); torch.export.load("m.pt2")
        with torch.profiler.profile() as profile: model(torch.ones(1, 2))
        profile.export_chrome_trace("new/trace.json")
        print(os.path.getsize("new/trace.json") > 0)
        loader = DataLoader(list(range(8)), batch_size=4, num_workers=2)
        print([batch.tolist() for batch in loader])
    """).splitlines() == [
        "2 odict_keys(['weight', 'bias'])", "{'x': tensor([1., 1.])} {'x': tensor([1., 1.])}", "True", "True",
        "[[0, 1, 2, 3], [4, 5, 6, 7]]",
    ]  # fmt: skip


def test_a_scripted_module_is_held_back(project: Project) -> None:
    pytest.importorskip("torch")
    assert project.run("""
        import warnings; warnings.simplefilter("ignore")
        import torch
        scripted = torch.jit.script(torch.nn.Linear(2, 2))
        scripted.save("method.pt"); torch.jit.save(scripted, "function.pt")
        print(type(torch.jit.load("method.pt")).__name__, os.path.exists("function.pt"))
    """).splitlines() == ["RecursiveScriptModule True"]


def test_tensorboard_writes_aside(project: Project) -> None:
    pytest.importorskip("tensorboard")
    assert project.run("""
        from torch.utils.tensorboard import SummaryWriter
        with SummaryWriter("runs/a") as writer:
            writer.add_scalar("loss", 1.0, 0)
        print([name.split(".")[0] for name in os.listdir("runs/a")])
    """).splitlines() == ["['events']"]


def test_numpy_pandas_and_parquet_go_round(project: Project) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    assert project.run("""
        import numpy as np, pandas as pd, pyarrow.parquet as pq
        np.save("x.npy", np.arange(3)); np.savez("x.npz", a=np.arange(2)); np.arange(4).tofile("x.bin")
        mapped = np.memmap("m.bin", dtype="int32", mode="w+", shape=(2,)); mapped[:] = 7; mapped.flush()
        print(np.load("x.npy", mmap_mode="r+").sum(), np.load("x.npz")["a"].sum(), np.fromfile("x.bin", "int64").sum())
        print(np.memmap("m.bin", dtype="int32", mode="r").sum())
        frame = pd.DataFrame({"a": [1, 2]})
        frame.to_csv("x.csv"); frame.to_pickle("x.pkl"); frame.to_parquet("x.parquet")
        print(len(pd.read_csv("x.csv")), len(pd.read_pickle("x.pkl")), len(pd.read_parquet("x.parquet")))
        pq.write_table(pq.read_table("x.parquet"), "y.parquet"); print(pq.ParquetFile("y.parquet").metadata.num_rows)
    """).splitlines() == ["3 1 6", "14", "2 2 2", "2"]


def test_safetensors_go_round(project: Project) -> None:
    pytest.importorskip("safetensors")
    assert project.run("""
        import torch
        from safetensors import safe_open
        from safetensors.torch import load_file, save_file
        save_file({"x": torch.ones(2)}, "m.safetensors")
        with safe_open("m.safetensors", framework="pt") as file:
            print(list(file.keys()), load_file(Path("m.safetensors"))["x"].sum().item())
    """).splitlines() == ["['x'] 2.0"]


def test_h5py_modes(project: Project) -> None:
    pytest.importorskip("h5py")
    assert project.run("""
        import h5py
        with h5py.File("x.h5", "w") as file: file["a"] = [1, 2]
        with h5py.File("x.h5", "a") as file: file["b"] = [3]
        with h5py.File(Path("x.h5")) as file: print(sorted(file))
        try: h5py.File("x.h5", "x")
        except FileExistsError: print("exists")
    """).splitlines() == ["['a', 'b']", "exists"]


def test_pictures_go_round(project: Project) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("PIL")
    assert project.run("""
        import matplotlib; matplotlib.use("agg")
        import matplotlib.pyplot as plt
        from PIL import Image
        plt.plot([1, 2]); plt.savefig("loss.png"); plt.savefig("loss.pdf")
        Image.new("RGB", (4, 4)).save("x.jpg")
        print(Image.open("loss.png").format, Image.open("x.jpg").size, os.path.getsize("loss.pdf") > 0)
    """).splitlines() == ["PNG (4, 4) True"]


def test_a_hugging_face_model_and_tokenizer_are_saved_aside_and_loaded(project: Project) -> None:
    pytest.importorskip("transformers")
    assert project.run("""
        from tokenizers import Tokenizer, models
        from transformers import BertConfig, BertModel, PreTrainedTokenizerFast
        small = BertConfig(hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8, vocab_size=9)
        BertModel(small).save_pretrained("model")
        plain = Tokenizer(models.WordLevel({"a": 0, "[UNK]": 1}, unk_token="[UNK]"))
        PreTrainedTokenizerFast(tokenizer_object=plain).save_pretrained("model")
        print(BertModel.from_pretrained("model").config.hidden_size)
        print(PreTrainedTokenizerFast.from_pretrained("model").encode("a"))
    """).splitlines()[-2:] == ["8", "[0]"]


def test_nothing_goes_to_weights_and_biases(project: Project) -> None:
    pytest.importorskip("wandb")
    assert project.run("""
        import wandb
        os.environ["WANDB_MODE"] = "online"
        print(wandb.login(key="x" * 40))
        with wandb.init(project="p", mode="online", config={"lr": 1}, settings=wandb.Settings(mode="online")) as run:
            run.log({"loss": 1.0}); wandb.log({"loss": 2.0})
            print(run.config.lr, run.settings.mode, run.url)
    """).splitlines() == ["True", "1 disabled None"]


def test_mlflow_keeps_to_the_scratch_folder(project: Project) -> None:
    pytest.importorskip("mlflow")
    assert project.run("""
        import mlflow
        os.environ["MLFLOW_TRACKING_URI"] = "http://127.0.0.1:9"
        mlflow.set_tracking_uri("http://127.0.0.1:9"); mlflow.set_registry_uri("http://127.0.0.1:9")
        mlflow.set_experiment("e")
        with mlflow.start_run():
            mlflow.log_metric("loss", 1.0); mlflow.log_artifact("log.txt")
        print(len(mlflow.MlflowClient(tracking_uri="http://127.0.0.1:9").search_experiments()))
        print(mlflow.get_tracking_uri() == (SCRATCH / "mlruns").as_uri())
    """).splitlines() == ["2", "True"]


def test_nothing_is_sent_to_the_hub(project: Project) -> None:
    pytest.importorskip("huggingface_hub")
    assert project.run(
        """
        import huggingface_hub
        print(huggingface_hub.create_repo("model", exist_ok=True).repo_id)
        api = huggingface_hub.HfApi(endpoint="http://127.0.0.1:9")
        print(api.upload_file(path_or_fileobj="log.txt", path_in_repo="x", repo_id="me/model").repo_url.repo_id)
        print(huggingface_hub.upload_folder(folder_path=".", repo_id="me/d", run_as_future=True).result().oid[:3])
        print(api.delete_repo("me/model"))
        """,
        HF_ENDPOINT="http://127.0.0.1:9",
    ).splitlines() == ["held-back/model", "me/model", "000", "None"]


def test_the_environment_for_trackers_points_into_the_scratch_folder(tmp_path: Path) -> None:
    environment = containment.tracker_environment(tmp_path)
    assert environment["WANDB_MODE"] == "disabled"
    assert environment["MLFLOW_TRACKING_URI"] == (tmp_path / "mlruns").as_uri()


def test_caches_and_the_interpreter_are_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", "/models/hub")
    passes = containment.default_passes()
    assert {Path("/models/hub"), Path.home() / ".cache", Path(sys.prefix)} <= set(passes)
