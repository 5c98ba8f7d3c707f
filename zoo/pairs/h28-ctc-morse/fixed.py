"""CTC: read digit strings from unsegmented, jittered 1-d signals."""
from dataclasses import dataclass

import torch
import torch.nn as nn

BLANK = 0
N_SYM = 8


@dataclass
class Args:
    batch: int = 24
    iters: int = 300
    lr: float = 4e-3
    seed: int = 0


gen_proto = torch.Generator().manual_seed(123)
PROTO = torch.randn(N_SYM, 5, 6, generator=gen_proto)  # each symbol: 5 frames of 6 channels


def make_batch(n, gen):
    xs, ys, xl, yl = [], [], [], []
    for _ in range(n):
        k = int(torch.randint(2, 6, (1,), generator=gen))
        syms = torch.randint(N_SYM, (k,), generator=gen)
        frames = [torch.zeros(int(torch.randint(1, 4, (1,), generator=gen)), 6)]
        for s in syms.tolist():
            frames.append(PROTO[s])
            frames.append(torch.zeros(int(torch.randint(2, 6, (1,), generator=gen)), 6))
        x = torch.cat(frames)
        xs.append(x + 0.6 * torch.randn(x.shape, generator=gen))
        ys.append(syms + 1)
        xl.append(len(x))
        yl.append(k)
    x = nn.utils.rnn.pad_sequence(xs)  # T, N, C
    return x, torch.cat(ys), torch.tensor(xl), torch.tensor(yl)


class Reader(nn.Module):
    def __init__(self, h=48):
        super().__init__()
        self.conv = nn.Conv1d(6, 48, 5, padding=2)
        self.rnn = nn.GRU(48, h, bidirectional=True)
        self.out = nn.Linear(2 * h, N_SYM + 1)

    def forward(self, x, lengths):
        x = torch.relu(self.conv(x.permute(1, 2, 0))).permute(2, 0, 1)
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, enforce_sorted=False)
        o, _ = nn.utils.rnn.pad_packed_sequence(self.rnn(packed)[0])
        return self.out(o).log_softmax(-1)


def greedy(logp, lengths):
    best = logp.argmax(-1).T
    res = []
    for row, l in zip(best, lengths.tolist()):
        c = torch.unique_consecutive(row[:l])
        res.append([int(v) for v in c if v != BLANK])
    return res


def edit(a, b):
    d = list(range(len(b) + 1))
    for i, ca in enumerate(a, 1):
        prev, d[0] = d[0], i
        for j, cb in enumerate(b, 1):
            prev, d[j] = d[j], min(d[j] + 1, d[j - 1] + 1, prev + (ca != cb))
    return d[-1]


@torch.no_grad()
def cer(model, batch):
    model.eval()
    x, y, xl, yl = batch
    hyp = greedy(model(x, xl), xl)
    ref = [t.tolist() for t in y.split(yl.tolist())]
    return sum(edit(h, r) for h, r in zip(hyp, ref)) / sum(map(len, ref))


def main(a=Args()):
    torch.manual_seed(a.seed)
    train_gen = torch.Generator().manual_seed(a.seed)
    held_out = make_batch(150, torch.Generator().manual_seed(777))
    model = Reader()
    opt = torch.optim.Adam(model.parameters(), lr=a.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, a.iters)
    ctc = nn.CTCLoss(blank=BLANK)
    avg = 0.0
    for it in range(1, a.iters + 1):
        x, y, xl, yl = make_batch(a.batch, train_gen)
        model.train()
        loss = ctc(model(x, xl), y, xl, yl)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
        sched.step()
        avg = loss.item() if it == 1 else 0.95 * avg + 0.05 * loss.item()
        if it % 30 == 0:
            print(f"iter {it} ctc {avg:.4f} held-out cer {cer(model, held_out):.4f}")


if __name__ == "__main__":
    main()
