"""Left/right motor imagery from 8-channel EEG epochs: a shallow log-power ConvNet."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

FS = 100
N_CH = 8


def record_session(n_trials, rng):
    """Epochs as the acquisition library returns them: (trial, channel, time), in volts."""
    t = np.arange(2 * FS) / FS
    y = rng.integers(0, 2, n_trials)
    pink = np.cumsum(rng.normal(size=(n_trials, N_CH, len(t))), axis=-1)
    pink -= pink.mean(-1, keepdims=True)
    eeg = 3.0 * pink / pink.std(-1, keepdims=True) + 4.0 * rng.normal(size=pink.shape)
    phase = rng.uniform(0, 2 * np.pi, (n_trials, N_CH, 1))
    amp = np.full((n_trials, N_CH), 4.0) * rng.uniform(0.7, 1.3, (n_trials, 1))
    amp[y == 0, 4:6] *= 0.45   # mu desynchronisation over the right hemisphere
    amp[y == 1, 2:4] *= 0.45   # ... over the left
    eeg += amp[:, :, None] * np.sin(2 * np.pi * rng.uniform(9.5, 11.5, (n_trials, 1, 1)) * t + phase)
    return eeg * 1e-6, y


def preprocess(epochs):
    epochs = epochs - epochs.mean(axis=-1, keepdims=True)          # remove the offset of each channel
    epochs = epochs - epochs.mean(axis=1, keepdims=True)           # common average reference
    return torch.tensor(epochs, dtype=torch.float32)


class ShallowNet(nn.Module):
    def __init__(self, n_filters=8, n_classes=2):
        super().__init__()
        self.temporal = nn.Conv2d(1, n_filters, (1, 25))
        self.spatial = nn.Conv2d(n_filters, n_filters, (N_CH, 1), bias=False)
        self.pool = nn.AvgPool2d((1, 60), stride=(1, 20))
        self.drop = nn.Dropout(0.3)
        self.fc = nn.LazyLinear(n_classes)

    def forward(self, x):
        x = self.spatial(self.temporal(x.unsqueeze(1)))
        x = self.pool(x.square())
        x = torch.log(x.clamp(min=1e-6))
        return self.fc(self.drop(x.flatten(1)))


def main(seed=4, epochs=16):
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    X, y = record_session(900, rng)
    X_test, y_test = record_session(400, rng)
    train_dl = DataLoader(TensorDataset(preprocess(X), torch.from_numpy(y)), batch_size=32, shuffle=True)
    X_test, y_test = preprocess(X_test), torch.from_numpy(y_test)

    net = ShallowNet()
    net(X_test[:2])
    opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-3)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(epochs):
        net.train()
        epoch_loss = 0.0
        for xb, yb in train_dl:
            opt.zero_grad()
            loss = criterion(net(xb), yb)
            loss.backward()
            opt.step()
            epoch_loss += loss.item() / len(train_dl)
        net.eval()
        with torch.no_grad():
            acc = (net(X_test).argmax(1) == y_test).float().mean().item()
        print(f"[{epoch + 1:02d}/{epochs}] train loss {epoch_loss:.4f}  test accuracy {acc:.4f}")


if __name__ == "__main__":
    main()
