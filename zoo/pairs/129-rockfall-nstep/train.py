import argparse
import collections
import copy
import random

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

torch.set_num_threads(1)

CFG = dict(width=7, height=6, cap=120, n=3, gamma=0.95, steps=18000, warmup=1000, train_every=2,
           batch=64, lr=1e-3, sync=400, eps_end=0.05, eps_steps=8000, buffer=20000)


class Rockfall:
    """Move left / stay / right under falling rocks; +1 for each survived tick."""

    def __init__(self, cfg, seed):
        self.w, self.h, self.cap = cfg["width"], cfg["height"], cfg["cap"]
        self.rng = random.Random(seed)

    def reset(self):
        self.sky = np.zeros((self.h, self.w), dtype=np.float32)
        self.x = self.w // 2
        self.t = 0
        return self.view()

    def view(self):
        me = np.zeros((1, self.w), dtype=np.float32)
        me[0, self.x] = 1.0
        return np.concatenate([self.sky, me]).ravel()

    def step(self, action):
        self.x = min(max(self.x + action - 1, 0), self.w - 1)
        self.sky = np.roll(self.sky, 1, axis=0)
        self.sky[0] = 0
        for _ in range(2 if self.t % 2 == 0 else 1):
            self.sky[0, self.rng.randrange(self.w)] = 1
        self.t += 1
        hit = bool(self.sky[-1, self.x])
        return self.view(), (0.0 if hit else 1.0), hit, self.t >= self.cap


class NStepWindow:
    def __init__(self, n, gamma):
        self.n, self.gamma = n, gamma
        self.items = collections.deque()

    def _fold(self):
        ret = sum(self.gamma ** i * it[2] for i, it in enumerate(self.items))
        first, last = self.items[0], self.items[-1]
        return first[0], first[1], ret, last[3], float(last[4]), self.gamma ** len(self.items)

    def push(self, obs, act, rew, nxt, terminal):
        self.items.append((obs, act, rew, nxt, terminal))
        if len(self.items) < self.n:
            return []
        out = [self._fold()]
        self.items.popleft()
        return out

    def flush(self):
        out = []
        while self.items:
            out.append(self._fold())
            self.items.popleft()
        return out


class Replay:
    def __init__(self, size, dim):
        self.o = np.zeros((size, dim), np.float32)
        self.o2 = np.zeros((size, dim), np.float32)
        self.a = np.zeros(size, np.int64)
        self.misc = np.zeros((size, 3), np.float32)
        self.size, self.ptr, self.count = size, 0, 0

    def add(self, o, a, r, o2, d, g):
        i = self.ptr
        self.o[i], self.a[i], self.o2[i], self.misc[i] = o, a, o2, (r, d, g)
        self.ptr = (i + 1) % self.size
        self.count = min(self.count + 1, self.size)

    def sample(self, k, rng):
        i = rng.integers(0, self.count, k)
        m = torch.from_numpy(self.misc[i])
        return (torch.from_numpy(self.o[i]), torch.from_numpy(self.a[i]), m[:, 0],
                torch.from_numpy(self.o2[i]), m[:, 1], m[:, 2])


def make_net(dim):
    return nn.Sequential(nn.Linear(dim, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 3))


def td_step(net, tgt, opt, batch):
    o, a, r, o2, d, g = batch
    with torch.no_grad():
        best = net(o2).argmax(1, keepdim=True)
        boot = tgt(o2).gather(1, best).squeeze(1)
        y = r + g * (1 - d) * boot
    q = net(o).gather(1, a[:, None]).squeeze(1)
    loss = F.smooth_l1_loss(q, y)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 10.0)
    opt.step()
    return loss.item(), q.mean().item()


@torch.no_grad()
def evaluate(net, seed, episodes=30):
    env, scores = Rockfall(CFG, seed), []
    for _ in range(episodes):
        o, total, over = env.reset(), 0.0, False
        while not over:
            o, r, hit, late = env.step(int(net(torch.from_numpy(o)).argmax()))
            total += r
            over = hit or late
        scores.append(total)
    return float(np.mean(scores))


def main(seed):
    torch.manual_seed(seed)
    random.seed(seed)
    rng = np.random.default_rng(seed)
    env = Rockfall(CFG, seed)
    o = env.reset()
    net = make_net(o.size)
    tgt = copy.deepcopy(net)
    opt = torch.optim.Adam(net.parameters(), lr=CFG["lr"])
    mem, window = Replay(CFG["buffer"], o.size), NStepWindow(CFG["n"], CFG["gamma"])
    loss, q = 0.0, 0.0
    for t in range(CFG["steps"]):
        eps = max(CFG["eps_end"], 1 - t / CFG["eps_steps"])
        if rng.random() < eps:
            a = int(rng.integers(3))
        else:
            with torch.no_grad():
                a = int(net(torch.from_numpy(o)).argmax())
        o2, r, hit, late = env.step(a)
        for tr in window.push(o, a, r, o2, hit):
            mem.add(*tr)
        o = o2
        if hit or late:
            o = env.reset()
        if t > CFG["warmup"] and t % CFG["train_every"] == 0:
            loss, q = td_step(net, tgt, opt, mem.sample(CFG["batch"], rng))
        if t % CFG["sync"] == 0:
            tgt.load_state_dict(net.state_dict())
        if (t + 1) % 3000 == 0:
            print(f"t={t + 1} eps={eps:.2f} loss={loss:.4f} q={q:.2f} survive={evaluate(net, 100, 12):.1f}")
    print(f"final mean survival over held-out seeds: {evaluate(net, 555, 60):.2f} / {CFG['cap']}")


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    main(ap.parse_args().seed)
