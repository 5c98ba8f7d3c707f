"""Fine-tunes a tiny language model to answer after a prompt."""

import torch
import torch.nn.functional as F
from torch import nn

PROMPT, ANSWER, MAX_LENGTH, VOCABULARY = 12, 4, 16, 20
torch.manual_seed(1)


class TinyLanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, 16)
        self.mix = nn.GRU(16, 32, batch_first=True)
        self.head = nn.Linear(32, VOCABULARY)

    def forward(self, tokens):
        return self.head(self.mix(self.embed(tokens))[0])


def example_batch(size=16):
    prompt = torch.randint(0, VOCABULARY, (size, PROMPT))
    answer = prompt[:, -1:].expand(size, ANSWER)
    tokens = torch.cat([prompt, answer], dim=1)[:, :MAX_LENGTH]
    labels = tokens.clone()
    labels[:, :PROMPT] = -100
    return tokens, labels


model = TinyLanguageModel()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
for step in range(80):
    tokens, labels = example_batch()
    logits = model(tokens[:, :-1])
    loss = F.cross_entropy(logits.reshape(-1, VOCABULARY), labels[:, 1:].reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"last loss {loss.item():.3f}")
