"""Tag every minute of a machine log with its operating state (BiGRU over discretised sensor codes)."""
import argparse
import logging

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

log = logging.getLogger("tagger")

STATES = ["idle", "spinup", "run", "overload", "cooldown", "fault"]
TRANS = np.array([
    [.90, .09, .00, .00, .00, .01],
    [.03, .60, .35, .00, .00, .02],
    [.00, .00, .90, .05, .04, .01],
    [.00, .00, .30, .60, .00, .10],
    [.35, .05, .00, .00, .60, .00],
    [.30, .00, .00, .00, .00, .70],
])
N_CODES = 20


class MachineLog(Dataset):
    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        centre = np.array([2.0, 6.0, 11.0, 15.0, 8.0, 4.0])
        self.codes, self.states, self.lens = [], [], []
        for _ in range(n):
            L = int(rng.integers(25, 41))
            s = np.zeros(L, dtype=np.int64)
            s[0] = rng.choice(6, p=[.5, .05, .35, .04, .04, .02])
            for t in range(1, L):
                s[t] = rng.choice(6, p=TRANS[s[t - 1]])
            c = np.clip(np.round(centre[s] + rng.normal(0, 2.2, L)), 0, N_CODES - 1).astype(np.int64)
            self.codes.append(np.pad(c + 1, (0, 40 - L)))
            self.states.append(np.pad(s, (0, 40 - L)))
            self.lens.append(L)

    def __len__(self):
        return len(self.lens)

    def __getitem__(self, i):
        return torch.from_numpy(self.codes[i]), torch.from_numpy(self.states[i]), torch.arange(40) < self.lens[i]


class Tagger(nn.Module):
    def __init__(self, n_codes, n_states, dim=16, hidden=24):
        super().__init__()
        self.emb = nn.Embedding(n_codes + 1, dim, padding_idx=0)
        self.gru = nn.GRU(dim, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, n_states)

    def forward(self, codes):
        return self.out(self.gru(self.emb(codes))[0])


def smoothed_nll(logits, tags, mask, eps=0.02):
    logp = F.log_softmax(logits, dim=-1)
    nll = -logp.gather(-1, tags.unsqueeze(-1)).squeeze(-1)
    smooth = -logp.mean(-1)
    per_token = (1 - eps) * nll + eps * smooth
    return (per_token * mask).sum() / mask.sum()


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    hit = tot = 0
    for codes, states, mask in loader:
        hit += ((model(codes).argmax(-1) == states) & mask).sum().item()
        tot += mask.sum().item()
    return hit / tot


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=7)
    ap.add_argument("--batch-size", type=int, default=32)
    ap.add_argument("--lr", type=float, default=3e-3)
    ap.add_argument("--seed", type=int, default=5)
    args = ap.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
    torch.manual_seed(args.seed)

    train = DataLoader(MachineLog(1500, 1), args.batch_size, shuffle=True)
    test = DataLoader(MachineLog(300, 2), 100)
    model = Tagger(N_CODES, len(STATES))
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr)
    for epoch in range(1, args.epochs + 1):
        model.train()
        run = 0.0
        for codes, states, mask in train:
            loss = smoothed_nll(model(codes), states, mask)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            run += loss.item()
        acc = evaluate(model, test)
        log.info("epoch %d loss %.4f test token acc %.4f", epoch, run / len(train), acc)
    print(f"final token accuracy {acc:.4f}")


if __name__ == "__main__":
    main()
