"""Predicts a price from numbers and a flag with the Hugging Face Trainer."""

import torch
from datasets import Dataset
from torch import nn
from transformers import Trainer, TrainingArguments

torch.manual_seed(0)
size = torch.randn(512, 4)
flag = torch.randint(2, (512, 1)).float()
price = size @ torch.tensor([1.0, -2.0, 0.5, 1.5]) + 3 * flag[:, 0]
rows = Dataset.from_dict({"size": size.tolist(), "extra": flag.tolist(), "labels": price.tolist()})


class Price(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, size, labels=None, **features):
        extra = features.get("extra", torch.zeros(len(size), 1))
        out = self.net(torch.cat([size, extra], dim=1)).squeeze(1)
        return {"loss": nn.functional.mse_loss(out, labels), "logits": out}


args = TrainingArguments(
    "out",
    num_train_epochs=6,
    per_device_train_batch_size=32,
    learning_rate=1e-2,
    use_cpu=True,
    report_to="none",
    disable_tqdm=True,
    save_strategy="no",
)
Trainer(Price(), args, train_dataset=rows).train()
