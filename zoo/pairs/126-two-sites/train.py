"""Two processes (gloo), each reading the shard of its own site; one model trained together."""
import os
import socket

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

WORLD, STEPS, BATCH = 2, 600, 24


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.head = nn.Linear(64, 10)

    def forward(self, x):
        return self.head(self.body(x))

    def penalised_loss(self, x, y):
        logits = self(x)
        return F.cross_entropy(logits, y) + 1e-4 * logits.square().mean()


def shards():
    x, y = load_digits(return_X_y=True)
    x, y = torch.tensor(x / 16.0, dtype=torch.float32), torch.tensor(y)
    xtr, xte, ytr, yte = train_test_split(x, y, test_size=0.3, random_state=0, stratify=y)
    # site 0 sees mostly low digits, site 1 mostly high ones
    g = torch.Generator().manual_seed(0)
    p = torch.where(ytr < 5, 0.04, 0.96)
    site = (torch.rand(len(ytr), generator=g) < p).long()
    return [(xtr[site == s], ytr[site == s]) for s in range(WORLD)], (xte, yte)


def worker(rank, port):
    torch.set_num_threads(1)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    dist.init_process_group("gloo", rank=rank, world_size=WORLD)
    torch.manual_seed(0)
    parts, (xte, yte) = shards()
    x, y = parts[rank]
    model = DDP(Net())
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    gen = torch.Generator().manual_seed(100 + rank)
    for step in range(STEPS):
        idx = torch.randint(len(x), (BATCH,), generator=gen)
        loss = model.module.penalised_loss(x[idx], y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 100 == 0 or step == STEPS - 1:
            mean = loss.detach().clone()
            dist.all_reduce(mean)
            if rank == 0:
                print(f"step {step:4d} loss {mean.item() / WORLD:.4f}", flush=True)
    if rank == 0:
        with torch.no_grad():
            acc = (model.module(xte).argmax(1) == yte).float().mean().item()
        print(f"held-out accuracy {acc:.3f}", flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        free = s.getsockname()[1]
    mp.spawn(worker, args=(free,), nprocs=WORLD)
