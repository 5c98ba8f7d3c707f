"""Scripted or human? A GRU over click-stream sessions (event type, gap to the previous event, hour of day)."""
import numpy as np
import pandas as pd
import torch
from sklearn.metrics import roc_auc_score
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

EVENTS = ["view", "search", "cart", "scroll", "click", "pay"]
SEED = 23


def export_log(n_sessions, seed):
    """One row per event, as it comes out of the warehouse: session id, unix time, event name."""
    rng = np.random.default_rng(seed)
    base = pd.Timestamp("2024-03-01").timestamp()
    rows, labels = [], {}
    for sid in range(n_sessions):
        scripted = rng.random() < 0.35
        n = int(rng.integers(10, 32))
        if scripted:
            pace = rng.uniform(6, 30)
            gaps = pace * np.exp(rng.normal(0, 0.12, n))
            if rng.random() < 0.5:
                gaps[rng.random(n) < 0.15] *= rng.uniform(2, 4)
            probs = np.array([0.34, 0.2, 0.08, 0.12, 0.23, 0.03])
        else:
            gaps = rng.lognormal(np.log(rng.uniform(4, 22)), 0.9, n)
            probs = np.array([0.32, 0.17, 0.08, 0.18, 0.22, 0.03])
        start = base + rng.uniform(0, 20 * 86400)
        names = rng.choice(EVENTS, n, p=probs)
        rows.append(pd.DataFrame({"session": sid, "unix": start + np.cumsum(gaps), "event": names}))
        labels[sid] = int(scripted)
    return pd.concat(rows, ignore_index=True), labels


def featurize(log):
    log = log.sort_values(["session", "unix"])
    kind = log["event"].map({e: i for i, e in enumerate(EVENTS)}).to_numpy()
    unix = log["unix"].to_numpy(dtype=np.float64)
    bounds = np.flatnonzero(np.diff(log["session"].to_numpy())) + 1
    sequences = []
    for k, t in zip(np.split(kind, bounds), np.split(unix, bounds)):
        gap = np.diff(t, prepend=t[:1])
        hour = (t / 3600.0) % 24.0
        cont = np.stack([np.log1p(gap) - 2.0, np.sin(hour * np.pi / 12), np.cos(hour * np.pi / 12)], axis=1)
        sequences.append((torch.tensor(k), torch.tensor(cont, dtype=torch.float32)))
    return sequences


def collate(items):
    kinds, conts, ys = zip(*items)
    lengths = torch.tensor([len(k) for k in kinds])
    return (pad_sequence(kinds, batch_first=True), pad_sequence(conts, batch_first=True), lengths,
            torch.tensor(ys, dtype=torch.float32))


class SessionModel(nn.Module):
    def __init__(self, dim=8, hidden=32):
        super().__init__()
        self.kind = nn.Embedding(len(EVENTS), dim)
        self.rnn = nn.GRU(dim + 3, hidden, batch_first=True)
        self.out = nn.Sequential(nn.Dropout(0.1), nn.Linear(hidden, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, kinds, conts, lengths):
        x = torch.cat([self.kind(kinds), conts], -1)
        _, h = self.rnn(pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False))
        return self.out(h[-1]).squeeze(-1)


def auc(model, loader):
    model.eval()
    scores, truth = [], []
    with torch.no_grad():
        for kinds, conts, lengths, y in loader:
            scores.append(model(kinds, conts, lengths))
            truth.append(y)
    model.train()
    return roc_auc_score(torch.cat(truth), torch.cat(scores))


def main():
    torch.manual_seed(SEED)
    log, labels = export_log(3200, SEED)
    sequences = featurize(log)
    items = [(k, c, labels[i]) for i, (k, c) in enumerate(sequences)]
    print(f"{len(log)} events in {len(items)} sessions, {np.mean(list(labels.values())):.1%} scripted")
    perm = np.random.default_rng(SEED + 1).permutation(len(items))
    train_items = [items[i] for i in perm[:2400]]
    test_items = [items[i] for i in perm[2400:]]
    train = torch.utils.data.DataLoader(train_items, 48, shuffle=True, collate_fn=collate)
    test = torch.utils.data.DataLoader(test_items, 200, collate_fn=collate)

    model = SessionModel()
    opt = torch.optim.Adam(model.parameters(), lr=4e-3)
    sched = torch.optim.lr_scheduler.StepLR(opt, step_size=5, gamma=0.4)
    for epoch in range(12):
        total = 0.0
        for kinds, conts, lengths, y in train:
            loss = nn.functional.binary_cross_entropy_with_logits(model(kinds, conts, lengths), y)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            total += loss.item()
        sched.step()
        if epoch % 2 == 1:
            print(f"epoch {epoch:2d} loss {total / len(train):.4f} test auc {auc(model, test):.4f}", flush=True)
    print(f"final test auc {auc(model, test):.4f}")


if __name__ == "__main__":
    main()
