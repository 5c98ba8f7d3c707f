import argparse
import os

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, Dataset


class NoisyDigits(Dataset):
    """Clean image as target; fresh noise for training, fixed noise for evaluation."""

    def __init__(self, images, sigma, fixed_seed=None):
        self.clean = images
        self.sigma = sigma
        self.noise = None
        if fixed_seed is not None:
            g = torch.Generator().manual_seed(fixed_seed)
            self.noise = torch.randn(images.shape, generator=g)

    def __len__(self):
        return len(self.clean)

    def __getitem__(self, i):
        clean = self.clean[i]
        eps = torch.randn_like(clean) if self.noise is None else self.noise[i]
        return {"noisy": clean + self.sigma * eps, "clean": clean}


class DenoisingAE(nn.Module):
    def __init__(self, dim=64, hidden=96, latent=24):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, latent), nn.ReLU())
        self.decoder = nn.Sequential(nn.Linear(latent, hidden), nn.ReLU(), nn.Linear(hidden, dim), nn.Sigmoid())

    def forward(self, x):
        return self.decoder(self.encoder(x))


def get_loaders(batch_size, sigma, seed):
    images = torch.tensor(load_digits().data / 16.0, dtype=torch.float32)
    perm = torch.randperm(len(images), generator=torch.Generator().manual_seed(seed))
    train, test = images[perm[:1300]], images[perm[1300:]]
    train_loader = DataLoader(NoisyDigits(train, sigma), batch_size=batch_size, shuffle=True)
    test_loader = DataLoader(NoisyDigits(test, sigma, fixed_seed=123), batch_size=100)
    return train_loader, test_loader


def training_function(args):
    accelerator = Accelerator(cpu=True)
    set_seed(args.seed)
    train_loader, test_loader = get_loaders(args.batch_size, args.sigma, args.seed)
    model = DenoisingAE()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.epochs * len(train_loader))
    model, optimizer, train_loader, test_loader, scheduler = accelerator.prepare(
        model, optimizer, train_loader, test_loader, scheduler
    )

    for epoch in range(args.epochs):
        model.train()
        running = 0.0
        for batch in train_loader:
            loss = nn.functional.mse_loss(model(batch["noisy"]), batch["clean"])
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
            running += loss.item()

        model.eval()
        sq_err, count = 0.0, 0
        for batch in test_loader:
            with torch.no_grad():
                recon = model(batch["noisy"])
            recon, clean = accelerator.gather_for_metrics((recon, batch["clean"]))
            sq_err += (recon - clean).pow(2).sum().item()
            count += clean.numel()
        if epoch % 3 == 2:
            accelerator.print(f"epoch {epoch + 1}: train {running / len(train_loader):.4f} test {sq_err / count:.4f}")

    accelerator.wait_for_everyone()
    os.makedirs("checkpoints", exist_ok=True)
    accelerator.save(accelerator.unwrap_model(model).state_dict(), "checkpoints/dae.pt")
    accelerator.print(f"Final test reconstruction MSE: {sq_err / count:.5f}")


def main():
    parser = argparse.ArgumentParser(description="Denoising autoencoder with Accelerate")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--lr", type=float, default=4e-3)
    parser.add_argument("--sigma", type=float, default=0.3)
    parser.add_argument("--seed", type=int, default=42)
    training_function(parser.parse_args())


if __name__ == "__main__":
    main()
