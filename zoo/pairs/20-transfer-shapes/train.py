"""Pretrain on a coarse task, then fine-tune the later layers for the fine one."""
import torch
import torch.nn as nn
import torch.nn.functional as F

GRID = 20


def draw_patterns(n, seed):
    """Gratings of 8 orientations crossed with 3 spatial frequencies."""
    g = torch.Generator().manual_seed(seed)
    orient = torch.randint(8, (n,), generator=g)
    freq = torch.randint(3, (n,), generator=g)
    ang = orient.float() * torch.pi / 8
    f = torch.tensor([0.9, 1.4, 2.0])[freq]
    yy, xx = torch.meshgrid(torch.arange(GRID).float(), torch.arange(GRID).float(), indexing="ij")
    phase = torch.rand(n, generator=g) * 2 * torch.pi
    arg = f[:, None, None] * (xx * ang.cos()[:, None, None] + yy * ang.sin()[:, None, None]) + phase[:, None, None]
    return (arg.sin() + 0.9 * torch.randn(n, GRID, GRID, generator=g))[:, None], orient, freq


class Backbone(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 12, 5, stride=2)
        self.conv2 = nn.Conv2d(12, 16, 3)
        self.head_norm = nn.LayerNorm(16)
        self.head_fc = nn.Linear(16, 48)
        self.head_out = nn.Linear(48, classes)

    def forward(self, x):
        x = F.relu(self.conv2(F.relu(self.conv1(x)))).amax((2, 3))
        return self.head_out(F.relu(self.head_fc(self.head_norm(x))))


def run(model, x, y, epochs, lr, tag):
    opt = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=lr)
    for ep in range(epochs):
        model.train()
        tot = 0.0
        for idx in torch.randperm(len(x)).split(32):
            loss = F.cross_entropy(model(x[idx]), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            tot += loss.item() * len(idx)
        print(f"{tag} epoch {ep}: {tot / len(x):.4f}")


def accuracy(model, x, y):
    model.eval()
    with torch.no_grad():
        return (model(x).argmax(1) == y).float().mean().item()


def main():
    torch.manual_seed(13)
    xp, _, fp = draw_patterns(1000, 0)
    xf, of, _ = draw_patterns(2000, 1)
    xt, ot, _ = draw_patterns(800, 2)
    model = Backbone(classes=3)
    run(model, xp, fp, epochs=3, lr=2e-3, tag="pretrain")

    model.head_out = nn.Linear(48, 8)
    trainable = ("conv_2", "head_out")
    for name, p in model.named_parameters():
        p.requires_grad = name.startswith(trainable)
    run(model, xf, of, epochs=12, lr=3e-3, tag="finetune")
    print(f"orientation accuracy: {accuracy(model, xt, ot):.3f}")


if __name__ == "__main__":
    main()
