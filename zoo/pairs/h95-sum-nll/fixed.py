"""Wine cultivars with an old-school setup: log-probabilities, NLLLoss with reduction='sum', plain SGD."""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_wine
from sklearn.model_selection import RepeatedStratifiedKFold


class LogProbMLP(nn.Module):
    def __init__(self, d_in, d_hidden, n_classes):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_hidden)
        self.fc2 = nn.Linear(d_hidden, d_hidden)
        self.fc3 = nn.Linear(d_hidden, n_classes)

    def forward(self, x):
        h = torch.tanh(self.fc1(x))
        h = torch.tanh(self.fc2(h))
        return F.log_softmax(self.fc3(h), dim=-1)


def fit_fold(x, y, tr, te, args):
    mean, std = x[tr].mean(0), x[tr].std(0)
    xs = (x - mean) / std
    model = LogProbMLP(x.shape[1], args.hidden, 3)
    # the loss is a sum over the batch, so the step is per example
    criterion = nn.NLLLoss(reduction="sum")
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    last = None
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for idx in tr[torch.randperm(len(tr))].split(args.batch):
            optimizer.zero_grad()
            loss = criterion(model(xs[idx]), y[idx])
            loss.backward()
            optimizer.step()
            total += loss.item()
        last = total / len(tr)
    model.eval()
    with torch.no_grad():
        logp = model(xs[te])
    acc = (logp.argmax(1) == y[te]).float().mean().item()
    # exp of the log-probabilities sums to one
    conf = logp.exp().max(1).values.mean().item()
    return acc, last, conf


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--hidden", type=int, default=24)
    ap.add_argument("--lr", type=float, default=2e-4)
    ap.add_argument("--batch", type=int, default=16)
    ap.add_argument("--epochs", type=int, default=100)
    ap.add_argument("--repeats", type=int, default=2)
    ap.add_argument("--seed", type=int, default=7)
    args = ap.parse_args()
    torch.manual_seed(args.seed)

    data = load_wine()
    x = torch.tensor(data.data, dtype=torch.float32)
    y = torch.tensor(data.target)
    accs = []
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=args.repeats, random_state=args.seed)
    for k, (tr, te) in enumerate(folds.split(data.data, data.target)):
        acc, loss, conf = fit_fold(x, y, torch.as_tensor(tr), torch.as_tensor(te), args)
        accs.append(acc)
        print(f"fold {k:2d} train nll {loss:.4f} confidence {conf:.3f} accuracy {acc:.4f}")
    print(f"mean accuracy: {sum(accs) / len(accs):.4f}")


if __name__ == "__main__":
    main()
