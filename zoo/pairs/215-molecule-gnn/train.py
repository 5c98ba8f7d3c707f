"""Graph regression: solubility-like score of random molecules with a dense message-passing network."""
import numpy as np
import torch
from torch import nn

SEED = 2
N_ATOMS, N_FEAT = 14, 48
HIDDEN, LAYERS = 24, 3
BATCH, EPOCHS = 64, 14
ENCODER_LR, HEAD_LR = 2e-3, 4e-3

rng = np.random.default_rng(SEED)
torch.manual_seed(SEED)


def random_molecules(n):
    """Trees with a few extra bonds. Atom descriptors are a noisy random projection of charge, size and type."""
    world = np.random.default_rng(99)
    project = world.normal(size=(5, N_FEAT)) * 0.5
    size = rng.integers(7, N_ATOMS + 1, n)
    adj = np.zeros((n, N_ATOMS, N_ATOMS), dtype=np.float32)
    feat = np.zeros((n, N_ATOMS, N_FEAT), dtype=np.float32)
    mask = np.zeros((n, N_ATOMS), dtype=np.float32)
    score = np.zeros(n, dtype=np.float32)
    for g in range(n):
        m = size[g]
        for v in range(1, m):
            u = rng.integers(0, v)
            adj[g, u, v] = adj[g, v, u] = 1
        for _ in range(rng.integers(0, 3)):
            u, v = rng.choice(m, 2, replace=False)
            adj[g, u, v] = adj[g, v, u] = 1
        latent = rng.normal(size=(m, 5))
        feat[g, :m] = latent @ project + 1.2 * rng.normal(size=(m, N_FEAT))
        mask[g, :m] = 1
        charge, bulk = latent[:, 0], np.maximum(latent[:, 1], 0)
        bonds = adj[g, :m, :m]
        polar = (bonds * np.maximum(np.outer(charge, -charge), 0)).sum() / 2
        crowd = (bonds @ bulk * bulk).sum() / 2
        score[g] = polar - 0.8 * crowd + 0.5 * latent[:, 2].sum() + 0.1 * rng.normal()
    return [torch.tensor(v) for v in (feat, adj, mask, score)]


class MessageLayer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.message = nn.Linear(2 * dim, dim)
        self.update = nn.Sequential(nn.Linear(2 * dim, dim), nn.GELU(), nn.Linear(dim, dim))
        self.norm = nn.LayerNorm(dim)

    def forward(self, h, adj):
        n = h.size(1)
        pair = torch.cat([h.unsqueeze(2).expand(-1, -1, n, -1), h.unsqueeze(1).expand(-1, n, -1, -1)], -1)
        msg = (torch.relu(self.message(pair)) * adj.unsqueeze(-1)).sum(2)
        return self.norm(h + self.update(torch.cat([h, msg], -1)))


class Encoder(nn.Module):
    def __init__(self, n_feat, dim, layers):
        super().__init__()
        self.inp = nn.Linear(n_feat, dim)
        self.layers = nn.ModuleList(MessageLayer(dim) for _ in range(layers))

    def forward(self, feat, adj):
        h = self.inp(feat)
        for layer in self.layers:
            h = layer(h, adj)
        return h


class MoleculeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder(N_FEAT, HIDDEN, LAYERS)
        self.head = nn.Sequential(nn.Linear(2 * HIDDEN, 64), nn.GELU(), nn.Linear(64, 1))

    def forward(self, feat, adj, mask):
        h = self.encoder(feat, adj) * mask.unsqueeze(-1)
        total = h.sum(1)
        return self.head(torch.cat([total / mask.sum(1, keepdim=True), total / 10], -1)).squeeze(-1)


train = random_molecules(2600)
test = random_molecules(500)
mean, std = train[3].mean(), train[3].std()
print(f"targets: mean {mean:.2f} std {std:.2f}")

model = MoleculeNet()
encoder_params = model.encoder.parameters()
print("encoder parameters:", sum(p.numel() for p in encoder_params))
optimizer = torch.optim.AdamW([
    {"params": encoder_params, "lr": ENCODER_LR, "weight_decay": 1e-4},
    {"params": model.head.parameters(), "lr": HEAD_LR, "weight_decay": 1e-3},
])
steps = EPOCHS * (len(train[0]) // BATCH)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, [ENCODER_LR, HEAD_LR], total_steps=steps, pct_start=0.15)


def test_r2():
    model.eval()
    with torch.no_grad():
        pred = torch.cat([model(*(v[i:i + 250] for v in test[:3])) for i in range(0, len(test[0]), 250)]) * std + mean
    model.train()
    return (1 - ((pred - test[3]) ** 2).sum() / ((test[3] - test[3].mean()) ** 2).sum()).item()


for epoch in range(EPOCHS):
    perm = torch.randperm(len(train[0]))
    total = 0.0
    for i in range(len(perm) // BATCH):
        idx = perm[i * BATCH:(i + 1) * BATCH]
        feat, adj, mask, score = (v[idx] for v in train)
        loss = nn.functional.smooth_l1_loss(model(feat, adj, mask), (score - mean) / std)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 2.0)
        optimizer.step()
        scheduler.step()
        total += loss.item()
    if epoch % 2 == 1:
        print(f"epoch {epoch:2d} loss {total / (i + 1):.4f} test r2 {test_r2():.4f}", flush=True)

print(f"final test r2 {test_r2():.4f}")
