"""What a person at the command line can mend."""


class ZooError(Exception):
    """Carries a message for a person: what is wrong, in which file, and what is accepted."""
