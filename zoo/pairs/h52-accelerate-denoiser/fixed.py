"""Masked/denoising autoencoder on digits with Accelerate; summed loss, tied decoder weights."""
import torch
import torch.nn.functional as F
from accelerate import Accelerator
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class TiedAutoencoder(nn.Module):
    def __init__(self, n_in=64, hidden=96, code=20):
        super().__init__()
        self.w1 = nn.Parameter(torch.empty(hidden, n_in))
        self.w2 = nn.Parameter(torch.empty(code, hidden))
        nn.init.orthogonal_(self.w1)
        nn.init.orthogonal_(self.w2)
        self.b1 = nn.Parameter(torch.zeros(hidden))
        self.b2 = nn.Parameter(torch.zeros(code))
        self.c1 = nn.Parameter(torch.zeros(hidden))
        self.c2 = nn.Parameter(torch.zeros(n_in))

    def forward(self, x):
        z = F.linear(F.gelu(F.linear(x, self.w1, self.b1)), self.w2, self.b2)
        # decoder uses the transposed encoder matrices
        h = F.gelu(F.linear(z, self.w2.t(), self.c1))
        return F.linear(h, self.w1.t(), self.c2)


def corrupt(x):
    keep = (torch.rand_like(x) > 0.15).float()
    return x * keep + 0.05 * torch.randn_like(x)


def main():
    torch.manual_seed(0)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
    images = torch.tensor(load_digits().data / 16.0, dtype=torch.float32)
    images = images[torch.randperm(len(images))]
    train, test = images[:1300], images[1300:]
    mean = train.mean(0)
    loader = DataLoader(TensorDataset(train - mean), batch_size=16, shuffle=True, drop_last=True)
    model = TiedAutoencoder()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    model, opt, loader = accelerator.prepare(model, opt, loader)
    for epoch in range(14):
        total = 0.0
        for (x,) in loader:
            with accelerator.accumulate(model):
                loss = (model(corrupt(x)) - x).square().sum(dim=1).mean()
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 5.0)
                opt.step()
                opt.zero_grad()
            total += loss.item()
        if epoch % 3 == 0:
            accelerator.print(f"epoch {epoch:2d} loss {total / len(loader):.4f}")
    with torch.no_grad():
        centred = test - mean
        clean = 1 - (model(centred) - centred).square().sum() / centred.square().sum()
        noisy = 1 - (model(corrupt(centred)) - centred).square().sum() / centred.square().sum()
    accelerator.print(f"held-out variance explained: clean {clean:.3f}, from corrupted {noisy:.3f}")


if __name__ == "__main__":
    main()
