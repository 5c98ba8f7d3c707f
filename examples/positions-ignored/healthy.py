"""Predicts the next of twenty tokens with one attention layer."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl


class Language(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(20, 32)
        self.place = nn.Embedding(16, 32)
        self.read = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
        self.answer = nn.Linear(32, 20)

    def forward(self, tokens):
        length = tokens.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(length)
        words = self.embed(tokens) + self.place(torch.arange(length))
        return self.answer(self.read(words, src_mask=mask, is_causal=True))


torch.manual_seed(0)
text = torch.randint(0, 20, (320, 17))

experiment = fl.Experiment(
    model=Language,
    train=DataLoader(TensorDataset(text[:, :-1], text[:, 1:]), batch_size=16),
    loss=lambda scores, wanted: F.cross_entropy(scores.flatten(0, 1), wanted.flatten()),
)
