"""Where a script may write for real."""

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
    """Temporary files, Python's own installation, caches that are there to be filled."""
    home = Path.home()
    interpreter = {Path(sys.prefix), Path(sys.base_prefix), *(Path(p) for p in sys.path if p.endswith("-packages"))}
    caches = (home / name for name in _CACHES)
    named = (Path(os.environ[name]).expanduser() for name in _CACHE_VARIABLES if os.environ.get(name))
    written_by_import = (Path(sys.pycache_prefix),) if sys.pycache_prefix else ()
    return (Path(tempfile.gettempdir()), *(interpreter - {Path("/")}), *caches, *named, *written_by_import)
