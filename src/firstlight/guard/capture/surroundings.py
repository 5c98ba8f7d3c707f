"""What a step runs in: the program, its versions and devices, and the random state."""

import os
import platform
import random
import sys
from pathlib import Path
from typing import Any

import torch

from firstlight.records.artifact import Program
from firstlight.records.finding import Scalar
from firstlight.store import version_control
from firstlight.store.artifacts import digest_of
from firstlight.store.run_directory import shown

VARIABLES = (
    "CUDA_VISIBLE_DEVICES",
    "CUBLAS_WORKSPACE_CONFIG",
    "LOCAL_RANK",
    "NCCL_DEBUG",
    "OMP_NUM_THREADS",
    "PYTORCH_CUDA_ALLOC_CONF",
    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
    "WORLD_SIZE",
)
"""Those that change numbers or memory. No others: an environment holds secrets."""
MOST_SOURCES = 500


def program() -> Program:
    main: Any = sys.modules.get("__main__")
    spec, file = getattr(main, "__spec__", None), getattr(main, "__file__", None)
    path = Path(file) if file else None
    return Program(
        argv=tuple(sys.argv[1:]),
        script=shown(path) if path is not None else None,
        script_digest=digest_of(path, follow=True) if path is not None and path.is_file() else "",
        module=spec.name if spec is not None else None,
        git=version_control.commit(Path.cwd()),
        changed=version_control.changed(Path.cwd()),
        sources=sources(),
    )


def sources() -> dict[str, str]:
    """What the program imported of its own: whether a step that goes well later was mended is seen by it."""
    here, found = Path.cwd(), {}
    for module in list(sys.modules.values()):
        path = Path(str(getattr(module, "__file__", None) or ""))
        if path.suffix == ".py" and path.is_relative_to(here) and "site-packages" not in path.parts and path.is_file():
            found[str(path.relative_to(here))] = digest_of(path, follow=True)
    return dict(sorted(found.items())[:MOST_SOURCES])


def environment() -> dict[str, Scalar]:
    found: dict[str, Scalar] = {
        "python": platform.python_version(),
        "platform": f"{sys.platform}-{platform.machine()}",
        "torch": str(torch.__version__),
        "threads": torch.get_num_threads(),
        "deterministic": torch.are_deterministic_algorithms_enabled(),
        "float32_matmul": torch.get_float32_matmul_precision(),
        "default_dtype": str(torch.get_default_dtype()),
    }
    if torch.cuda.is_initialized():
        found |= {"cuda": torch.version.cuda, "device": torch.cuda.get_device_name()}
    for name in ("numpy", "lightning", "transformers", "accelerate"):
        if name in sys.modules:
            found[name] = str(getattr(sys.modules[name], "__version__", ""))
    return found | {name: os.environ[name] for name in VARIABLES if name in os.environ}


def torch_random() -> dict[str, Any]:
    """Torch's own random state; cheap enough for every step."""
    found: dict[str, Any] = {"torch": torch.get_rng_state()}
    if torch.cuda.is_initialized() and not torch.cuda.is_current_stream_capturing():
        found["cuda"] = [torch.cuda.get_rng_state(index) for index in range(torch.cuda.device_count())]
    return found


def every_random() -> dict[str, Any]:
    """Torch's, Python's and NumPy's."""
    version, words, gauss = random.getstate()
    found = {**torch_random(), "random": {"version": version, "words": torch.tensor(words), "gauss": gauss}}
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        found["numpy"] = numpy.random.get_state()
    return found


def set_random(state: dict[str, Any]) -> None:
    """Puts back whatever of the random state was kept."""
    if "torch" in state:
        torch.set_rng_state(state["torch"])
    for index, generator in enumerate(state.get("cuda", ())):
        if torch.cuda.is_available() and index < torch.cuda.device_count():
            torch.cuda.set_rng_state(generator, index)
    if "random" in state:
        kept = state["random"]
        random.setstate((kept["version"], tuple(kept["words"].tolist()), kept["gauss"]))
    numpy = sys.modules.get("numpy")
    if numpy is not None and "numpy" in state:
        numpy.random.set_state(state["numpy"])
