import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parameter import Parameter


def sbm_graph(n_per_class=120, n_classes=4, p_in=0.05, p_out=0.006, n_feats=32, seed=0):
    """Stochastic block model with weakly informative node features."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(n_classes), n_per_class)
    n = len(labels)
    prob = np.where(labels[:, None] == labels[None, :], p_in, p_out)
    upper = np.triu(rng.random((n, n)) < prob, k=1)
    adj = (upper | upper.T).astype(np.float32)
    centers = rng.normal(0, 0.35, size=(n_classes, n_feats))
    feats = centers[labels] + rng.normal(0, 1.0, size=(n, n_feats))
    return adj, feats.astype(np.float32), labels


def normalize_adj(adj):
    """D^-1/2 (A + I) D^-1/2 as a sparse tensor."""
    a = torch.from_numpy(adj) + torch.eye(adj.shape[0])
    d_inv_sqrt = a.sum(1).pow(-0.5)
    a = d_inv_sqrt[:, None] * a * d_inv_sqrt[None, :]
    return a.to_sparse_coo().coalesce()


def split_masks(labels, per_class=10, n_val=100, seed=0):
    rng = np.random.default_rng(seed)
    n = len(labels)
    train_mask, val_mask, test_mask = (torch.zeros(n, dtype=torch.bool) for _ in range(3))
    for c in np.unique(labels):
        chosen = rng.choice(np.flatnonzero(labels == c), per_class, replace=False)
        train_mask[torch.from_numpy(chosen)] = True
    rest = rng.permutation(np.flatnonzero(~train_mask.numpy()))
    val_mask[torch.from_numpy(rest[:n_val])] = True
    test_mask[torch.from_numpy(rest[n_val:])] = True
    return train_mask, val_mask, test_mask


class GraphConvolution(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = Parameter(torch.empty(in_features, out_features))
        self.bias = Parameter(torch.zeros(out_features))
        bound = 1.0 / math.sqrt(out_features)
        nn.init.uniform_(self.weight, -bound, bound)

    def forward(self, x, adj):
        return torch.sparse.mm(adj, x @ self.weight) + self.bias


class GCN(nn.Module):
    def __init__(self, nfeat, nhid, nclass, dropout):
        super().__init__()
        self.gc1 = GraphConvolution(nfeat, nhid)
        self.gc2 = GraphConvolution(nhid, nclass)
        self.dropout = dropout

    def forward(self, x, adj):
        x = F.dropout(x, self.dropout, training=self.training)
        x = F.relu(self.gc1(x, adj))
        x = F.dropout(x, self.dropout, training=self.training)
        return F.log_softmax(self.gc2(x, adj), dim=1)


def accuracy(output, labels):
    return (output.argmax(1) == labels).double().mean().item()


def main():
    torch.manual_seed(72)
    adj_np, feats, labels = sbm_graph()
    adj = normalize_adj(adj_np)
    features = torch.from_numpy(feats)
    labels_t = torch.from_numpy(labels)
    idx_train, idx_val, idx_test = split_masks(labels)
    print(f"{len(labels)} nodes, {int(adj_np.sum() // 2)} edges, {int(idx_train.sum())} labelled")

    model = GCN(features.shape[1], 16, int(labels.max()) + 1, dropout=0.5)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-3)

    best_val, best_state = 0.0, None
    for epoch in range(200):
        model.train()
        optimizer.zero_grad()
        output = model(features, adj)
        loss_train = F.nll_loss(output[idx_train], labels_t[idx_train])
        loss_train.backward()
        optimizer.step()

        model.eval()
        with torch.no_grad():
            output = model(features, adj)
            acc_val = accuracy(output[idx_val], labels_t[idx_val])
        if acc_val >= best_val:
            best_val = acc_val
            best_state = {k: v.detach().clone() for k, v in model.state_dict().items()}
        if (epoch + 1) % 25 == 0:
            print(
                f"Epoch: {epoch + 1:04d} loss_train: {loss_train.item():.4f} "
                f"acc_train: {accuracy(output[idx_train], labels_t[idx_train]):.4f} acc_val: {acc_val:.4f}"
            )

    model.load_state_dict(best_state)
    model.eval()
    with torch.no_grad():
        output = model(features, adj)
    loss_test = F.nll_loss(output[idx_test], labels_t[idx_test]).item()
    print(f"Test set results: loss= {loss_test:.4f} accuracy= {accuracy(output[idx_test], labels_t[idx_test]):.4f}")


if __name__ == "__main__":
    main()
