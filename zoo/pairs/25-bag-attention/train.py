"""Multiple-instance learning: is there a diseased patch anywhere in the slide?"""
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.metrics import average_precision_score, roc_auc_score


def slides(n, seed, patches=24, dim=20):
    g = torch.Generator().manual_seed(seed)
    y = (torch.rand(n, generator=g) < 0.4).float()
    x = torch.randn(n, patches, dim, generator=g)
    direction = torch.randn(dim, generator=torch.Generator().manual_seed(0))
    direction = direction / direction.norm()
    for i in range(n):
        if y[i] == 1:
            k = int(torch.randint(1, 3, (1,), generator=g))
            where = torch.randperm(patches, generator=g)[:k]
            x[i, where] += 4.0 * direction
    return x, y


class GatedAttentionMIL(nn.Module):
    def __init__(self, dim, hidden=32):
        super().__init__()
        self.embed = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU())
        self.v, self.u = nn.Linear(hidden, hidden), nn.Linear(hidden, hidden)
        self.w = nn.Linear(hidden, 1)
        self.classify = nn.Linear(hidden, 1)

    def forward(self, bags):
        h = self.embed(bags)
        score = self.w(torch.tanh(self.v(h)) * torch.sigmoid(self.u(h)))
        weight = torch.softmax(score, dim=0)
        pooled = (weight * h).sum(dim=1)
        return self.classify(pooled).squeeze(-1), weight.squeeze(-1)


def predict(model, x):
    model.eval()
    with torch.no_grad():
        return torch.cat([model(bag[None])[0] for bag in x])


def main():
    torch.manual_seed(77)
    x, y = slides(700, 1)
    xt, yt = slides(500, 2)
    model = GatedAttentionMIL(x.shape[-1])
    opt = torch.optim.Adam(model.parameters(), lr=2e-3, weight_decay=1e-3)
    for epoch in range(30):
        model.train()
        running = 0.0
        for idx in torch.randperm(len(x)).split(20):
            logit, _ = model(x[idx])
            loss = F.binary_cross_entropy_with_logits(logit, y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            running += loss.item() * len(idx)
        if epoch % 5 == 0:
            print(f"epoch {epoch:2d}  bce {running / len(x):.4f}")
    p = predict(model, xt)
    acc = ((p > 0).float() == yt).float().mean().item()
    print(f"slide-level: accuracy {acc:.3f}  AUC {roc_auc_score(yt, p):.3f}  AP {average_precision_score(yt, p):.3f}")


if __name__ == "__main__":
    main()
