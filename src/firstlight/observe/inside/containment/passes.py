"""Where a script may write for real."""

import contextlib
import os
import sys
import tempfile
from pathlib import Path

_CACHES = (
    ".cache", ".config/matplotlib", ".triton", ".keras", ".nv", ".torch", ".local/share/jupyter", "nltk_data",
)  # fmt: skip
_CACHE_VARIABLES = (
    "XDG_CACHE_HOME", "HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_DATASETS_CACHE", "TRANSFORMERS_CACHE",
    "SENTENCE_TRANSFORMERS_HOME", "TORCH_HOME", "TORCH_EXTENSIONS_DIR", "TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR",
    "TRITON_HOME", "MPLCONFIGDIR", "NUMBA_CACHE_DIR", "NLTK_DATA", "KERAS_HOME", "KAGGLEHUB_CACHE", "CUDA_CACHE_PATH",
)  # fmt: skip


def default_passes() -> tuple[Path, ...]:
    """Temporary files, Python's own installation, caches that are there to be filled.

    A cache that does not exist is made where the user named it or everything goes there; else it is held like the rest.
    """
    home = Path.home()
    interpreter = {Path(sys.prefix), Path(sys.base_prefix), *(Path(p) for p in sys.path if p.endswith("-packages"))}
    caches = [home / name for name in _CACHES if os.path.isdir(home / name)]
    named = [Path(os.environ[name]).expanduser() for name in _CACHE_VARIABLES if os.environ.get(name)]
    for folder in (home / _CACHES[0], *named):
        with contextlib.suppress(OSError):
            os.makedirs(folder, exist_ok=True)
    written_by_import = (Path(sys.pycache_prefix),) if sys.pycache_prefix else ()
    return (
        Path(tempfile.gettempdir()),
        *(interpreter - {Path("/")}),
        home / _CACHES[0],
        *caches,
        *named,
        *written_by_import,
    )
