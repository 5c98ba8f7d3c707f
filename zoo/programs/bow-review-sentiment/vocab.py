import re
from collections import Counter

_token_re = re.compile(r"[a-z']+|[.,!?]")


def tokenize(text):
    return _token_re.findall(text.lower())


class Vocab:
    UNK = 0

    def __init__(self, counter, min_freq=2):
        words = sorted(w for w, c in counter.items() if c >= min_freq)
        self.itos = ["<unk>"] + words
        self.stoi = {w: i for i, w in enumerate(self.itos)}

    @classmethod
    def from_texts(cls, texts, min_freq=2):
        counter = Counter()
        for t in texts:
            counter.update(tokenize(t))
        return cls(counter, min_freq)

    def __len__(self):
        return len(self.itos)

    def encode(self, text):
        return [self.stoi.get(t, self.UNK) for t in tokenize(text)]
