"""Texture classifier; the exponential moving average of the weights is what gets shipped."""
import copy
import logging

import torch
import torch.nn as nn
import torch.nn.functional as F

logging.basicConfig(format="%(message)s", level=logging.INFO)


def textures(n, seed, size=16):
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(5, (n,), generator=g)
    noise = torch.randn(n, 1, size, size, generator=g)
    kernels = torch.stack([torch.ones(3, 3) / 9, torch.eye(3) / 3, torch.eye(3).flip(0) / 3,
                           torch.tensor([[0, 0, 0], [1, 1, 1.0], [0, 0, 0]]) / 3,
                           torch.tensor([[0, 1.0, 0], [0, 1, 0], [0, 1, 0]]) / 3])[:, None]
    out = F.conv2d(noise, kernels, padding=1)
    x = out[torch.arange(n), y][:, None]
    return 6.0 + 2.5 * (x + 0.55 * torch.randn(n, 1, size, size, generator=g)), y


def net():
    def block(i, o):
        return nn.Sequential(nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU())
    return nn.Sequential(nn.BatchNorm2d(1), block(1, 12), block(12, 16), nn.MaxPool2d(2), block(16, 24),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(24, 5))


class Ema:
    def __init__(self, model, decay):
        self.decay = decay
        self.model = copy.deepcopy(model).eval()
        for p in self.model.parameters():
            p.requires_grad_(False)

    @torch.no_grad()
    def update(self, model):
        for e, p in zip(self.model.parameters(), model.parameters()):
            e.lerp_(p, 1 - self.decay)
        for e, b in zip(self.model.buffers(), model.buffers()):
            e.copy_(b)


@torch.no_grad()
def accuracy(model, x, y):
    was = model.training
    model.eval()
    acc = (model(x).argmax(1) == y).float().mean().item()
    model.train(was)
    return acc


def main():
    torch.manual_seed(4)
    x, y = textures(1500, 0)
    xv, yv = textures(600, 1)
    model = net()
    ema = Ema(model, decay=0.97)
    opt = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=1e-2)
    for epoch in range(9):
        model.train()
        losses = []
        for idx in torch.randperm(len(x)).split(32):
            loss = F.cross_entropy(model(x[idx]), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            ema.update(model)
            losses.append(loss.item())
        logging.info("epoch %d | loss %.4f", epoch, sum(losses) / len(losses))
    shipped = ema.model
    torch.save(shipped.state_dict(), "/tmp/texture_ema.pt")
    logging.info("accuracy of the shipped model: %.4f", accuracy(shipped, xv, yv))


if __name__ == "__main__":
    main()
