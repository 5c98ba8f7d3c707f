"""Truncated BPTT over eight parallel streams: order kept, hidden state carried and detached, delayed-echo target."""
import torch
from torch import nn

STREAMS, CHUNK, DELAY = 16, 20, 6


def streams(length, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.randint(0, 4, (STREAMS, length), generator=g)
    y = torch.full_like(x, -100)
    y[:, DELAY:] = x[:, :-DELAY]
    return x, y


class Echo(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(4, 16)
        self.rnn = nn.LSTM(16, 64, batch_first=True)
        self.out = nn.Linear(64, 4)

    def forward(self, x, state):
        h, state = self.rnn(self.emb(x), state)
        return self.out(h), state


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    net = Echo()
    opt = torch.optim.Adam(net.parameters(), lr=5e-3)
    ce = nn.CrossEntropyLoss(ignore_index=-100)
    step = 0
    for epoch in range(3):
        x, y = streams(CHUNK * 200, epoch)
        state = None
        for i in range(0, x.shape[1], CHUNK):
            logits, state = net(x[:, i:i + CHUNK], state)
            state = tuple(s.detach() for s in state)
            loss = ce(logits.flatten(0, 1), y[:, i:i + CHUNK].flatten())
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
            step += 1
            if step % 100 == 0:
                print(f"step {step}  loss {loss.item():.4f}")
    x, y = streams(1000, 77)
    with torch.no_grad():
        logits, _ = net(x, None)
    keep = y >= 0
    print(f"held-out echo accuracy {(logits.argmax(-1) == y)[keep].float().mean().item():.4f}")


if __name__ == "__main__":
    main()
