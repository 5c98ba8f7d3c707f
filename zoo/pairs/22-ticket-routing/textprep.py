"""Vocabulary and generated support tickets."""
import random
from collections import Counter

TOPICS = {
    "billing": "invoice refund charge card payment price discount receipt vat overcharged".split(),
    "login": "password reset login locked account code email verify otp session".split(),
    "shipping": "parcel courier delivery tracking late address lost box warehouse customs".split(),
    "bug": "crash error screen freeze update version button app bug broken".split(),
    "feature": "wish request idea support dark mode export api integration roadmap".split(),
}
FILLER = ("hello i have a problem with my please help since yesterday the is not it was and then "
          "could you me again thanks still we our team need to when on this").split()


def tickets(n, seed):
    rng = random.Random(seed)
    names = list(TOPICS)
    rows = []
    for _ in range(n):
        k = rng.randrange(len(names))
        other = rng.choice(names)
        words = [rng.choice(FILLER) for _ in range(rng.randint(8, 16))]
        words += [rng.choice(TOPICS[names[k]]) for _ in range(rng.randint(2, 3))]
        words += [rng.choice(TOPICS[other])]
        rng.shuffle(words)
        rows.append((" ".join(words), k))
    return rows, names


class Vocab:
    PAD, UNK = 0, 1

    def __init__(self, texts, min_count=2):
        counts = Counter(w for t in texts for w in t.split())
        self.itos = ["<pad>", "<unk>"] + [w for w, c in counts.most_common() if c >= min_count]
        self.stoi = {w: i for i, w in enumerate(self.itos)}

    def __len__(self):
        return len(self.itos)

    def __call__(self, text, width=24):
        ids = [self.stoi.get(w, self.UNK) for w in text.split()][:width]
        return ids + [self.PAD] * (width - len(ids))
