import os
from dataclasses import asdict, dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader

from dataset import IGNORE, TAGS, TagDataset, build_vocab, collate
from models.tagger import BiLSTMTagger


@dataclass
class TrainConfig:
    epochs: int = 6
    interrupt_after: int = 3
    batch_size: int = 16
    lr: float = 5e-3
    ckpt_path: str = "checkpoints/last.pt"
    seed: int = 17


class Session:
    """Everything that has to survive a restart."""

    def __init__(self, cfg: TrainConfig, vocab: dict):
        self.cfg = cfg
        self.model = BiLSTMTagger(len(vocab), len(TAGS))
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=cfg.lr)
        self.scheduler = torch.optim.lr_scheduler.ExponentialLR(self.optimizer, gamma=0.8)
        self.loss_fn = nn.CrossEntropyLoss(ignore_index=IGNORE)
        self.epoch = 0

    def save(self):
        os.makedirs(os.path.dirname(self.cfg.ckpt_path), exist_ok=True)
        torch.save(
            {
                "config": asdict(self.cfg),
                "epoch": self.epoch,
                "model": self.model.state_dict(),
                "optimizer": self.optimizer.state_dict(),
                "scheduler": self.scheduler.state_dict(),
                "rng": torch.get_rng_state(),
            },
            self.cfg.ckpt_path,
        )

    def load(self):
        ckpt = torch.load(self.cfg.ckpt_path, weights_only=True)
        self.model.load_state_dict(ckpt["model"])
        self.optimizer.load_state_dict(ckpt["optimizer"])
        self.scheduler.load_state_dict(ckpt["scheduler"])
        self.epoch = ckpt["epoch"]
        torch.set_rng_state(ckpt["rng"])

    def run(self, train_loader, val_loader, until):
        while self.epoch < until:
            self.model.train()
            total = 0.0
            for batch in train_loader:
                self.optimizer.zero_grad()
                logits = self.model(batch["tokens"], batch["lengths"])
                loss = self.loss_fn(logits.transpose(1, 2), batch["tags"])
                loss.backward()
                nn.utils.clip_grad_norm_(self.model.parameters(), 2.0)
                self.optimizer.step()
                total += loss.item()
            self.scheduler.step()
            self.epoch += 1
            f1 = self.entity_f1(val_loader)
            print(f"epoch {self.epoch} loss={total / len(train_loader):.4f} val_f1={f1:.4f}")

    @torch.no_grad()
    def entity_f1(self, loader):
        self.model.eval()
        tp = fp = fn = 0
        for batch in loader:
            pred = self.model(batch["tokens"], batch["lengths"]).argmax(-1)
            gold = batch["tags"]
            real = gold != IGNORE
            tp += ((pred == gold) & (gold > 0) & real).sum().item()
            fp += ((pred != gold) & (pred > 0) & real).sum().item()
            fn += ((pred != gold) & (gold > 0) & real).sum().item()
        return 2 * tp / max(2 * tp + fp + fn, 1)


def main():
    cfg = TrainConfig()
    torch.manual_seed(cfg.seed)
    vocab = build_vocab()
    train_loader = DataLoader(TagDataset(640, vocab, 1), cfg.batch_size, shuffle=True, collate_fn=collate)
    val_loader = DataLoader(TagDataset(200, vocab, 2), 64, collate_fn=collate)
    test_loader = DataLoader(TagDataset(400, vocab, 3), 64, collate_fn=collate)

    first = Session(cfg, vocab)
    first.run(train_loader, val_loader, until=cfg.interrupt_after)
    first.save()
    print(f"saved {cfg.ckpt_path} at epoch {first.epoch}")
    del first

    resumed = Session(cfg, vocab)
    resumed.load()
    print(f"resumed from epoch {resumed.epoch}, lr {resumed.scheduler.get_last_lr()[0]:.5f}")
    resumed.run(train_loader, val_loader, until=cfg.epochs)
    print(f"Test entity F1: {resumed.entity_f1(test_loader):.4f}")


if __name__ == "__main__":
    main()
