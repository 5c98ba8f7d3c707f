"""Digit rows as a sequence, classified by a GRU; trained with Accelerate and gradient accumulation."""
import numpy as np
import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

EPOCHS = 10
MICRO_BATCH = 8
ACCUM = 8


class RowGRU(nn.Module):
    def __init__(self, hidden=64):
        super().__init__()
        self.rnn = nn.GRU(8, hidden, batch_first=True)
        self.norm = nn.LayerNorm(hidden)
        self.fc = nn.Linear(hidden, 10)

    def forward(self, x):
        out, _ = self.rnn(x)
        return self.fc(self.norm(out[:, -1]))


def get_loaders():
    X, y = load_digits(return_X_y=True)
    X = (X / 16.0).astype(np.float32).reshape(-1, 8, 8)
    Xtr, Xte, ytr, yte = train_test_split(X, y, test_size=0.25, random_state=0, stratify=y)
    mu, sd = Xtr.mean(), Xtr.std()
    mk = lambda a, b: TensorDataset(torch.from_numpy((a - mu) / sd), torch.from_numpy(b))
    return (DataLoader(mk(Xtr, ytr), MICRO_BATCH, shuffle=True, drop_last=True),
            DataLoader(mk(Xte, yte), 150))


def main():
    set_seed(21)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=ACCUM)
    train_dl, test_dl = get_loaders()
    model = RowGRU()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPOCHS * len(train_dl) // ACCUM)
    model, optimizer, train_dl, test_dl, scheduler = accelerator.prepare(model, optimizer, train_dl, test_dl, scheduler)
    criterion = nn.CrossEntropyLoss()

    for epoch in range(EPOCHS):
        model.train()
        seen = total = 0.0
        for x, y in train_dl:
            with accelerator.accumulate(model):
                loss = criterion(model(x), y)
                seen, total = seen + 1, total + loss.item()
                accelerator.backward(loss)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()

        model.eval()
        good = n = 0
        for x, y in test_dl:
            with torch.no_grad():
                pred = model(x).argmax(-1)
            pred, y = accelerator.gather_for_metrics((pred, y))
            good += (pred == y).sum().item()
            n += len(y)
        accelerator.print(f"epoch {epoch}: loss {total / seen:.4f} test accuracy {good / n:.4f}")


if __name__ == "__main__":
    main()
