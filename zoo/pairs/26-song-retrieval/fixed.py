"""Cover-song retrieval: learn an embedding in which renditions of one work are neighbours. Reports recall@1."""
import torch
from torch import nn


def renditions(works, per_work, seed, length=32, pitches=12):
    """A chroma sequence per work; every rendition is transposed, time-warped and noisy."""
    g = torch.Generator().manual_seed(seed)
    notes = torch.randint(pitches, (works, length), generator=g)
    x, label = [], []
    for w in range(works):
        for _ in range(per_work):
            shift = int(torch.randint(pitches, (1,), generator=g))
            pos = torch.cumsum(0.9 + 0.2 * torch.rand(length, generator=g), 0)
            pos = (pos / pos[-1] * (length - 1)).long()
            c = nn.functional.one_hot((notes[w][pos] + shift) % pitches, pitches).float()
            x.append(c.t() + 0.2 * torch.randn(pitches, length, generator=g))
            label.append(w)
    return torch.stack(x), torch.tensor(label)


class ChromaNet(nn.Module):
    def __init__(self, emb=32, ch=24):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, ch, (12, 5), padding=(0, 2)), nn.ReLU(),
            nn.Conv2d(ch, ch, (1, 5), padding=(0, 2)), nn.ReLU())
        self.fc = nn.Linear(ch * 4, emb)

    def forward(self, x):
        x = torch.cat([x, x[:, :-1]], dim=1)[:, None]
        h = self.conv(x).amax(2)
        h = nn.functional.adaptive_avg_pool1d(h, 4).flatten(1)
        return nn.functional.normalize(self.fc(h), dim=1)


def batch_of_works(label, works, per=4):
    chosen = torch.randperm(int(label.max()) + 1)[:works]
    return torch.cat([torch.where(label == w)[0][torch.randperm(int((label == w).sum()))[:per]] for w in chosen])


def supervised_contrastive(e, y, tau=0.1):
    eye = torch.eye(len(y), dtype=torch.bool)
    sim = (e @ e.t() / tau).masked_fill(eye, -1e9)
    pos = (y[:, None] == y[None]) & ~eye
    logp = sim.log_softmax(1)
    return -(logp * pos).sum(1).div(pos.sum(1)).mean()


@torch.no_grad()
def recall_at_1(model, x, y):
    model.eval()
    e = model(x)
    sim = e @ e.t()
    sim.fill_diagonal_(-2.0)
    return (y[sim.argmax(1)] == y).float().mean().item()


if __name__ == "__main__":
    torch.manual_seed(1)
    x, y = renditions(200, 5, seed=1)
    xq, yq = renditions(80, 4, seed=2)
    model = ChromaNet()
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    for step in range(1, 151):
        model.train()
        idx = batch_of_works(y, works=12)
        loss = supervised_contrastive(model(x[idx]), y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 30 == 0:
            print(f"step {step} loss {loss.item():.3f} recall@1 {recall_at_1(model, xq, yq):.3f}")
    print(f"recall@1 on unseen works = {recall_at_1(model, xq, yq):.4f}")
