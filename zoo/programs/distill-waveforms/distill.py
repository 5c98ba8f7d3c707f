from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

LENGTH = 64
CLASSES = ("cylinder", "bell", "funnel", "double", "flat")


@dataclass
class HParams:
    teacher_epochs: int = 8
    student_epochs: int = 14
    batch_size: int = 32
    teacher_lr: float = 3e-3
    student_lr: float = 5e-3
    temperature: float = 3.0
    alpha: float = 0.7
    seed: int = 99


def sample_series(label, rng):
    t = np.arange(LENGTH)
    a = rng.integers(6, 18)
    b = a + rng.integers(18, 38)
    inside = (t >= a) & (t <= b)
    amp = 3 + rng.normal() * 0.7
    if label == 0:
        s = amp * inside
    elif label == 1:
        s = amp * inside * (t - a) / (b - a)
    elif label == 2:
        s = amp * inside * (b - t) / (b - a)
    elif label == 3:
        third = (b - a) / 3
        s = amp * (inside & ((t < a + third) | (t > b - third)))
    else:
        s = np.zeros(LENGTH)
    return s + rng.normal(0, 1.2, LENGTH)


def make_split(n, rng):
    y = rng.integers(0, len(CLASSES), size=n)
    x = np.stack([sample_series(k, rng) for k in y])
    # z-normalise every series on its own, as usual for these data
    x = (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)
    return torch.tensor(x, dtype=torch.float32).unsqueeze(1), torch.tensor(y)


class Teacher(nn.Module):
    def __init__(self, n_out):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(1, 24, 7, padding=3),
            nn.BatchNorm1d(24),
            nn.ReLU(),
            nn.MaxPool1d(2),
            nn.Conv1d(24, 48, 5, padding=2),
            nn.BatchNorm1d(48),
            nn.ReLU(),
            nn.MaxPool1d(2),
            nn.Dropout(0.2),
        )
        self.fc = nn.Linear(48 * LENGTH // 4, n_out)

    def forward(self, x):
        return self.fc(self.features(x).flatten(1))


class Student(nn.Module):
    def __init__(self, n_out):
        super().__init__()
        self.conv = nn.Conv1d(1, 4, 9, stride=4, padding=4)
        self.fc = nn.Linear(4 * LENGTH // 4, n_out)

    def forward(self, x):
        return self.fc(F.relu(self.conv(x)).flatten(1))


def kd_loss(student_logits, teacher_logits, target, T, alpha):
    soft = F.kl_div(
        F.log_softmax(student_logits / T, dim=1), F.softmax(teacher_logits / T, dim=1), reduction="batchmean"
    ) * (T * T)
    hard = F.cross_entropy(student_logits, target)
    return alpha * soft + (1 - alpha) * hard


def iterate(x, y, batch_size):
    order = torch.randperm(len(x))
    for i in range(0, len(order), batch_size):
        idx = order[i : i + batch_size]
        yield x[idx], y[idx]


def evaluate(model, x, y):
    model.eval()
    with torch.no_grad():
        return (model(x).argmax(dim=1) == y).float().mean().item()


def n_params(model):
    return sum(p.numel() for p in model.parameters())


def main(hp: HParams):
    torch.manual_seed(hp.seed)
    rng = np.random.default_rng(hp.seed)
    x_train, y_train = make_split(1000, rng)
    x_test, y_test = make_split(1000, rng)

    teacher = Teacher(len(CLASSES))
    opt = torch.optim.AdamW(teacher.parameters(), lr=hp.teacher_lr, weight_decay=1e-2)
    for epoch in range(hp.teacher_epochs):
        teacher.train()
        for xb, yb in iterate(x_train, y_train, hp.batch_size):
            loss = F.cross_entropy(teacher(xb), yb, label_smoothing=0.05)
            opt.zero_grad()
            loss.backward()
            opt.step()
    print(f"teacher ({n_params(teacher)} params): {evaluate(teacher, x_test, y_test):.4f}")

    teacher.eval().requires_grad_(False)
    student = Student(len(CLASSES))
    opt = torch.optim.Adam(student.parameters(), lr=hp.student_lr)
    sched = torch.optim.lr_scheduler.LinearLR(opt, start_factor=1.0, end_factor=0.1, total_iters=hp.student_epochs)
    for epoch in range(hp.student_epochs):
        student.train()
        running = 0.0
        for xb, yb in iterate(x_train, y_train, hp.batch_size):
            with torch.no_grad():
                t_logits = teacher(xb)
            loss = kd_loss(student(xb), t_logits, yb, hp.temperature, hp.alpha)
            opt.zero_grad()
            loss.backward()
            opt.step()
            running += loss.item() * len(xb)
        sched.step()
        if epoch % 4 == 0:
            print(f"  student epoch {epoch:2d} kd loss {running / len(x_train):.4f}")
    print(f"student ({n_params(student)} params): {evaluate(student, x_test, y_test):.4f}")


if __name__ == "__main__":
    main(HParams())
