"""SimSiam on digits with a linear probe on the frozen encoder."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split


def augment(x):
    img = F.pad(x.view(-1, 1, 8, 8), (1, 1, 1, 1))
    dx, dy = torch.randint(0, 3, (2,)).tolist()
    img = img[:, :, dy:dy + 8, dx:dx + 8].reshape(len(x), 64)
    keep = (torch.rand_like(img) > 0.15).float()
    return img * keep + 0.08 * torch.randn_like(img)


class SimSiam(nn.Module):
    def __init__(self, dim=64, hidden=128):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Linear(64, hidden, bias=False), nn.BatchNorm1d(hidden), nn.ReLU(),
            nn.Linear(hidden, hidden, bias=False), nn.BatchNorm1d(hidden), nn.ReLU())
        self.projector = nn.Sequential(
            nn.Linear(hidden, dim, bias=False), nn.BatchNorm1d(dim), nn.ReLU(),
            nn.Linear(dim, dim, bias=False), nn.BatchNorm1d(dim, affine=False))
        self.predictor = nn.Sequential(
            nn.Linear(dim, 32, bias=False), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, dim))

    def forward(self, a, b):
        za, zb = self.projector(self.encoder(a)), self.projector(self.encoder(b))
        pa, pb = self.predictor(za), self.predictor(zb)
        return -(F.cosine_similarity(pa, zb.detach()).mean() + F.cosine_similarity(pb, za.detach()).mean()) / 2


def probe(model, Xtr, ytr, Xte, yte):
    model.eval()
    with torch.no_grad():
        ftr, fte = model.encoder(Xtr).numpy(), model.encoder(Xte).numpy()
    model.train()
    return LogisticRegression(max_iter=200).fit(ftr, ytr).score(fte, yte)


def main():
    torch.manual_seed(0)
    X, y = load_digits(return_X_y=True)
    X = torch.tensor(X / 16.0, dtype=torch.float32)
    tr, te = train_test_split(range(len(X)), test_size=0.3, random_state=0, stratify=y)
    Xtr, Xte = X[tr], X[te]
    few = 200
    model = SimSiam()
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 20)
    for epoch in range(1, 21):
        total = 0.0
        batches = torch.randperm(len(Xtr)).split(128)[:-1]
        for idx in batches:
            loss = model(augment(Xtr[idx]), augment(Xtr[idx]))
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        sched.step()
        if epoch % 2 == 0:
            acc = probe(model, Xtr[:few], y[tr][:few], Xte, y[te])
            print(f"epoch {epoch:2d} loss {total / len(batches):.4f} probe acc ({few} labels) {acc:.4f}")


if __name__ == "__main__":
    main()
