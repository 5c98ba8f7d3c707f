"""Tags the large numbers of sequences; the collate function sorts whole items, longest first."""

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

torch.manual_seed(0)
lengths = torch.randint(4, 12, (1200,)).tolist()
sequences = [torch.randint(1, 40, (length,)) for length in lengths]
items = [(tokens, (tokens > 20).long()) for tokens in sequences]


def collate(batch):
    tokens, tags = zip(*sorted(batch, key=lambda item: len(item[0]), reverse=True))
    return pad_sequence(tokens, batch_first=True), pad_sequence(tags, batch_first=True, padding_value=-100)


loader = DataLoader(items, batch_size=24, shuffle=True, collate_fn=collate)
model = nn.Sequential(nn.Embedding(40, 16, padding_idx=0), nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

for epoch in range(4):
    for tokens, tags in loader:
        loss = nn.functional.cross_entropy(model(tokens).flatten(0, 1), tags.flatten(), ignore_index=-100)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: {loss.item():.3f}")
