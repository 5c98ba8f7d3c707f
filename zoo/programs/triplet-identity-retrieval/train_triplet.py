import os
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import Dataset, DataLoader


class Config:
    n_identities = 60
    n_test_identities = 20
    recordings = 16
    dim = 40
    emb_dim = 16
    margin = 0.3
    epochs = 8
    triplets_per_epoch = 1600
    batch_size = 40
    lr = 2e-3
    seed = 21
    ckpt_dir = 'checkpoints'


def simulate(cfg, rng):
    """Every identity has a 6-dim trait vector; recordings mix it nonlinearly with session noise of 10 dims."""
    n = cfg.n_identities + cfg.n_test_identities
    traits = rng.normal(size=(n, 6))
    mix_t = rng.normal(size=(6, cfg.dim)) / np.sqrt(6)
    mix_s = rng.normal(size=(10, cfg.dim)) / np.sqrt(10)
    x, y = [], []
    for who in range(n):
        session = rng.normal(size=(cfg.recordings, 10))
        clean = np.tanh(traits[who] @ mix_t) + 1.3 * session @ mix_s
        x.append(clean + 0.15 * rng.normal(size=clean.shape))
        y += [who] * cfg.recordings
    return np.concatenate(x).astype('float32'), np.array(y)


class TripletDataset(Dataset):
    def __init__(self, x, y, length, rng):
        self.x, self.y, self.length, self.rng = torch.from_numpy(x), y, length, rng
        self.labels = np.unique(y)
        self.by_label = {l: np.where(y == l)[0] for l in self.labels}

    def __len__(self):
        return self.length

    def __getitem__(self, _):
        pos_label, neg_label = self.rng.choice(self.labels, size=2, replace=False)
        a, p = self.rng.choice(self.by_label[pos_label], size=2, replace=False)
        n = self.rng.choice(self.by_label[neg_label])
        return self.x[a], self.x[p], self.x[n]


class EmbeddingNet(nn.Module):
    def __init__(self, dim, emb_dim):
        super().__init__()
        self.fc = nn.Sequential(nn.Linear(dim, 96), nn.PReLU(), nn.Linear(96, 96), nn.PReLU(), nn.Linear(96, emb_dim))

    def forward(self, x):
        return nn.functional.normalize(self.fc(x), dim=1)


class TripletNet(nn.Module):
    def __init__(self, embedding_net):
        super().__init__()
        self.embedding_net = embedding_net

    def forward(self, a, p, n):
        return self.embedding_net(a), self.embedding_net(p), self.embedding_net(n)


def recall_at_1(net, x, y):
    net.eval()
    with torch.no_grad():
        e = net(torch.from_numpy(x))
    d = torch.cdist(e, e)
    d.fill_diagonal_(float('inf'))
    nearest = d.argmin(1).numpy()
    return float((y[nearest] == y).mean())


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    x, y = simulate(cfg, rng)
    known = y < cfg.n_identities
    mean, std = x[known].mean(0), x[known].std(0)
    x = (x - mean) / std
    # identities of the test part never occur in training; ten known ones are kept for model selection
    val = known & (y >= cfg.n_identities - 10)
    train = known & ~val
    test = ~known
    print('raw features, recall@1: %.3f' % recall_at_1(nn.Identity(), x[test], y[test]))

    loader = DataLoader(TripletDataset(x[train], y[train], cfg.triplets_per_epoch, rng), batch_size=cfg.batch_size)
    net = EmbeddingNet(cfg.dim, cfg.emb_dim)
    model = TripletNet(net)
    loss_fn = nn.TripletMarginLoss(margin=cfg.margin)
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 3, gamma=0.5)

    os.makedirs(cfg.ckpt_dir, exist_ok=True)
    path = os.path.join(cfg.ckpt_dir, 'best.pth')
    best = -1
    for epoch in range(cfg.epochs):
        model.train()
        losses = []
        for anchor, positive, negative in loader:
            optimizer.zero_grad()
            ea, ep, en = model(anchor, positive, negative)
            loss = loss_fn(ea, ep, en)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        scheduler.step()
        r1 = recall_at_1(net, x[val], y[val])
        print('Epoch: {}/{}. Train set: Average loss: {:.4f}\tval recall@1: {:.3f}'.format(epoch + 1, cfg.epochs, np.mean(losses), r1))
        if r1 > best:
            best = r1
            torch.save({'epoch': epoch, 'state_dict': net.state_dict()}, path)

    net.load_state_dict(torch.load(path)['state_dict'])
    print('new identities, recall@1: %.4f' % recall_at_1(net, x[test], y[test]))


if __name__ == '__main__':
    main()
