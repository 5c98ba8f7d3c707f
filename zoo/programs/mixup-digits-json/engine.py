import torch

from mixing import soft_cross_entropy


def train_one_epoch(model, loader, optimizer, scheduler):
    model.train()
    total, seen = 0.0, 0
    for x, target in loader:
        loss = soft_cross_entropy(model(x), target)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        scheduler.step()
        total += loss.item() * len(x)
        seen += len(x)
    return total / seen


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    hits, seen = 0, 0
    for x, y in loader:
        hits += (model(x).argmax(dim=-1) == y).sum().item()
        seen += len(y)
    return hits / seen
