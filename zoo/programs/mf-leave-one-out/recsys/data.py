import numpy as np
import torch
from torch.utils.data import Dataset


def synthesize(n_users=240, n_items=150, n_factors=4, per_user=22, seed=0):
    """Interactions drawn from latent tastes and item popularity; returned per user in time order."""
    rng = np.random.default_rng(seed)
    users = rng.normal(size=(n_users, n_factors))
    items = rng.normal(size=(n_items, n_factors))
    popularity = rng.normal(0, 0.7, size=n_items)
    scores = 1.8 * users @ items.T + popularity
    history = []
    for u in range(n_users):
        # Gumbel top-k is sampling without replacement from the softmax
        keys = scores[u] + rng.gumbel(size=n_items)
        chosen = np.argsort(-keys)[:per_user]
        history.append(rng.permutation(chosen).tolist())
    return history, n_users, n_items


def leave_one_out(history):
    """Last interaction for testing, the one before for validation, the rest for training."""
    train = [h[:-2] for h in history]
    valid = [h[-2] for h in history]
    test = [h[-1] for h in history]
    return train, valid, test


class PairwiseDataset(Dataset):
    """(user, positive, negative) triples with negatives the user has not interacted with in training."""

    def __init__(self, train, n_items, seed=0):
        self.pairs = [(u, i) for u, items in enumerate(train) for i in items]
        self.seen = [set(items) for items in train]
        self.n_items = n_items
        self.rng = np.random.default_rng(seed)

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, idx):
        user, pos = self.pairs[idx]
        neg = int(self.rng.integers(self.n_items))
        while neg in self.seen[user]:
            neg = int(self.rng.integers(self.n_items))
        return torch.tensor(user), torch.tensor(pos), torch.tensor(neg)
