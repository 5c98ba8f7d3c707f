"""The pass on a CUDA device: right numbers, few launches, and never a wait. Skipped without one."""

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import firstlight as fl

pytestmark = [
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
    pytest.mark.filterwarnings(
        "ignore:Synchronization debug mode is a prototype", "ignore:Warning. Profiler clears", "ignore:TensorFloat32"
    ),
]
MOST_LAUNCHES = 3


@pytest.fixture(autouse=True)
def no_waiting_left_on() -> Iterator[None]:
    yield
    if torch.cuda.is_available():
        torch.cuda.set_sync_debug_mode("default")


def tensors() -> list[torch.Tensor]:
    """Tails, single elements, views off the 16-byte grid, offsets, zeros, channels_last, three types."""
    torch.manual_seed(0)
    storage = torch.randn(200_003, device="cuda")
    return [
        torch.randn(1, device="cuda"),
        torch.randn(7, device="cuda"),
        storage[1:150_000],
        storage[150_003:],
        torch.randn(32768 * 3, device="cuda"),
        1 + 1e-4 * torch.randn(5_000, device="cuda"),
        torch.zeros(1_000, device="cuda"),
        torch.randn(8, 16, 3, 3, device="cuda").to(memory_format=torch.channels_last),
        torch.randn(100_001, device="cuda").bfloat16(),
        torch.randn(70_000, device="cuda").half(),
        torch.randn(300, 400, device="cuda")[:, ::2],
        torch.randn(500, device="cuda", dtype=torch.float64),
    ]


def reference(tensor: torch.Tensor) -> list[float]:
    values = tensor.detach().double().reshape(-1).cpu()
    kept = values[torch.isfinite(values)]
    std = kept.std().item() if kept.numel() > 1 else 0.0
    return [
        kept.mean().item(),
        std,
        kept.norm().item(),
        kept.min().item(),
        kept.max().item(),
        float(values.numel() - kept.numel()),
        (values == 0).double().mean().item(),
    ]


def look(gradients: list[torch.Tensor | None], weights: list[torch.Tensor], times: int = 2) -> torch.Tensor:
    from firstlight.guard.statistics.device import DevicePass
    from firstlight.guard.statistics.rows import Scalars, Tensors

    passes = DevicePass(weights)
    for step in range(times):
        passes.launch(step, Tensors(gradients, weights), Scalars(loss=torch.tensor(2.5, device="cuda")))
    torch.cuda.synchronize()
    frames = [frame for _ in range(times) if (frame := passes.poll()) is not None]
    assert len(frames) == times
    assert frames[-1].scalars == (2.5, None, None)
    return frames[-1].rows


def test_rows_agree_with_double_precision() -> None:
    weights = tensors()
    rows = look([w.flip(0) if w.is_contiguous() else w.clone() for w in weights], weights)
    for place, weight in enumerate(weights):
        row, wanted = rows[len(weights) + place].tolist(), reference(weight)
        scale = max(abs(wanted[3]), abs(wanted[4]), 1e-30)
        for column in (0, 1):
            assert row[column] == pytest.approx(wanted[column], abs=1e-5 * max(wanted[1], 1e-3 * scale)), place
        assert row[2] == pytest.approx(wanted[2], rel=1e-5)
        assert row[3:7] == pytest.approx(wanted[3:7], rel=1e-6)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_bad_elements_are_counted_and_left_out(dtype: torch.dtype) -> None:
    weight = torch.randn(100_000, device="cuda").to(dtype)
    gradient = torch.randn(100_000, device="cuda").to(dtype)
    gradient[0], gradient[40_000], gradient[-1] = math.nan, math.inf, -math.inf
    everything = torch.full((5_000,), math.nan, device="cuda", dtype=dtype)
    rows = look([gradient, everything], [weight, torch.randn(5_000, device="cuda").to(dtype)])
    wanted = reference(gradient)
    assert rows[0, :7].tolist() == pytest.approx(wanted, rel=1e-3, abs=1e-3)
    assert rows[0, 5].item() == 3
    assert rows[1, 5].item() == 5_000


def test_a_parameter_without_gradient_has_an_empty_row() -> None:
    weights = [torch.randn(100, device="cuda"), torch.randn(100, device="cuda")]
    rows = look([None, weights[1].clone()], weights)
    assert rows[0].tolist() == [0.0] * 8
    assert rows[1, 2].item() > 0


def loop(dtype: torch.dtype = torch.float32) -> tuple[nn.Module, torch.optim.Optimizer, Callable[[], None]]:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(256, 512), nn.GELU(), nn.LayerNorm(512), nn.Linear(512, 10)).to("cuda", dtype)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    x = torch.randn(64, 256, device="cuda", dtype=dtype)
    y = torch.randint(10, (64,), device="cuda")

    def step() -> None:
        loss = nn.functional.cross_entropy(model(x).float(), y)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    return model, optimizer, step


def test_no_step_waits_for_the_device(tmp_path: Path) -> None:
    model, optimizer, step = loop()
    with fl.guard(model, optimizer, directory=tmp_path, on_red="stop") as guard:
        step()
        torch.cuda.synchronize()
        torch.cuda.set_sync_debug_mode("error")
        for _ in range(50):
            step()
        torch.cuda.set_sync_debug_mode("default")
        torch.cuda.synchronize()
    assert guard.shield.broken == {}
    assert len(guard.window) >= 40
    assert all(row.loss is not None and row.grad_norm for row in guard.window)


def launches(run: Callable[[], None]) -> int:
    run()
    torch.cuda.synchronize()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        run()
        torch.cuda.synchronize()
    return len([event for event in profile.events() or () if "CUDA" in str(event.device_type)])


def test_at_most_three_launches_a_step(tmp_path: Path) -> None:
    model, optimizer, step = loop()
    for _ in range(5):
        step()
    bare = launches(step)
    with fl.guard(model, optimizer, directory=tmp_path) as guard:
        for _ in range(5):
            step()
        counted = min(launches(step) for _ in range(3))
        clip_step = clipping_loop(model, optimizer, guard, 0.01)
        for _ in range(5):
            clip_step()
        clipping = min(launches(clip_step) for _ in range(3))
    assert 1 <= counted - bare <= MOST_LAUNCHES
    assert 1 <= clipping - bare <= MOST_LAUNCHES


def clipping_loop(
    model: nn.Module, optimizer: torch.optim.Optimizer, clipper: Any, max_norm: float, norms: list[float] | None = None
) -> Callable[[], None]:
    """`norms`, where given, gets those of before the clipping, for which the device has to be waited for."""
    torch.manual_seed(1)
    x, y = torch.randn(64, 256, device="cuda"), torch.randint(10, (64,), device="cuda")

    def step() -> None:
        loss = nn.functional.cross_entropy(model(x).float(), y)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        norm = clipper.clip_grad_norm_(model.parameters(), max_norm)
        if norms is not None:
            norms.append(norm.item())
        optimizer.step()

    return step


@pytest.mark.parametrize("max_norm", [0.01, 100.0])
def test_clipping_within_the_pass_does_what_torch_does(max_norm: float, tmp_path: Path) -> None:
    norms: dict[str, list[float]] = {"torch": [], "guard": []}
    plain, optimizer, _ = loop()
    step = clipping_loop(plain, optimizer, nn.utils, max_norm, norms["torch"])
    for _ in range(20):
        step()
    model, optimizer, _ = loop()
    with fl.guard(model, optimizer, directory=tmp_path) as guard:
        step = clipping_loop(model, optimizer, guard, max_norm, norms["guard"])
        for _ in range(20):
            step()
    assert guard.shield.broken == {}
    assert norms["guard"] == pytest.approx(norms["torch"], rel=1e-4)
    assert all(torch.allclose(a, b, atol=1e-4) for a, b in zip(plain.parameters(), model.parameters(), strict=True))
    rows = list(guard.window)
    assert len(rows) == 20
    assert {row.clip_at for row in rows} == {max_norm}
    assert [row.clip_norm for row in rows] == pytest.approx(norms["guard"], rel=1e-5)
    assert [row.grad_norm for row in rows] == pytest.approx(norms["guard"], rel=1e-4)


def test_clipping_within_the_pass_waits_for_nothing(tmp_path: Path) -> None:
    model, optimizer, _ = loop()
    with fl.guard(model, optimizer, directory=tmp_path) as guard:
        step = clipping_loop(model, optimizer, guard, 0.01)
        step()
        torch.cuda.synchronize()
        torch.cuda.set_sync_debug_mode("error")
        for _ in range(19):
            step()
        torch.cuda.set_sync_debug_mode("default")
        torch.cuda.synchronize()
    assert guard.shield.broken == {}


def test_activations_are_read_in_flight(tmp_path: Path) -> None:
    torch.manual_seed(0)
    first, norm, last = nn.Linear(256, 512), nn.LayerNorm(512), nn.Linear(512, 10)
    model = nn.Sequential(first, nn.ReLU(), nn.Tanh(), norm, last).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    x, y = torch.randn(64, 256, device="cuda"), torch.randint(10, (64,), device="cuda")
    with torch.no_grad():
        first.bias[:256] = -1e3

    def step() -> None:
        optimizer.zero_grad(set_to_none=True)
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()

    with fl.guard(model, optimizer, directory=tmp_path, every=2, ignore=("units-die",)) as guard:
        step()
        torch.cuda.synchronize()
        torch.cuda.set_sync_debug_mode("error")
        for _ in range(20):
            step()
        torch.cuda.set_sync_debug_mode("default")
        torch.cuda.synchronize()
    assert guard.shield.broken == {}
    assert guard.events is not None
    lines = [json.loads(line) for line in guard.events.read_text().splitlines()]
    looks = [line for line in lines if "modules" in str(line) and "saturated" in str(line)]
    assert len(looks) >= 3
    found = {module["name"]: module for module in _modules(looks[0])}
    hidden = first(x).relu()
    for name, output in {"1": hidden, "2": hidden.tanh()}.items():
        assert found[name]["rms"] == pytest.approx(output.square().mean().sqrt().item(), rel=0.2), name
    assert found["1"]["dead"] == pytest.approx(0.5, abs=0.01)


def _modules(line: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = line["modules"] if "modules" in line else line["data"]["modules"]
    return found


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_weights_are_bit_identical_with_and_without(dtype: torch.dtype, tmp_path: Path) -> None:
    model, _, step = loop(dtype)
    for _ in range(20):
        step()
    plain = [p.detach().clone() for p in model.parameters()]
    model, optimizer, step = loop(dtype)
    with fl.guard(model, optimizer, directory=tmp_path, every=5):
        for _ in range(20):
            step()
    assert all(torch.equal(a, b) for a, b in zip(plain, model.parameters(), strict=True))


def test_a_bad_step_is_left_out_on_the_device(tmp_path: Path) -> None:
    model, optimizer, step = loop()
    with fl.guard(model, optimizer, directory=tmp_path, on_nonfinite="skip"):
        step()
        before = [p.detach().clone() for p in model.parameters()]
        for parameter in model.parameters():
            parameter.grad = torch.full_like(parameter, math.nan)
        torch.cuda.synchronize()
        torch.cuda.set_sync_debug_mode("error")
        optimizer.step()
        torch.cuda.set_sync_debug_mode("default")
        assert all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))
        step()
        assert not any(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))


def test_the_loss_scale_is_divided_out(tmp_path: Path) -> None:
    model, optimizer, _ = loop()
    scaler = torch.amp.GradScaler("cuda", init_scale=1024.0, growth_interval=10_000)
    x, y = torch.randn(64, 256, device="cuda"), torch.randint(10, (64,), device="cuda")
    with fl.guard(model, optimizer, scaler, directory=tmp_path) as guard:
        for _ in range(3):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            # The fused step itself divides the gradients by the scale, in place; the guard read them before it.
            true = math.sqrt(sum(float(p.grad.norm()) ** 2 for p in model.parameters() if p.grad is not None))
            value = loss.item()
        torch.cuda.synchronize()
    last = guard.window[-1]
    assert last.loss == pytest.approx(value, rel=1e-4)
    assert last.grad_norm == pytest.approx(true, rel=1e-3)
    assert last.amp_scale == 1024.0


def test_the_guard_breaks_no_graph(tmp_path: Path) -> None:
    model, optimizer, _ = loop()
    x, y = torch.randn(64, 256, device="cuda"), torch.randint(10, (64,), device="cuda")
    with fl.guard(model, optimizer, directory=tmp_path, every=2) as guard:
        compiled = torch.compile(model, fullgraph=True)
        for _ in range(6):
            loss = nn.functional.cross_entropy(compiled(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        torch.cuda.synchronize()
    assert guard.shield.broken == {}
    assert torch._dynamo.utils.counters["graph_break"] == {}
