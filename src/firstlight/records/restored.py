"""What a program loads back into its models and optimizers."""

from typing import ClassVar

from firstlight.records.places import Site
from firstlight.records.sighting import Sighting


class Restored(Sighting, frozen=True, kw_only=True, tag="restored"):
    """`load_state_dict` of a model; or a state that was taken some steps ago, when it is saved."""

    LOADED: ClassVar[str] = "given to `load_state_dict`"
    SAVED: ClassVar[str] = "given to `torch.save`"

    how: str = LOADED
    module: str
    site: Site | None
    held: int
    """Tensors the model has, and below, those that were given under one of their names."""
    matched: int
    unexpected: int
    """Tensors given that the model has no place for."""
    first_missing: str = ""
    first_unexpected: str = ""
    own: int = 0
    """Tensors given that are the model's own memory: loading them changes nothing."""
    steps: int = 0
    """Optimizer steps since the state was taken; since the first one, where that is not known."""


class Resumption(Sighting, frozen=True, kw_only=True, tag="resumption"):
    """Training went on from a checkpoint that the same program had written."""

    site: Site | None
    """Where the checkpoint was read."""
    optimizer: str
    holds_optimizer: bool
    """The checkpoint has the state of an optimizer with the same settings."""
    model_loaded: bool
    optimizer_loaded: bool
    begun_anew: tuple[str, ...] = ()
    """What else the checkpoint has the state of, and was built since it was written and given none: `schedule`, …"""
    steps: int
    """Made since."""


class Reused(Sighting, frozen=True, kw_only=True, tag="reused"):
    """A state was loaded into a model, and the model was called for the first time since, before any other step."""

    module: str
    site: Site | None
    """Where it was loaded, and below, where the model was called."""
    called: Site | None
    tensors: int
    """Parameters that were loaded and looked at."""
    changed: int
    """Those that had become others by the time of the call."""
    first_changed: str = ""
