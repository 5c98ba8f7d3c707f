import torch
from torch import nn
from torch.utils.data import DataLoader

from data import MachineDataset, simulate
from engine import MultiTaskTrainer


class SharedTrunk(nn.Module):
    def __init__(self, n_features, hidden=48, n_types=3):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Linear(n_features, hidden),
            nn.SiLU(),
            nn.Linear(hidden, hidden),
            nn.SiLU(),
        )
        self.hours_head = nn.Sequential(nn.Linear(hidden, 16), nn.SiLU(), nn.Linear(16, 1))
        self.failure_head = nn.Linear(hidden, n_types)

    def forward(self, x):
        h = self.trunk(x)
        return {"hours": self.hours_head(h).squeeze(-1), "failure": self.failure_head(h)}


def main():
    torch.manual_seed(8)
    df = simulate(3000, seed=8)
    train_df, val_df, test_df = df.iloc[:2000], df.iloc[2000:2400], df.iloc[2400:]
    train_set = MachineDataset(train_df)
    val_set = MachineDataset(val_df, stats=train_set.stats)
    test_set = MachineDataset(test_df, stats=train_set.stats)

    model = SharedTrunk(train_set.x.shape[1])
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=1e-3)
    epochs = 10
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    trainer = MultiTaskTrainer(model, optimizer, scheduler, weights={"hours": 1.0, "failure": 0.5})
    trainer.fit(
        DataLoader(train_set, batch_size=50, shuffle=True),
        DataLoader(val_set, batch_size=200),
        epochs,
    )
    scores = trainer.evaluate(DataLoader(test_set, batch_size=200))
    print(f"test R2 {scores['r2']:.4f} | test acc {scores['acc']:.4f}")
    print(f"combined test score {(scores['r2'] + scores['acc']) / 2:.4f}")


if __name__ == "__main__":
    main()
