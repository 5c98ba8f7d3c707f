"""Trains a tiny language model on random tokens."""

import torch
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(0)

model = GPT2LMHeadModel(GPT2Config(vocab_size=50, n_positions=32, n_embd=32, n_layer=1, n_head=2))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(20):
    tokens = torch.randint(0, 50, (8, 32))
    loss = model(input_ids=tokens[:, :-1], labels=tokens[:, 1:]).loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
