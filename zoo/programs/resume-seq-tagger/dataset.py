import random

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset

PAD = "<pad>"
TAGS = ["O", "PER", "LOC"]
FIRST = ["anna", "boris", "clara", "david", "elena"]
AMBIGUOUS = ["paris", "florence", "jordan", "sydney", "chelsea"]  # a person or a place, by context
PLACES = ["oslo", "lima", "kyoto"]
VERBS_PER = ["says", "laughs", "writes", "sleeps"]
PREP = ["in", "near", "from", "to"]
FILL = ["today", "quietly", "often", "and", "then", "we", "walk", "trains", "run", "late"]
IGNORE = -100


def sentence(rng):
    """List of (word, tag). Names precede a verb of speech, places follow a preposition."""
    out = []
    for _ in range(rng.randint(1, 3)):
        for _ in range(rng.randint(0, 3)):
            out.append((rng.choice(FILL), "O"))
        if rng.random() < 0.5:
            out.append((rng.choice(FIRST + AMBIGUOUS), "PER"))
            out += [(rng.choice(FILL), "O") for _ in range(rng.randint(0, 2))]
            out.append((rng.choice(VERBS_PER), "O"))
        else:
            out.append((rng.choice(PREP), "O"))
            out += [(rng.choice(FILL), "O") for _ in range(rng.randint(0, 2))]
            out.append((rng.choice(PLACES + AMBIGUOUS * 2), "LOC"))
    # typos: now and then a plain word is something else
    return [(rng.choice(FILL), t) if t == "O" and rng.random() < 0.12 else (w, t) for w, t in out]


def build_vocab():
    words = FIRST + AMBIGUOUS + PLACES + VERBS_PER + PREP + FILL
    return {w: i for i, w in enumerate([PAD] + words)}


class TagDataset(Dataset):
    def __init__(self, n, vocab, seed):
        rng = random.Random(seed)
        self.items = []
        for _ in range(n):
            words, tags = zip(*sentence(rng))
            self.items.append((torch.tensor([vocab[w] for w in words]), torch.tensor([TAGS.index(t) for t in tags])))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate(batch):
    tokens, tags = zip(*batch)
    return {
        "tokens": pad_sequence(tokens, batch_first=True, padding_value=0),
        "tags": pad_sequence(tags, batch_first=True, padding_value=IGNORE),
        "lengths": torch.tensor([len(t) for t in tokens]),
    }
