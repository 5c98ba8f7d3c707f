"""Port of our Keras digit reader."""
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset


class ConvBlock(nn.Module):
    def __init__(self, c_in, c_out, stride=1):
        super().__init__()
        self.conv = nn.Conv2d(c_in, c_out, 3, stride=stride, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(c_out, eps=1e-3, momentum=0.99)

    def forward(self, x):
        return torch.relu(self.bn(self.conv(x)))


class DenseBlock(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc = nn.Linear(d_in, d_out, bias=False)
        self.bn = nn.BatchNorm1d(d_out, eps=1e-3, momentum=0.99)

    def forward(self, x):
        return torch.relu(self.bn(self.fc(x)))


class DigitReader(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(ConvBlock(1, 12), ConvBlock(12, 24, stride=2), nn.Flatten(), DenseBlock(24 * 16, 64))
        self.classifier = nn.Linear(64, 10)

    def forward(self, x):
        return self.classifier(self.features(x))


class Trainer:
    def __init__(self, model, lr=1e-3, epochs=20):
        self.model, self.epochs = model, epochs
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)
        self.loss = nn.CrossEntropyLoss()

    def fit(self, train_dl, test_dl):
        for epoch in range(self.epochs):
            self.model.train()
            total, hits, n = 0.0, 0, 0
            for x, y in train_dl:
                out = self.model(x)
                loss = self.loss(out, y)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                total += loss.item() * len(y)
                hits += (out.argmax(1) == y).sum().item()
                n += len(y)
            val_loss, val_acc = self.evaluate(test_dl)
            print(f"Epoch {epoch + 1}/{self.epochs} - loss: {total / n:.4f} - accuracy: {hits / n:.4f} "
                  f"- val_loss: {val_loss:.4f} - val_accuracy: {val_acc:.4f}")

    @torch.no_grad()
    def evaluate(self, dl):
        self.model.eval()
        total = hits = n = 0
        for x, y in dl:
            out = self.model(x)
            total += self.loss(out, y).item() * len(y)
            hits += (out.argmax(1) == y).sum().item()
            n += len(y)
        return total / n, hits / n


if __name__ == "__main__":
    torch.manual_seed(2)
    d = load_digits()
    x = (d.images[:, None] / 16.0).astype(np.float32)
    x_tr, x_te, y_tr, y_te = train_test_split(x, d.target, test_size=0.25, random_state=2, stratify=d.target)
    as_ds = lambda a, b: TensorDataset(torch.from_numpy(a), torch.from_numpy(b))
    train_dl = DataLoader(as_ds(x_tr, y_tr), batch_size=64, shuffle=True)
    test_dl = DataLoader(as_ds(x_te, y_te), batch_size=128)
    print(len(x_tr), "training images,", len(x_te), "test images")
    Trainer(DigitReader()).fit(train_dl, test_dl)
