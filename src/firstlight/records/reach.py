"""What a model sees of the examples it is given."""

import msgspec


class InputsReached(msgspec.Struct, frozen=True, kw_only=True):
    """Inputs of an example that move the output which meets its answer, beside those that the answer rests on."""

    inputs: int = 0
    """0 where it was not asked; below, those that move the output by more than ever so little."""
    reached: int = 0
    output: tuple[int, ...] = ()
    """Its index in an example, empty where an example has but one answer; below, that of the first and of the last
    input that moves it, and of the input that tells most of the answer among those that do not."""
    first: tuple[int, ...] = ()
    last: tuple[int, ...] = ()
    telling: tuple[int, ...] = ()
    plain: float = 0.0
    """Skill of a plain fit to all inputs; below, to those reached, and to those that move the output at all."""
    within: float = 0.0
    faintly: float = 0.0
    faintest: float = 1.0
    """The smallest influence that is not none, in proportion to the largest."""
    moved: float = 0.0
    """By how much the output moves where all inputs that are not reached are another example's, in proportion to its
    move where those reached are; below, where those without any influence are."""
    by_none: float = 0.0
