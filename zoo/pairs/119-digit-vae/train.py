import argparse

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from vae import VAE, kl_to_standard_normal


def get_data(seed):
    x, y = load_digits(return_X_y=True)
    x = torch.tensor(x / 16.0, dtype=torch.float32)
    y = torch.tensor(y)
    return train_test_split(x, y, test_size=0.25, random_state=seed, stratify=y)


def elbo_terms(model, x):
    out, mu, logvar = model(x)
    rec = F.binary_cross_entropy_with_logits(out, x)
    return rec, kl_to_standard_normal(mu, logvar)


@torch.no_grad()
def report(model, xtr, ytr, xte, yte):
    model.eval()
    ztr, zte = model.encode(xtr)[0], model.encode(xte)[0]
    mse = (torch.sigmoid(model.dec(zte)) - xte).square().mean().item()
    base = (xtr.mean(0) - xte).square().mean().item()
    probe = LogisticRegression(max_iter=500).fit(ztr.numpy(), ytr.numpy())
    return 1 - mse / base, probe.score(zte.numpy(), yte.numpy())


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=60)
    ap.add_argument("--batch", type=int, default=64)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--beta", type=float, default=1.0)
    ap.add_argument("--warmup", type=int, default=200, help="steps over which beta rises")
    args = ap.parse_args()

    torch.manual_seed(1)
    xtr, xte, ytr, yte = get_data(1)
    model = VAE()
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    step = 0
    for epoch in range(args.epochs):
        model.train()
        for idx in torch.randperm(len(xtr)).split(args.batch):
            rec, kl = elbo_terms(model, xtr[idx])
            beta = args.beta * min(1.0, (step + 1) / args.warmup)
            loss = rec + beta * kl
            opt.zero_grad()
            loss.backward()
            opt.step()
            step += 1
        if epoch % 10 == 0 or epoch == args.epochs - 1:
            print(f"epoch {epoch:3d} loss {loss.item():.4f} rec {rec.item():.4f} kl {kl.item():.4f}")
    explained, probe = report(model, xtr, ytr, xte, yte)
    print(f"held-out variance explained {explained:.3f}  linear probe accuracy {probe:.3f}")


if __name__ == "__main__":
    main()
