"""GRU character model: stateful truncated BPTT, tied embeddings, shift inside the model, accumulated gradients."""
import difflib
import pathlib
import textwrap

import torch
import torch.nn as nn
import torch.nn.functional as F

SEQ, LANES, ACCUM = 48, 16, 2


def corpus():
    text = "\n".join(pathlib.Path(m.__file__).read_text() for m in (textwrap, difflib)).lower()
    chars = sorted(set(text))
    ids = torch.tensor([chars.index(c) for c in text])
    return ids, len(chars)


class CharGRU(nn.Module):
    def __init__(self, vocab, dim=96):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.gru = nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab)
        self.out.weight = self.emb.weight
        nn.init.normal_(self.emb.weight, std=0.1)

    def forward(self, ids, state=None):
        """ids holds one more character than is predicted; the first one only serves as input."""
        h, state = self.gru(self.emb(ids[:, :-1]), state)
        loss = F.cross_entropy(self.out(h).transpose(1, 2), ids[:, 1:])
        return loss, state


def lanes(ids):
    n = len(ids) // LANES * LANES
    return ids[:n].view(LANES, -1)


def chunks(rows):
    for start in range(0, rows.size(1) - 1, SEQ):
        piece = rows[:, start:start + SEQ + 1]
        if piece.size(1) > 1:
            yield piece


@torch.no_grad()
def evaluate(model, rows):
    losses, state = [], None
    for piece in chunks(rows):
        loss, state = model(piece, state)
        losses.append(loss)
    return torch.stack(losses).mean().item()


def main():
    torch.manual_seed(0)
    ids, vocab = corpus()
    cut = int(0.9 * len(ids))
    train, valid = lanes(ids[:cut]), lanes(ids[cut:])
    model = CharGRU(vocab)
    opt = torch.optim.Adam(model.parameters(), lr=4e-3)
    sched = torch.optim.lr_scheduler.LinearLR(opt, 1.0, 0.1, total_iters=8)
    for epoch in range(1, 9):
        state, total, count = None, 0.0, 0
        for i, piece in enumerate(chunks(train)):
            loss, state = model(piece, state)
            state = state.detach()
            (loss / ACCUM).backward()
            total, count = total + loss.item(), count + 1
            if i % ACCUM == ACCUM - 1:
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                opt.step()
                opt.zero_grad()
        sched.step()
        if epoch % 2 == 0:
            print(f"epoch {epoch:2d} train {total / count:.3f} valid {evaluate(model, valid):.3f}")


if __name__ == "__main__":
    main()
