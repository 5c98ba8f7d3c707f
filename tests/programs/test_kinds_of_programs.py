"""Every ordinary kind of training program is seen: each healthy one is clean, each ill twin is caught."""

from collections.abc import Callable
from typing import Any

import pytest

DATA = """import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
centres = torch.randn(4, 8) * 2
y = torch.randint(4, (256,))
x = centres[y] + torch.randn(256, 8)
dataset = TensorDataset(x, y)
def net(out=4):
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, out))
"""
NO_LOADER = (
    DATA
    + """
model = net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for i in range(60):
    index = torch.randint(256, (32,))
    loss = F.cross_entropy(model(x[index]){bug}, y[index])
    optimizer.zero_grad(); loss.backward(); optimizer.step()
"""
)
MAXIMIZED = (
    DATA
    + """
model = net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, maximize=True)
for i in range(60):
    index = torch.randint(256, (32,))
    objective = {sign}F.cross_entropy(model(x[index]), y[index])
    optimizer.zero_grad(); objective.backward(); optimizer.step()
"""
)
BY_HAND = (
    DATA
    + """
model = net()
for i in range(60):
    index = torch.randint(256, (32,))
    loss = F.cross_entropy(model(x[index]){bug}, y[index])
    model.zero_grad()
    loss.backward()
    with torch.no_grad():
        for p in model.parameters():
            p -= 0.05 * p.grad
"""
)
ACCUMULATION = (
    DATA
    + """
model = net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(10):
    for i, (xb, yb) in enumerate(DataLoader(dataset, 16, shuffle=True)):
        (F.cross_entropy(model(xb), yb) / 4).backward()
        if i % 4 == 3:
            optimizer.step()
            {clear}
"""
)
GAN = (
    DATA
    + """
G, D = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 8)), net(1)
opt_g = torch.optim.Adam(G.parameters(), lr=1e-3); opt_d = torch.optim.Adam(D.parameters(), lr=1e-3)
bce = nn.BCEWithLogitsLoss()
for epoch in range(10):
    for real, _ in DataLoader(dataset, 32, shuffle=True):
        n = len(real)
        fake = G(torch.randn(n, 4))
        {clear}
        (bce(D(real), torch.ones(n, 1)) + bce(D(fake.detach()), torch.zeros(n, 1))).backward()
        opt_d.step()
        opt_g.zero_grad()
        bce(D(fake), torch.ones(n, 1)).backward()
        opt_g.step()
"""
)
AMP = (
    DATA
    + """
model = net()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
scaler = torch.amp.GradScaler("cpu")
for epoch in range(10):
    for xb, yb in DataLoader(dataset, 32, shuffle=True):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = F.cross_entropy(model(xb), yb)
        scaler.scale(loss).backward()
        {unscale}
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
"""
)
FUNC = (
    DATA
    + """
from torch.func import functional_call, grad_and_value
model = net()
params = {{k: v.detach() for k, v in model.named_parameters()}}
def compute(params, xb, yb):
    return F.cross_entropy(functional_call(model, params, (xb,)){bug}, yb)
for epoch in range(10):
    for xb, yb in DataLoader(dataset, 32, shuffle=True):
        grads, loss = grad_and_value(compute)(params, xb, yb)
        params = {{k: v - 0.1 * grads[k] for k, v in params.items()}}
"""
)
ENSEMBLE = (
    DATA
    + """
from torch.func import functional_call, grad_and_value, stack_module_state, vmap
params, _ = stack_module_state([net() for _ in range(3)])
skeleton = net().to("meta")
def member(params, xb, yb):
    return F.cross_entropy(functional_call(skeleton, params, (xb,)), yb)
step = vmap(grad_and_value(member), in_dims=(0, None, None))
for epoch in range(8):
    for xb, yb in DataLoader(dataset, 32, shuffle=True):
        grads, loss = step(params, xb, yb)
        params = {{k: (v - 0.1 * grads[k]).detach() for k, v in params.items()}}
"""
)
COMPILED = (
    DATA
    + """
model = net()
{compile}
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(8):
    for xb, yb in DataLoader(dataset, 32, shuffle=True):
        optimizer.zero_grad()
        loss = F.cross_entropy({call}{bug}, yb)
        loss.backward()
        optimizer.step()
"""
)
LIGHTNING = (
    DATA
    + """
import lightning as L
class Lit(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = net()
    def training_step(self, batch, _):
        xb, yb = batch
        loss = F.cross_entropy(self.net(xb){bug}, yb)
        self.log("loss", loss)
        return loss
    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-2)
L.Trainer(max_epochs=8, accelerator="cpu", enable_progress_bar=False).fit(Lit(), DataLoader(dataset, 32, shuffle=True))
"""
)
HF = (
    DATA
    + """
from transformers import Trainer, TrainingArguments
class Rows(torch.utils.data.Dataset):
    def __len__(self): return 256
    def __getitem__(self, i): return {{"x": x[i], "labels": y[i]}}
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = net()
    def forward(self, x, labels=None):
        logits = self.net(x){bug}
        return {{"loss": F.cross_entropy(logits, labels), "logits": logits}}
args = TrainingArguments("out", num_train_epochs=6, per_device_train_batch_size=32, learning_rate=1e-2, use_cpu=True,
                         report_to="none", disable_tqdm=True, save_steps=10)
Trainer(Model(), args, train_dataset=Rows()).train()
"""
)
ACCELERATE = (
    DATA
    + """
from accelerate import Accelerator
accelerator = Accelerator(cpu=True)
model = net()
model, optimizer, loader = accelerator.prepare(model, torch.optim.Adam(model.parameters(), lr=1e-2), DataLoader(dataset, 32, shuffle=True))
for epoch in range(8):
    for xb, yb in loader:
        with accelerator.accumulate(model):
            loss = F.cross_entropy(model(xb), yb)
            accelerator.backward(loss)
            optimizer.step()
            {clear}
"""
)
SPAWNED = (
    DATA
    + """
import tempfile
import torch.distributed as dist, torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel as DDP
def work(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{{folder}}/meeting-point", rank=rank, world_size=2)
    model = DDP(net())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for i in range(60):
        index = torch.randint(128, (32,)) + 128 * rank
        loss = F.cross_entropy(model(x[index]){bug}, y[index])
        optimizer.zero_grad(); loss.backward(); optimizer.step()
    dist.destroy_process_group()
if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(work, args=(folder,), nprocs=2)
"""
)
CLOSURE = (
    DATA
    + """
model = net()
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=6)
for i in range(40):
    index = torch.randint(256, (128,))
    def closure():
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x[index]), y[index])
        loss.backward()
        return loss
    {step}
"""
)
SOFTMAX = ".softmax(1)"
PROGRAMS = {
    "no-loader": (NO_LOADER, {"bug": ""}, {"bug": SOFTMAX}, "loss-double-activation"),
    "maximized": (MAXIMIZED, {"sign": "-"}, {"sign": ""}, "loss-sign-flipped"),
    "by-hand": (BY_HAND, {"bug": ""}, {"bug": SOFTMAX}, "loss-double-activation"),
    "accumulation": (ACCUMULATION, {"clear": "optimizer.zero_grad()"}, {"clear": ""}, "gradients-never-cleared"),
    "gan": (GAN, {"clear": "opt_d.zero_grad()"}, {"clear": ""}, "gradients-never-cleared"),
    "amp": (AMP, {"unscale": "scaler.unscale_(optimizer)"}, {"unscale": ""}, "clip-out-of-place"),
    "closure": (CLOSURE, {"step": "optimizer.step(closure)"}, {"step": "closure()"}, "step-missing"),
    "torch-func": (FUNC, {"bug": ""}, None, ""),
    "ensemble": (ENSEMBLE, {}, None, ""),
    "compile-module": (
        COMPILED,
        {"compile": "fast = torch.compile(model, backend='aot_eager')", "call": "fast(xb)", "bug": ""},
        {"compile": "fast = torch.compile(model, backend='aot_eager')", "call": "fast(xb)", "bug": SOFTMAX},
        "loss-double-activation",
    ),
    "compile-in-place": (
        COMPILED,
        {"compile": "model.compile(backend='aot_eager')", "call": "model(xb)", "bug": ""},
        {"compile": "model.compile(backend='aot_eager')", "call": "model(xb)", "bug": SOFTMAX},
        "loss-double-activation",
    ),
    "compile-function": (
        COMPILED,
        {"compile": "fast = torch.compile(lambda v: model(v), backend='aot_eager')", "call": "fast(xb)", "bug": ""},
        {
            "compile": "fast = torch.compile(lambda v: model(v).softmax(1), backend='aot_eager')",
            "call": "fast(xb)",
            "bug": "",
        },
        "loss-double-activation",
    ),
    "lightning": (LIGHTNING, {"bug": ""}, {"bug": SOFTMAX}, "loss-double-activation"),
    "transformers": (HF, {"bug": ""}, {"bug": " / (x.sum() * 0)"}, "value-nonfinite"),
    "accelerate": (ACCELERATE, {"clear": "optimizer.zero_grad()"}, {"clear": ""}, "gradients-never-cleared"),
    "spawned-ranks": (SPAWNED, {"bug": ""}, {"bug": SOFTMAX}, "loss-double-activation"),
}


@pytest.mark.parametrize("kind", PROGRAMS)
def test_healthy_programs_of_every_kind_are_judged_and_clean(judge: Callable[..., Any], kind: str) -> None:
    source, healthy, _, _ = PROGRAMS[kind]
    checked = judge(source.format(**healthy), profile="quick")
    assert (checked.code, checked.report["verdict"], checked.loud()) == (0, "clean", []), checked.report["output_tail"]
    assert checked.report["coverage"]["steps"] >= 30
    assert not [text for text in checked.report["coverage"]["limits"] if "not observed" in text]


@pytest.mark.parametrize("kind", [kind for kind, row in PROGRAMS.items() if row[2] is not None])
def test_ill_programs_of_every_kind_are_caught(judge: Callable[..., Any], kind: str) -> None:
    source, _, ill, name = PROGRAMS[kind]
    checked = judge(source.format(**ill or {}), profile="quick")
    finding = checked.finding(name)
    assert checked.code == 1
    assert checked.named("error") == [name]
    assert finding["where"]["file"] == "train.py"
    if kind == "spawned-ranks":  # one bug of all ranks is one incident
        assert (checked.report["environment"]["world"], finding["count"]) == (2, 2)
    if kind == "transformers":  # whose Trainer replaces a NaN loss by a running mean in its logs
        assert "not finite at step 0" in finding["saw"]
        assert not (checked.folder / "out").exists()
