"""Predicts the level of a river on two processes, which average their gradients by hand."""

import os
import socket

import torch
import torch.distributed as dist
from torch import nn


def work(rank: int, port: int) -> None:
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    dist.init_process_group("gloo", rank=rank, world_size=2)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    days = torch.randn(600, 6)
    level = days.sum(1, keepdim=True) + 0.1 * torch.randn(600, 1)
    days, level = days[rank::2], level[rank::2]
    model = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(40):
        rows = torch.randint(0, 300, (30,))
        loss = nn.functional.mse_loss(model(days[rows]), level[rows])
        optimizer.zero_grad()
        loss.backward()
        for weight in model.parameters():
            dist.all_reduce(weight.grad)
            weight.grad /= 2
        optimizer.step()
    dist.barrier()
    print(f"rank {rank}: loss {loss.item():.3f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    torch.multiprocessing.spawn(work, args=(port,), nprocs=2)
