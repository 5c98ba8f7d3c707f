"""Five-point facial landmark regression on rendered 32x32 portraits."""
import numpy as np
import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, Dataset

SIZE = 32
# landmark order used everywhere below
POINTS = ["eye_left", "eye_right", "nose", "mouth_left", "mouth_right"]
BASE = np.array([[-5.0, -4.0], [5.0, -4.0], [0.0, 1.0], [-3.5, 6.0], [3.5, 6.0]], dtype=np.float32)
SETTINGS = dict(train_size=1800, test_size=300, batch_size=64, epochs=8, lr=3e-3, seed=11)


def blob(yy, xx, cx, cy, sx, sy):
    return np.exp(-((xx - cx) ** 2) / (2 * sx ** 2) - ((yy - cy) ** 2) / (2 * sy ** 2))


def draw_face(rng):
    yy, xx = np.mgrid[0:SIZE, 0:SIZE].astype(np.float32)
    angle = rng.uniform(-0.3, 0.3)
    scale = rng.uniform(0.8, 1.2)
    center = np.array([rng.uniform(13, 19), rng.uniform(13, 19)], dtype=np.float32)
    rot = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]], dtype=np.float32)
    jitter = rng.normal(0, 0.4, BASE.shape).astype(np.float32)
    pts = (BASE + jitter) * scale @ rot + center
    skin = rng.uniform(0.5, 0.8)
    img = np.full((SIZE, SIZE), rng.uniform(0.05, 0.3), dtype=np.float32)
    inside = ((xx - center[0]) / (9 * scale)) ** 2 + ((yy - center[1]) / (11 * scale)) ** 2 < 1
    img[inside] = skin
    for k, depth, sx, sy in [(0, 0.5, 1.6, 1.1), (1, 0.5, 1.6, 1.1), (2, 0.25, 1.0, 1.8)]:
        img -= depth * blob(yy, xx, pts[k, 0], pts[k, 1], sx * scale, sy * scale)
    for w in np.linspace(0, 1, 7):
        cx, cy = pts[3] * (1 - w) + pts[4] * w
        img -= 0.22 * blob(yy, xx, cx, cy, 1.0, 0.9)
    img += rng.normal(0, 0.04, img.shape)
    return np.clip(img, 0, 1).astype(np.float32), pts.astype(np.float32)


class Portraits(Dataset):
    def __init__(self, n, seed, augment):
        rng = np.random.default_rng(seed)
        pairs = [draw_face(rng) for _ in range(n)]
        self.images = [p[0] for p in pairs]
        self.points = [p[1] for p in pairs]
        self.augment = augment
        self.rng = np.random.default_rng(seed + 1)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        img, pts = self.images[i], self.points[i].copy()
        if self.augment:
            img, pts = self.transform(img, pts)
        x = torch.from_numpy(np.ascontiguousarray((img - 0.45) / 0.25, dtype=np.float32))[None]
        y = torch.from_numpy(pts / SIZE - 0.5)
        return x, y

    def transform(self, img, pts):
        if self.rng.random() < 0.5:
            img = img[:, ::-1]
            pts[:, 0] = SIZE - 1 - pts[:, 0]
            pts = pts[[1, 0, 2, 4, 3]]
        dx, dy = self.rng.integers(-2, 3, size=2)
        img = np.roll(img, (dy, dx), axis=(0, 1))
        pts = pts + np.array([dx, dy], dtype=np.float32)
        gain = self.rng.uniform(0.8, 1.2)
        return img * gain, pts


class LandmarkNet(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        layers, c = [], 1
        for i, o in enumerate([width, width * 2, width * 3]):
            layers += [nn.Conv2d(c, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(inplace=True), nn.MaxPool2d(2)]
            c = o
        self.features = nn.Sequential(*layers)
        self.regress = nn.Sequential(nn.Flatten(), nn.Linear(c * 16, 128), nn.ReLU(), nn.Linear(128, 10))

    def forward(self, x):
        return self.regress(self.features(x)).view(-1, 5, 2)


def wing_loss(pred, target, w=0.12, eps=0.02):
    d = (pred - target).abs()
    c = w - w * np.log(1 + w / eps)
    return torch.where(d < w, w * torch.log1p(d / eps), d - c).mean()


@torch.no_grad()
def normalised_error(model, loader):
    """Mean point error divided by the distance between the eyes."""
    model.eval()
    errors = []
    for x, y in loader:
        dist = (model(x) - y).norm(dim=-1).mean(1)
        errors.append(dist / (y[:, 0] - y[:, 1]).norm(dim=-1))
    return torch.cat(errors).mean().item()


def main():
    cfg = SETTINGS
    set_seed(cfg["seed"])
    accelerator = Accelerator(cpu=True)
    train = DataLoader(Portraits(cfg["train_size"], 100, True), cfg["batch_size"], shuffle=True, drop_last=True)
    test = DataLoader(Portraits(cfg["test_size"], 200, False), 100)
    model = LandmarkNet()
    opt = torch.optim.AdamW(model.parameters(), lr=cfg["lr"], weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, cfg["lr"], total_steps=cfg["epochs"] * len(train))
    model, opt, train, test, sched = accelerator.prepare(model, opt, train, test, sched)
    for epoch in range(cfg["epochs"]):
        model.train()
        total = 0.0
        for x, y in train:
            loss = wing_loss(model(x), y)
            opt.zero_grad()
            accelerator.backward(loss)
            opt.step()
            sched.step()
            total += loss.item()
        nme = normalised_error(model, test)
        accelerator.print(f"epoch {epoch} loss {total / len(train):.4f} test NME {nme:.4f}", flush=True)
    accelerator.print(f"final test NME {normalised_error(model, test):.4f}")


if __name__ == "__main__":
    main()
