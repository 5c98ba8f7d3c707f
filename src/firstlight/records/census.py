"""Which parameters of a model train, and which torch does not find."""

import msgspec

from firstlight.records.places import Site
from firstlight.records.sighting import Sighting, Some


class HiddenModules(msgspec.Struct, frozen=True, kw_only=True):
    """Modules or parameters kept in a plain list, tuple or dict, where torch does not find them."""

    owner: str
    attribute: str
    container: str
    parameters: Some
    site: Site | None = None


class RepeatedModule(msgspec.Struct, frozen=True, kw_only=True):
    """One module with parameters that stands several times in one ModuleList or Sequential."""

    container: str
    """Its path in the model, or its class where it is the model."""
    kind: str
    module: str
    times: int
    parameters: Some
    site: Site | None = None


class Census(Sighting, frozen=True, kw_only=True, tag="census"):
    """Which parameters of a root model train, counted at milestones; the last one counts."""

    model: int
    name: str
    site: Site | None
    steps: int
    """Optimizer steps that touched this model."""
    backwards: int
    trainable: Some
    frozen: Some
    left_random: Some = Some()
    """Weight matrices of the user's own modules that take no gradient, never had one, and were not loaded."""
    optimized: Some
    unoptimized: Some
    """Got gradients, requires them, and is in no optimizer."""
    unoptimized_drawn: Some = Some()
    """Those of them that are weight matrices of the user's own modules and were neither loaded nor ever trained."""
    built: Site | None = None
    """The line that makes the optimizers, where they are made on one line."""
    uncalled: Some
    """No gradient ever, and the module that owns it was never called."""
    cut_off: Some
    """No gradient ever, although the owning module was called: it ran with gradients disabled, or a cut was seen; or
    one of zeros, behind an operation that hands on nothing else."""
    wasted: Some
    """No gradient ever, though the owning module ran with gradients on and nothing cut it: its output is not used."""
    places: Some = Some()
    """No gradient ever, and a table of positions beside tokens that are used; below, the line that looks them up."""
    tokens_site: Site | None = None
    zero: Some
    """A gradient arrived at every backward and was exactly zero each time."""
    cut_site: Site | None = None
    cut_by: str | None = None
    own_code: bool = True
    """The classes that own the wasted or cut-off parameters are defined in the user's files."""
    own_uncalled: bool = False
    """So are those that own the uncalled ones."""
    hidden: tuple[HiddenModules, ...] = ()
    repeated: tuple[RepeatedModule, ...] = ()
    strangers: Some = Some()
    """Held by the optimizers, never given a gradient, and part of no model seen."""
    left: Some = Some()
    """Held by the optimizers, given gradients at earlier steps and at none since, while nobody else's were applied."""
    left_steps: int = 0
    """Steps of theirs since then."""
    blind: Some = Some()
    """Those of them whose module ran, with gradients disabled each time."""
    flagged: tuple[str, ...] = ()
    """Modules on which `requires_grad` was set as a plain attribute, which freezes and thaws nothing."""
    flag_site: Site | None = None
    joined: Some = Some()
    """Thawed or added while the model trained, given gradients at several steps since, in no optimizer, and unmoved."""
    joined_site: Site | None = None
    """The line that thawed the first of them, or made it a part of the model."""
