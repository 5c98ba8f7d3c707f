import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

LOOKBACK = 36
HORIZON = 1


def generate_series(n: int = 1500, seed: int = 4) -> np.ndarray:
    """Monthly-like demand: trend + two seasonalities whose amplitude drifts + AR(1) noise."""
    rng = np.random.default_rng(seed)
    t = np.arange(n)
    amp = 1 + 0.4 * np.sin(2 * np.pi * t / 311)
    season = 10 * amp * np.sin(2 * np.pi * t / 12) + 5 * np.sin(2 * np.pi * t / 30 + 1.0)
    noise = np.zeros(n)
    for i in range(1, n):
        noise[i] = 0.5 * noise[i - 1] + rng.normal(0, 0.8)
    return (100 + 0.005 * t + season + noise).astype(np.float32)


class WindowDataset(Dataset):
    """Window of LOOKBACK steps -> the HORIZON steps that follow it."""

    def __init__(self, series: np.ndarray):
        self.series = torch.from_numpy(series)

    def __len__(self) -> int:
        return len(self.series) - LOOKBACK - HORIZON + 1

    def __getitem__(self, i: int):
        window = self.series[i : i + LOOKBACK]
        target = self.series[i + LOOKBACK : i + LOOKBACK + HORIZON]
        return window.unsqueeze(-1), target


class LSTMForecaster(nn.Module):
    def __init__(self, hidden: int = 32):
        super().__init__()
        self.lstm = nn.LSTM(input_size=1, hidden_size=hidden, num_layers=1, batch_first=True)
        self.head = nn.Linear(hidden, HORIZON)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out, _ = self.lstm(x)
        return self.head(out[:, -1])


def evaluate(model: nn.Module, loader: DataLoader, scale: float) -> float:
    model.eval()
    sq, count = 0.0, 0
    with torch.no_grad():
        for x, y in loader:
            sq += ((model(x) - y) ** 2).sum().item()
            count += y.numel()
    return scale * (sq / count) ** 0.5


def main():
    torch.manual_seed(0)
    series = generate_series()
    n_train, n_val = int(0.7 * len(series)), int(0.15 * len(series))

    # chronological split; later parts get the preceding LOOKBACK points as context only
    train = series[:n_train]
    val = series[n_train - LOOKBACK : n_train + n_val]
    test = series[n_train + n_val - LOOKBACK :]
    mean, std = train.mean(), train.std()
    train, val, test = ((part - mean) / std for part in (train, val, test))

    train_loader = DataLoader(WindowDataset(train), batch_size=32, shuffle=True)
    val_loader = DataLoader(WindowDataset(val), batch_size=256)
    test_loader = DataLoader(WindowDataset(test), batch_size=256)

    model = LSTMForecaster()
    criterion = nn.MSELoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=8e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=12)

    best = float("inf")
    for epoch in range(12):
        model.train()
        losses = []
        for x, y in train_loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            losses.append(loss.item())
        scheduler.step()
        val_rmse = evaluate(model, val_loader, std)
        if val_rmse < best:
            best = val_rmse
            torch.save(model.state_dict(), "lstm_best.pt")
        print(f"epoch {epoch + 1:2d}  train mse {np.mean(losses):.4f}  val rmse {val_rmse:.3f}")

    model.load_state_dict(torch.load("lstm_best.pt", weights_only=True))
    naive = std * np.sqrt(np.mean((test[LOOKBACK:] - test[LOOKBACK - 1 : -1]) ** 2))
    print(f"last-value forecast rmse: {naive:.3f}")
    print(f"LSTM test rmse: {evaluate(model, test_loader, std):.3f}")


if __name__ == "__main__":
    main()
