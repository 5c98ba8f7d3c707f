from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn as nn
from torch.optim.lr_scheduler import CosineAnnealingLR
from torch.utils.data import DataLoader

from data import CLASSES, get_datasets
from resnet import ResNet


@dataclass
class Config:
    epochs: int = 12
    batch_size: int = 64
    lr: float = 0.05
    momentum: float = 0.9
    weight_decay: float = 5e-4
    seed: int = 42
    ckpt_dir: str = "checkpoints"


class Trainer:
    def __init__(self, cfg: Config):
        self.cfg = cfg
        train_set, val_set, test_set = get_datasets()
        self.train_loader = DataLoader(train_set, batch_size=cfg.batch_size, shuffle=True, drop_last=True)
        self.val_loader = DataLoader(val_set, batch_size=128)
        self.test_loader = DataLoader(test_set, batch_size=128)

        self.model = ResNet(len(CLASSES))
        decay = [p for p in self.model.parameters() if p.ndim > 1]
        no_decay = [p for p in self.model.parameters() if p.ndim <= 1]
        self.optimizer = torch.optim.SGD(
            [{"params": decay, "weight_decay": cfg.weight_decay}, {"params": no_decay, "weight_decay": 0.0}],
            lr=cfg.lr,
            momentum=cfg.momentum,
            nesterov=True,
        )
        self.scheduler = CosineAnnealingLR(self.optimizer, T_max=cfg.epochs * len(self.train_loader))
        self.criterion = nn.CrossEntropyLoss(label_smoothing=0.05)
        self.best_acc = 0.0
        self.ckpt_path = Path(cfg.ckpt_dir) / "best.pt"
        self.ckpt_path.parent.mkdir(parents=True, exist_ok=True)

    def train_epoch(self) -> float:
        self.model.train()
        running = 0.0
        for images, labels in self.train_loader:
            logits = self.model(images)
            loss = self.criterion(logits, labels)
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            self.optimizer.step()
            self.scheduler.step()
            running += loss.item()
        return running / len(self.train_loader)

    @torch.no_grad()
    def evaluate(self, loader: DataLoader) -> float:
        self.model.eval()
        hits = total = 0
        for images, labels in loader:
            pred = self.model(images).argmax(1)
            hits += (pred == labels).sum().item()
            total += labels.numel()
        return hits / total

    def save(self, epoch: int) -> None:
        torch.save({"epoch": epoch, "model": self.model.state_dict(), "acc": self.best_acc}, self.ckpt_path)

    def load_best(self) -> int:
        ckpt = torch.load(self.ckpt_path, weights_only=True)
        self.model.load_state_dict(ckpt["model"])
        return ckpt["epoch"]

    def fit(self) -> None:
        for epoch in range(self.cfg.epochs):
            loss = self.train_epoch()
            acc = self.evaluate(self.val_loader)
            flag = ""
            if acc > self.best_acc:
                self.best_acc = acc
                self.save(epoch)
                flag = " *"
            lr = self.scheduler.get_last_lr()[0]
            print(f"[{epoch + 1:02d}/{self.cfg.epochs}] lr={lr:.4f} loss={loss:.4f} val_acc={acc:.4f}{flag}")


if __name__ == "__main__":
    cfg = Config()
    torch.manual_seed(cfg.seed)
    trainer = Trainer(cfg)
    trainer.fit()
    epoch = trainer.load_best()
    print(f"loaded best checkpoint from epoch {epoch + 1}")
    print(f"test acc: {trainer.evaluate(trainer.test_loader):.4f}")
