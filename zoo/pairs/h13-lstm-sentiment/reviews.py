"""Template-generated reviews with negation, so a bag of words is not enough."""
import random

POS = "great wonderful lovely superb brilliant charming delightful solid gripping fresh".split()
NEG = "awful dull terrible boring clumsy lifeless weak tedious messy bland".split()
NOUN = "plot acting music script ending pacing camera dialogue cast story".split()
FILL = "i think honestly well to be fair for what it is in my view at times overall somehow".split()
INT = ["really", "very", "quite", "so", "truly"]


def clause(rng, positive):
    noun = rng.choice(NOUN)
    flip = rng.random() < 0.35
    word = rng.choice(POS if positive != flip else NEG)
    mid = (["not"] if flip else []) + ([rng.choice(INT)] if rng.random() < 0.5 else [])
    words = ["the", noun, "was", *mid, word]
    return rng.sample(FILL, rng.randint(0, 3)) + words


def make_reviews(n, seed):
    rng = random.Random(seed)
    out = []
    for _ in range(n):
        label = rng.randint(0, 1)
        k = rng.choice([1, 3])
        signs = [label] * (k // 2 + 1) + [1 - label] * (k // 2)
        rng.shuffle(signs)
        parts = []
        for i, s in enumerate(signs):
            parts += (["and"] if i else []) + clause(rng, bool(s))
        if rng.random() < 0.03:  # annotators disagree now and then
            label = 1 - label
        out.append((" ".join(parts), label))
    return out
