"""Generates short product / film reviews with a sentiment label."""

import random

STRENGTH = {
    "superb": 3,
    "brilliant": 3,
    "flawless": 3,
    "delightful": 2,
    "charming": 2,
    "clever": 2,
    "solid": 1,
    "decent": 1,
    "pleasant": 1,
    "fine": 1,
    "watchable": 1,
    "dull": -1,
    "slow": -1,
    "uneven": -1,
    "forgettable": -1,
    "bland": -1,
    "clumsy": -2,
    "boring": -2,
    "annoying": -2,
    "dreadful": -3,
    "unbearable": -3,
    "insulting": -3,
}
ASPECTS = ["plot", "acting", "soundtrack", "dialogue", "pacing", "ending", "camera work", "cast", "script", "editing"]
TEMPLATES = [
    "the {a} was {w}",
    "i found the {a} {w}",
    "honestly, the {a} felt {w}",
    "what a {w} {a}",
    "its {a} is {w} from start to finish",
    "{w} {a}",
]
FILLERS = [
    "we saw it on a rainy tuesday with my sister",
    "the cinema was half empty",
    "it runs for about two hours",
    "a friend lent me the disc",
    "i had not read the book before",
]
DEGREES = {"": 1.0, "very ": 1.7, "truly ": 1.5, "rather ": 0.8, "slightly ": 0.5}
GLUE = [". ", ", and ", ", but ", "! "]


def make_review(rng):
    while True:
        words = rng.choices(list(STRENGTH), k=rng.randint(2, 5))
        degrees = rng.choices(list(DEGREES), weights=[6, 1, 1, 1, 2], k=len(words))
        total = sum(STRENGTH[w] * DEGREES[d] for w, d in zip(words, degrees))
        if abs(total) > 0.4:
            break
    parts = [rng.choice(TEMPLATES).format(a=rng.choice(ASPECTS), w=d + w) for w, d in zip(words, degrees)]
    for _ in range(rng.randint(0, 2)):
        parts.insert(rng.randint(0, len(parts)), rng.choice(FILLERS))
    text = parts[0]
    for p in parts[1:]:
        text += rng.choice(GLUE) + p
    return text.capitalize() + ".", int(total > 0)


def make_reviews(n, seed=0):
    rng = random.Random(seed)
    return [make_review(rng) for _ in range(n)]
