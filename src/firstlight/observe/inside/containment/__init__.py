"""Holds back what a checked script writes, so that the script does not notice and the user's files stay as they are.

Contained:
- Python's file functions (`open`, `io.FileIO`, `os.*`, and so `pathlib`, `shutil`, `tempfile`, `glob`, `logging`,
  `pickle`, `zipfile`, numpy, pandas, Pillow, matplotlib, TensorBoard) go through an `Overlay`; so does `sqlite3`.
- Native writers and readers that take a path: `native.py` lists them.
- Trackers: W&B is disabled, MLflow gets a store in the scratch folder, uploads to the Hugging Face Hub are not sent,
  Comet, Neptune, ClearML, SwanLab and Trackio are told by environment to stay offline.
- Processes made by `multiprocessing` (fork, spawn, forkserver) and joblib; others from the moment they import torch.

Other native writers (XGBoost's `save_model`, SQLite's `ATTACH`, TensorFlow, Unix sockets) and programs the script
starts (`os.system("rm …")`) are left to the floor (`observe.inside.floor`): where that is a view they write to a copy
of the project, where it is Landlock alone they are refused, where there is none they are not contained. Started
programs do not see what these layers hold back. The network is open beyond that; programs and hosts are told.

A write that reaches Python's lowest layer unrouted is refused with an `OSError` by an audit hook: nothing that Python
itself writes falls through.
"""

from firstlight.observe.inside.containment.doings import contained
from firstlight.observe.inside.containment.installation import install, stay_offline
from firstlight.observe.inside.containment.overlay import held_back
from firstlight.observe.inside.containment.passes import default_passes
from firstlight.observe.inside.containment.trackers import tracker_environment

__all__ = ["contained", "default_passes", "held_back", "install", "stay_offline", "tracker_environment"]
