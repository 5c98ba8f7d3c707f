import random

FIRST = "anna boris carla david elena felix jordan paris austin sydney georgia brooklyn".split()
LAST = "smith kowalski moreau lincoln houston washington berg tanaka okafor rossi".split()
PLACE = "jordan paris austin sydney georgia brooklyn houston washington lincoln dover geneva kyoto".split()
ORG = "acme globex initech umbrella lincoln washington stark wayne hooli vandelay".split()
SYLLABLES = "ba dor len mi ro sul ka ven tor ny wick ham sel gar lo ith".split()
ORG_SUFFIX = ["inc", "group", "holdings", "bank"]

TEMPLATES = [
    "{PER} moved to {LOC} last year",
    "{PER} works for {ORG} in {LOC}",
    "shares of {ORG} fell on monday",
    "the mayor of {LOC} met {PER}",
    "{ORG} opened an office in {LOC}",
    "according to {PER} , {ORG} is hiring",
    "{PER} and {PER} flew from {LOC} to {LOC}",
    "rain is expected across {LOC} tonight",
    "we spoke with {PER} about {ORG}",
    "{PER} praised {ORG}",
    "{ORG} praised {PER} in {LOC}",
    "critics of {PER} gathered in {LOC}",
    "critics of {ORG} stayed home",
    "nobody was surprised by the announcement",
    "a spokesman for {ORG} denied it , said {PER}",
]


def _name(known, rng):
    if rng.random() < 0.5:
        return rng.choice(known)
    return "".join(rng.choices(SYLLABLES, k=rng.randint(2, 3)))


def _entity(kind, rng):
    if kind == "PER":
        return [_name(FIRST, rng)] + ([_name(LAST, rng)] if rng.random() < 0.6 else [])
    if kind == "LOC":
        return (["new"] if rng.random() < 0.2 else []) + [_name(PLACE, rng)]
    return [_name(ORG, rng)] + ([rng.choice(ORG_SUFFIX)] if rng.random() < 0.5 else [])


def sentence(rng):
    words, tags = [], []
    for piece in rng.choice(TEMPLATES).split():
        if piece.startswith("{"):
            kind = piece.strip("{}")
            ent = _entity(kind, rng)
            words += ent
            tags += ["B-" + kind] + ["I-" + kind] * (len(ent) - 1)
        else:
            words.append(piece)
            tags.append("O")
    return words, tags


def corpus(n, seed):
    rng = random.Random(seed)
    out, seen = [], set()
    while len(out) < n:
        w, t = sentence(rng)
        key = " ".join(w)
        if key in seen:
            continue
        seen.add(key)
        out.append((w, t))
    return out
