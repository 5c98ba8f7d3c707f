import json
import sys
from pathlib import Path

import torch
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset, random_split

from engine import evaluate, train_one_epoch
from mixing import MixupCollate
from models import ConvNet

OPTIMIZERS = {"adamw": torch.optim.AdamW, "sgd": torch.optim.SGD}


def load_config(path):
    return json.loads(Path(path).read_text())


def build_data(cfg, seed):
    bunch = load_digits()
    g = torch.Generator().manual_seed(seed)
    images = torch.tensor(bunch.images, dtype=torch.float32).unsqueeze(1) / 16
    images = images + cfg["noise"] * torch.randn(images.shape, generator=g)
    dataset = TensorDataset(images - 0.5, torch.tensor(bunch.target))
    n_train = cfg["train_size"]
    n_val = 200
    return random_split(dataset, [n_train, n_val, len(dataset) - n_train - n_val], generator=g)


def main():
    cfg = load_config(sys.argv[1] if len(sys.argv) > 1 else "config.json")
    torch.manual_seed(cfg["seed"])
    train_set, val_set, test_set = build_data(cfg["data"], cfg["seed"])

    collate = MixupCollate(cfg["mixup"]["alpha"], cfg["mixup"]["prob"], n_classes=10, seed=cfg["seed"])
    train_loader = DataLoader(train_set, cfg["data"]["batch_size"], shuffle=True, drop_last=True, collate_fn=collate)
    val_loader = DataLoader(val_set, 100)
    test_loader = DataLoader(test_set, 100)

    model = ConvNet(**cfg["model"])
    opt_cfg = dict(cfg["optim"])
    optimizer = OPTIMIZERS[opt_cfg.pop("name")](model.parameters(), **opt_cfg)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=opt_cfg["lr"], epochs=cfg["epochs"], steps_per_epoch=len(train_loader)
    )

    for epoch in range(cfg["epochs"]):
        loss = train_one_epoch(model, train_loader, optimizer, scheduler)
        print(f"epoch={epoch} mixup_loss={loss:.4f} val_acc={evaluate(model, val_loader):.4f}")
    print(f"test_acc={evaluate(model, test_loader):.4f}")


if __name__ == "__main__":
    main()
