import random

import torch
from torch.utils.data import Dataset

SUBJECTS = ["the cat", "a small dog", "my neighbour", "the old captain", "her sister", "a tired clerk"]
VERBS = ["sees", "paints", "follows", "remembers", "sells", "ignores"]
OBJECTS = ["the river", "a blue boat", "seven letters", "the garden wall", "an empty house", "the moon"]
ENDS = ["at dawn", "in silence", "once again", "before lunch", "without a word"]


def make_corpus(n_sentences, seed):
    rng = random.Random(seed)
    parts = []
    for _ in range(n_sentences):
        parts.append(f"{rng.choice(SUBJECTS)} {rng.choice(VERBS)} {rng.choice(OBJECTS)} {rng.choice(ENDS)}.\n")
    return "".join(parts)


class CharDataset(Dataset):
    """Non-overlapping blocks of characters; y is x shifted by one."""

    def __init__(self, text, stoi, block_size):
        self.ids = torch.tensor([stoi[c] for c in text], dtype=torch.long)
        self.block_size = block_size

    def __len__(self):
        return (len(self.ids) - 1) // self.block_size

    def __getitem__(self, i):
        lo = i * self.block_size
        chunk = self.ids[lo : lo + self.block_size + 1]
        return chunk[:-1], chunk[1:]
