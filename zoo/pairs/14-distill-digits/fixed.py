"""Distil a wide teacher into a tiny student on sklearn digits, mostly from unlabelled images."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


def mlp(*w):
    mods = []
    for a, b in zip(w[:-1], w[1:]):
        mods += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*mods[:-1])


def data(seed=0):
    X, y = load_digits(return_X_y=True)
    X = torch.tensor(X, dtype=torch.float32) / 16
    y = torch.tensor(y)
    tr, te = train_test_split(range(len(y)), test_size=500, random_state=seed, stratify=y)
    return X[tr], y[tr], X[te], y[te]


def accuracy(net, x, y):
    net.eval()
    with torch.no_grad():
        return (net(x).argmax(-1) == y).float().mean().item()


def train_teacher(x, y, epochs=15):
    teacher = mlp(64, 256, 256, 10)
    opt = torch.optim.Adam(teacher.parameters(), lr=1e-3)
    for _ in range(epochs):
        for idx in torch.randperm(len(x)).split(64):
            opt.zero_grad()
            F.cross_entropy(teacher(x[idx]), y[idx]).backward()
            opt.step()
    for p in teacher.parameters():
        p.requires_grad_(False)
    return teacher.eval()


class Distiller:
    def __init__(self, teacher, student, temperature=3.0, alpha=0.95, lr=3e-3):
        self.teacher, self.student = teacher, student
        self.T, self.alpha = temperature, alpha
        self.opt = torch.optim.Adam(student.parameters(), lr=lr)

    def soft_loss(self, s_logits, t_logits):
        log_p = F.log_softmax(s_logits / self.T, dim=-1)
        q = F.softmax(t_logits / self.T, dim=-1)
        return F.kl_div(log_p, q, reduction="batchmean") * self.T ** 2

    def step(self, x, y, labelled):
        s = self.student(x)
        with torch.no_grad():
            t = self.teacher(x)
        soft = self.soft_loss(s, t)
        hard = F.cross_entropy(s[labelled], y[labelled]) if labelled.any() else torch.zeros(())
        loss = self.alpha * soft + (1 - self.alpha) * hard
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


def main():
    torch.manual_seed(42)
    x, y, xt, yt = data()
    teacher = train_teacher(x, y)
    print(f"teacher test acc {accuracy(teacher, xt, yt):.4f}")
    labelled = torch.zeros(len(x), dtype=torch.bool)
    labelled[torch.randperm(len(x))[:40]] = True
    d = Distiller(teacher, mlp(64, 24, 10))
    for epoch in range(12):
        d.student.train()
        losses = [d.step(x[i], y[i], labelled[i]) for i in torch.randperm(len(x)).split(64)]
        if epoch % 3 == 2:
            print(f"epoch {epoch + 1:3d}  distil loss {sum(losses) / len(losses):8.4f}  "
                  f"student {accuracy(d.student, xt, yt):.4f}")
    with torch.no_grad():
        nll = F.cross_entropy(d.student(xt), yt).item()
    print(f"STUDENT test acc {accuracy(d.student, xt, yt):.4f} nll {nll:.4f}")


if __name__ == "__main__":
    main()
