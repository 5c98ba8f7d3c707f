"""Scripts and styles as text: a page that must stand alone has them written into it.

The files are ordinary JavaScript modules, so a server can hand them out one by one. For a single file they are joined
in the order of their imports; names at the top of a module are therefore unique across all of them (a test holds it).
"""

import base64
import hashlib
import re
from functools import cache
from importlib import resources

IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w-]+)\.js";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=function|class|const)", re.MULTILINE)


@cache
def text_of(name: str) -> str:
    return (resources.files(__package__) / name).read_text(encoding="utf-8")


def joined(entry: str) -> str:
    """The module `entry` with everything it imports, as one script without imports."""
    done: dict[str, str] = {}

    def add(name: str) -> None:
        source = text_of(f"{name}.js")
        for needed in IMPORT.findall(source):
            if needed not in done:
                add(needed)
        done[name] = EXPORT.sub("", IMPORT.sub("", source))

    add(entry)
    return "\n".join(done.values())


def fingerprint(text: str) -> str:
    """As a content security policy names an inline script or style."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
