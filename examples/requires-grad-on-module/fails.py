"""Fine-tunes a text classifier: the embeddings stay as they are, the rest learns."""

import torch
from torch import nn

WORDS, TOPICS = 200, 4


class TextClassifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.EmbeddingBag(WORDS, 24, mode="mean")
        self.classifier = nn.Sequential(nn.Linear(24, 32), nn.ReLU(), nn.Linear(32, TOPICS))

    def forward(self, texts):
        return self.classifier(self.embedding(texts))


def texts(count, length=15):
    topic = torch.randint(0, TOPICS, (count,))
    own = torch.randint(0, WORDS // TOPICS, (count, length)) * TOPICS + topic.unsqueeze(1)
    anything = torch.randint(0, WORDS, (count, length))
    return torch.where(torch.rand(count, length) < 0.4, own, anything), topic


torch.manual_seed(0)
model = TextClassifier()
model.embedding.requires_grad = False
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

for step in range(100):
    batch, topic = texts(64)
    loss = nn.functional.cross_entropy(model(batch), topic)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step}: loss {loss.item():.3f}")
