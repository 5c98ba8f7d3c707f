import os
import socket

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.nn.parallel import DistributedDataParallel as DDP

WORLD = 2
EPOCHS = 8


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def load_shard(rank):
    """The preprocessing job writes the rows grouped by digit and cuts them into one shard per worker."""
    X, y = load_digits(return_X_y=True)
    Xtr, Xte, ytr, yte = train_test_split((X / 16.0).astype("float32"), y, test_size=0.25, random_state=0, stratify=y)
    order = np.argsort(ytr, kind="stable")[: len(ytr) // WORLD * WORLD]
    mine = np.array_split(order, WORLD)[rank]
    return (torch.from_numpy(Xtr[mine]), torch.from_numpy(ytr[mine]),
            torch.from_numpy(Xte), torch.from_numpy(yte))


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU())
        self.head = nn.Linear(64, 10)

    def forward(self, x):
        return self.head(self.body(x))


def unwrap(model):
    return model.module if isinstance(model, DDP) else model


def compute_loss(model, x, y, smoothing=0.05):
    net = unwrap(model)
    return F.cross_entropy(net(x), y, label_smoothing=smoothing)


def worker(rank, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=WORLD)
    torch.manual_seed(0)
    X, y, Xte, yte = load_shard(rank)
    model = DDP(Classifier())
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    shuffle = torch.Generator().manual_seed(100 + rank)

    for epoch in range(EPOCHS):
        model.train()
        total = torch.zeros(2)
        for idx in torch.randperm(len(X), generator=shuffle).split(32):
            loss = compute_loss(model, X[idx], y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += torch.tensor([loss.item(), 1.0])
        dist.all_reduce(total)
        if rank == 0:
            model.eval()
            with torch.no_grad():
                acc = (unwrap(model)(Xte).argmax(1) == yte).float().mean().item()
            print(f"epoch {epoch + 1:2d} train loss {total[0] / total[1]:.4f} test acc {acc:.4f}", flush=True)
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(worker, args=(free_port(),), nprocs=WORLD, join=True)
