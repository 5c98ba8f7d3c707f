"""Libraries that open paths natively, and those that go through Python."""

from collections.abc import Callable

import pytest

Run = Callable[..., str]


TORCH = """
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
"""
SCRIPTED = """
    import warnings; warnings.simplefilter("ignore")
    scripted = torch.jit.script(torch.nn.Linear(2, 2))
    scripted.save("method.pt"); torch.jit.save(scripted, "function.pt")
    print(type(torch.jit.load("method.pt")).__name__, os.path.exists("function.pt"))
"""
SAFETENSORS = """
    from safetensors import safe_open
    from safetensors.torch import load_file, save_file
    save_file({"x": torch.ones(2)}, "m.safetensors")
    with safe_open("m.safetensors", framework="pt") as file:
        print(list(file.keys()), load_file(Path("m.safetensors"))["x"].sum().item())
"""
TENSORBOARD = """
    from torch.utils.tensorboard import SummaryWriter
    with SummaryWriter("runs/a") as writer:
        writer.add_scalar("loss", 1.0, 0)
    print([name.split(".")[0] for name in os.listdir("runs/a")])
"""
HUGGING_FACE = """
    from tokenizers import Tokenizer, models
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast
    small = BertConfig(hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8, vocab_size=9)
    BertModel(small).save_pretrained("model")
    plain = Tokenizer(models.WordLevel({"a": 0, "[UNK]": 1}, unk_token="[UNK]"))
    PreTrainedTokenizerFast(tokenizer_object=plain).save_pretrained("model")
    print(BertModel.from_pretrained("model").config.hidden_size)
    print(PreTrainedTokenizerFast.from_pretrained("model").encode("a"))
"""


def test_what_torch_and_its_companions_save_they_load(run: Run) -> None:
    """One process for all: the import of torch is what takes the time."""
    for package in ("torch", "safetensors", "tensorboard", "transformers"):
        pytest.importorskip(package)
    assert run(TORCH + SCRIPTED + SAFETENSORS + TENSORBOARD + HUGGING_FACE).splitlines() == [
        "2 odict_keys(['weight', 'bias'])", "{'x': tensor([1., 1.])} {'x': tensor([1., 1.])}", "True", "True",
        "[[0, 1, 2, 3], [4, 5, 6, 7]]",
        "RecursiveScriptModule True",
        "['x'] 2.0",
        "['events']",
        "8", "[0]",
    ]  # fmt: skip


def test_numpy_pandas_and_parquet_go_round(run: Run) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    assert run("""
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


def test_h5py_modes(run: Run) -> None:
    pytest.importorskip("h5py")
    assert run("""
        import h5py
        with h5py.File("x.h5", "w") as file: file["a"] = [1, 2]
        with h5py.File("x.h5", "a") as file: file["b"] = [3]
        with h5py.File(Path("x.h5")) as file: print(sorted(file))
        try: h5py.File("x.h5", "x")
        except FileExistsError: print("exists")
    """).splitlines() == ["['a', 'b']", "exists"]


def test_pictures_go_round(run: Run) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("PIL")
    assert run("""
        import matplotlib; matplotlib.use("agg")
        import matplotlib.pyplot as plt
        from PIL import Image
        plt.plot([1, 2]); plt.savefig("loss.png"); plt.savefig("loss.pdf")
        Image.new("RGB", (4, 4)).save("x.jpg")
        print(Image.open("loss.png").format, Image.open("x.jpg").size, os.path.getsize("loss.pdf") > 0)
    """).splitlines() == ["PNG (4, 4) True"]
