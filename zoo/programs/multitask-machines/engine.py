import torch
import torch.nn.functional as F
from torch.utils.tensorboard import SummaryWriter


class MultiTaskTrainer:
    def __init__(self, model, optimizer, scheduler, weights, log_dir="runs"):
        self.model = model
        self.optimizer = optimizer
        self.scheduler = scheduler
        self.weights = weights
        self.writer = SummaryWriter(log_dir)
        self.global_step = 0

    def compute_losses(self, outputs, batch):
        return {
            "hours": F.smooth_l1_loss(outputs["hours"], batch["hours"]),
            "failure": F.cross_entropy(outputs["failure"], batch["failure"]),
        }

    def train_epoch(self, loader):
        self.model.train()
        for batch in loader:
            losses = self.compute_losses(self.model(batch["x"]), batch)
            total = sum(self.weights[k] * v for k, v in losses.items())
            self.optimizer.zero_grad()
            total.backward()
            self.optimizer.step()
            self.global_step += 1
            if self.global_step % 10 == 0:
                for name, value in losses.items():
                    self.writer.add_scalar(f"train/{name}", value.item(), self.global_step)
        self.scheduler.step()

    @torch.no_grad()
    def evaluate(self, loader):
        self.model.eval()
        preds, targets, hits = [], [], []
        for batch in loader:
            out = self.model(batch["x"])
            preds.append(out["hours"])
            targets.append(batch["hours"])
            hits.append(out["failure"].argmax(1) == batch["failure"])
        preds, targets = torch.cat(preds), torch.cat(targets)
        r2 = 1 - (preds - targets).pow(2).sum() / (targets - targets.mean()).pow(2).sum()
        return {"r2": r2.item(), "acc": torch.cat(hits).float().mean().item()}

    def fit(self, train_loader, val_loader, epochs):
        for epoch in range(epochs):
            self.train_epoch(train_loader)
            scores = self.evaluate(val_loader)
            for name, value in scores.items():
                self.writer.add_scalar(f"val/{name}", value, epoch)
            print(f"epoch {epoch:2d}  R2 {scores['r2']:.3f}  acc {scores['acc']:.3f}")
        self.writer.close()
