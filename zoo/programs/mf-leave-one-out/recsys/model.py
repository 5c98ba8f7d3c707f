import torch
from torch import nn


class BiasedMF(nn.Module):
    def __init__(self, n_users: int, n_items: int, dim: int = 12):
        super().__init__()
        self.user_emb = nn.Embedding(n_users, dim)
        self.item_emb = nn.Embedding(n_items, dim)
        self.item_bias = nn.Embedding(n_items, 1)
        nn.init.normal_(self.user_emb.weight, std=0.1)
        nn.init.normal_(self.item_emb.weight, std=0.1)
        nn.init.zeros_(self.item_bias.weight)

    def forward(self, user: torch.Tensor, item: torch.Tensor) -> torch.Tensor:
        dot = (self.user_emb(user) * self.item_emb(item)).sum(-1)
        return dot + self.item_bias(item).squeeze(-1)

    def score_all(self, user: torch.Tensor) -> torch.Tensor:
        return self.user_emb(user) @ self.item_emb.weight.T + self.item_bias.weight.squeeze(-1)
