"""Rating prediction: user/item factors plus towers over side information."""
import torch
from torch import nn

N_USERS, N_ITEMS, N_TAGS, N_DEMO = 600, 400, 24, 12


def simulate(seed=7, n=24000):
    g = torch.Generator().manual_seed(seed)
    demo = torch.randn(N_USERS, N_DEMO, generator=g)
    tags = (torch.rand(N_ITEMS, N_TAGS, generator=g) < 0.2).float()
    a = torch.randn(N_DEMO, 6, generator=g) * 0.5
    b = torch.randn(N_TAGS, 6, generator=g) * 0.5
    u_lat = torch.tanh(demo @ a)
    i_lat = torch.tanh(tags @ b)
    user = torch.randint(N_USERS, (n,), generator=g)
    item = torch.randint(N_ITEMS, (n,), generator=g)
    ub, ib = torch.randn(N_USERS, generator=g) * 0.2, torch.randn(N_ITEMS, generator=g) * 0.3
    rating = 3.4 + ub[user] + ib[item] + 0.7 * (u_lat[user] * i_lat[item]).sum(1)
    rating = (rating + 0.25 * torch.randn(n, generator=g)).clamp(1, 5)
    return user, item, rating, demo, tags


class Tower(nn.Module):
    def __init__(self, n_in, dim, depth=2):
        super().__init__()
        widths = [n_in] + [48] * depth
        self.layers = [nn.Linear(a, b) for a, b in zip(widths[:-1], widths[1:])]
        self.out = nn.Linear(widths[-1], dim)
        self.act = nn.ReLU()

    def forward(self, x):
        for layer in self.layers:
            x = self.act(layer(x))
        return self.out(x)


class Recommender(nn.Module):
    def __init__(self, demo, tags, dim=16):
        super().__init__()
        self.register_buffer("demo", demo)
        self.register_buffer("tags", tags)
        self.user_tower = Tower(demo.shape[1], dim)
        self.item_tower = Tower(tags.shape[1], dim)
        self.user_bias = nn.Embedding(N_USERS, 1)
        self.item_bias = nn.Embedding(N_ITEMS, 1)
        nn.init.zeros_(self.user_bias.weight)
        nn.init.zeros_(self.item_bias.weight)
        self.mu = nn.Parameter(torch.tensor(3.0))

    def forward(self, u, i):
        pu = self.user_tower(self.demo[u])
        qi = self.item_tower(self.tags[i])
        return self.mu + self.user_bias(u)[:, 0] + self.item_bias(i)[:, 0] + (pu * qi).sum(1)


class Trainer:
    def __init__(self, model, lr, epochs, batch):
        self.model, self.epochs, self.batch = model, epochs, batch
        towers = list(model.user_tower.parameters()) + list(model.item_tower.parameters())
        biases = [model.user_bias.weight, model.item_bias.weight, model.mu]
        self.opt = torch.optim.Adam([{"params": towers, "lr": lr}, {"params": biases, "lr": 5 * lr}])
        self.best = float("inf")

    def fit(self, train, valid):
        u, i, r = train
        for epoch in range(1, self.epochs + 1):
            self.model.train()
            for idx in torch.randperm(len(u)).split(self.batch):
                loss = nn.functional.mse_loss(self.model(u[idx], i[idx]), r[idx])
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
            rmse = self.rmse(valid)
            self.best = min(self.best, rmse)
            print(f"epoch {epoch}: valid rmse {rmse:.4f}")

    @torch.no_grad()
    def rmse(self, data):
        self.model.eval()
        u, i, r = data
        return (self.model(u, i) - r).pow(2).mean().sqrt().item()


if __name__ == "__main__":
    torch.manual_seed(0)
    user, item, rating, demo, tags = simulate()
    cut = 16000, 20000
    part = lambda s: (user[s], item[s], rating[s])
    trainer = Trainer(Recommender(demo, tags), lr=1e-3, epochs=20, batch=64)
    trainer.fit(part(slice(0, cut[0])), part(slice(*cut)))
    print(f"TEST RMSE: {trainer.rmse(part(slice(cut[1], None))):.4f}")
