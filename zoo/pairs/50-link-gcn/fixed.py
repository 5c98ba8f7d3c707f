"""Link prediction with a two-layer GCN and an MLP edge scorer."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.metrics import average_precision_score, roc_auc_score

from graphdata import make_graph, normalised_adjacency, sample_negatives


class LinkPredictor(nn.Module):
    def __init__(self, n_feat, hidden=48, dim=16):
        super().__init__()
        self.lin1 = nn.Linear(n_feat, hidden)
        self.lin2 = nn.Linear(hidden, dim)
        self.scorer = nn.Sequential(nn.Linear(dim, 32), nn.ReLU(), nn.Linear(32, 1))

    def embed(self, x, adj):
        """Node embeddings for the whole graph, shape (n, dim)."""
        h = F.relu(adj @ self.lin1(F.dropout(x, 0.2, self.training)))
        return adj @ self.lin2(h)

    def forward(self, x, adj, pairs):
        z = self.embed(x, adj)
        return self.scorer(z[pairs[:, 0]] * z[pairs[:, 1]]).squeeze(-1)


def evaluate(model, x, adj, pos, neg):
    model.eval()
    with torch.no_grad():
        s = torch.cat([model(x, adj, pos), model(x, adj, neg)]).sigmoid()
    y = torch.cat([torch.ones(len(pos)), torch.zeros(len(neg))])
    return roc_auc_score(y, s), average_precision_score(y, s)


def run(epochs=500, lr=5e-3, seed=3):
    torch.manual_seed(seed)
    gen = torch.Generator().manual_seed(seed)
    x, pairs = make_graph()
    n = x.size(0)
    n_test, n_val = int(0.15 * len(pairs)), int(0.1 * len(pairs))
    test_pos, val_pos, train_pos = pairs[:n_test], pairs[n_test:n_test + n_val], pairs[n_test + n_val:]
    adj = normalised_adjacency(train_pos, n)

    known = torch.zeros(n, n, dtype=torch.bool)
    known[pairs[:, 0], pairs[:, 1]] = True
    known |= known.T.clone()
    val_neg = sample_negatives(known, len(val_pos), gen)
    test_neg = sample_negatives(known, len(test_pos), gen)
    train_known = torch.zeros(n, n, dtype=torch.bool)
    train_known[train_pos[:, 0], train_pos[:, 1]] = True
    train_known |= train_known.T.clone()

    model = LinkPredictor(x.size(1))
    opt = torch.optim.Adam(model.parameters(), lr=lr, weight_decay=5e-4)
    best, best_state = 0.0, None
    for epoch in range(1, epochs + 1):
        model.train()
        neg = sample_negatives(train_known, len(train_pos), gen)
        logits = model(x, adj, torch.cat([train_pos, neg]))
        target = torch.cat([torch.ones(len(train_pos)), torch.zeros(len(neg))])
        loss = F.binary_cross_entropy_with_logits(logits, target)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if epoch % 25 == 0:
            auc, ap = evaluate(model, x, adj, val_pos, val_neg)
            if auc > best:
                best, best_state = auc, {k: v.clone() for k, v in model.state_dict().items()}
            print(f"epoch {epoch:3d} loss {loss.item():.4f} val AUC {auc:.3f} AP {ap:.3f}")
    model.load_state_dict(best_state)
    auc, ap = evaluate(model, x, adj, test_pos, test_neg)
    print(f"test AUC {auc:.4f} AP {ap:.4f}")


if __name__ == "__main__":
    run()
