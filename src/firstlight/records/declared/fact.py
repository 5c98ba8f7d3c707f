"""What all facts of declared experiments share."""

import msgspec


class DeclaredFact(msgspec.Struct, frozen=True, kw_only=True, tag_field="fact"):
    """Travels in the event log beside the observers' sightings, under the same tag."""

    rank: int = 0
