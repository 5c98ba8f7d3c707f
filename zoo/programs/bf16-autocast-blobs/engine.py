import logging
import time

import torch

log = logging.getLogger(__name__)


class Trainer:
    def __init__(self, model, optimizer, criterion, train_loader, val_loader, use_amp=True, max_norm=5.0):
        self.model = model
        self.optimizer = optimizer
        self.criterion = criterion
        self.train_loader = train_loader
        self.val_loader = val_loader
        self.use_amp = use_amp
        self.max_norm = max_norm
        self.best_iou = 0.0
        self.best_state = None

    def _autocast(self):
        return torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.use_amp)

    def train_epoch(self):
        self.model.train()
        total = 0.0
        for images, masks in self.train_loader:
            self.optimizer.zero_grad(set_to_none=True)
            with self._autocast():
                logits = self.model(images)
                loss = self.criterion(logits.float(), masks)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
            self.optimizer.step()
            total += loss.item() * images.size(0)
        return total / len(self.train_loader.dataset)

    @torch.no_grad()
    def evaluate(self, loader):
        self.model.eval()
        inter, union = 0.0, 0.0
        for images, masks in loader:
            with self._autocast():
                logits = self.model(images)
            pred = logits.float() > 0
            truth = masks > 0.5
            inter += (pred & truth).sum().item()
            union += (pred | truth).sum().item()
        return inter / max(union, 1.0)

    def fit(self, epochs):
        for epoch in range(1, epochs + 1):
            t0 = time.perf_counter()
            loss = self.train_epoch()
            iou = self.evaluate(self.val_loader)
            if iou > self.best_iou:
                self.best_iou = iou
                self.best_state = {k: v.detach().clone() for k, v in self.model.state_dict().items()}
            log.info("epoch %d loss %.4f val_iou %.4f (%.2fs)", epoch, loss, iou, time.perf_counter() - t0)
        self.model.load_state_dict(self.best_state)
        return self.best_iou
