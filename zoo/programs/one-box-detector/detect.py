"""Single-object detector: one class and one box per image."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

from boxes import paired_iou, xywh_to_xyxy

IMG = 32
NAMES = ("box", "ellipse", "diamond")


class OneObject(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.items = [self._render(g) for _ in range(n)]

    def _render(self, g):
        r = torch.rand(8, generator=g)
        w, h = 8 + 10 * r[0], 8 + 10 * r[1]
        cx = w / 2 + r[2] * (IMG - w)
        cy = h / 2 + r[3] * (IMG - h)
        label = int(r[4] * len(NAMES))
        ys = torch.arange(IMG).float().view(-1, 1) + 0.5
        xs = torch.arange(IMG).float().view(1, -1) + 0.5
        u, v = (xs - cx) / (w / 2), (ys - cy) / (h / 2)
        if NAMES[label] == "box":
            inside = (u.abs() < 1) & (v.abs() < 1)
        elif NAMES[label] == "ellipse":
            inside = u**2 + v**2 < 1
        else:
            inside = u.abs() + v.abs() < 1
        img = 0.2 * torch.randn(IMG, IMG, generator=g)
        img = img + inside.float() * (0.7 + 0.5 * r[5]) + 0.3 * (r[6] - 0.5) * xs / IMG
        return img.unsqueeze(0), label, torch.stack([cx, cy, w, h]) / IMG

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate_fn(samples):
    imgs, labels, boxes = zip(*samples)
    return torch.stack(imgs), {'labels': torch.tensor(labels), 'boxes': torch.stack(boxes)}


class Detector(nn.Module):
    def __init__(self, num_classes):
        super().__init__()
        chans = [1, 12, 24, 32]
        layers = []
        for a, b in zip(chans[:-1], chans[1:]):
            layers += [nn.Conv2d(a, b, 3, stride=2, padding=1), nn.BatchNorm2d(b), nn.ReLU()]
        self.backbone = nn.Sequential(*layers)
        self.neck = nn.Sequential(nn.Flatten(), nn.Linear(32 * 4 * 4, 96), nn.ReLU())
        self.cls_head = nn.Linear(96, num_classes)
        self.box_head = nn.Linear(96, 4)

    def forward(self, x, targets=None):
        feat = self.neck(self.backbone(x))
        logits = self.cls_head(feat)
        boxes = self.box_head(feat).sigmoid()
        if targets is None:
            return {'scores': logits.softmax(-1), 'boxes': xywh_to_xyxy(boxes)}
        iou = paired_iou(xywh_to_xyxy(boxes), xywh_to_xyxy(targets['boxes']))
        return {
            'loss_cls': F.cross_entropy(logits, targets['labels']),
            'loss_l1': F.l1_loss(boxes, targets['boxes']),
            'loss_iou': (1 - iou).mean(),
        }


WEIGHTS = {'loss_cls': 1.0, 'loss_l1': 5.0, 'loss_iou': 1.0}


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    ious, correct = [], []
    for imgs, targets in loader:
        out = model(imgs)
        ious.append(paired_iou(out['boxes'], xywh_to_xyxy(targets['boxes'])))
        correct.append(out['scores'].argmax(-1) == targets['labels'])
    return torch.cat(ious), torch.cat(correct)


def main():
    torch.manual_seed(5)
    train_loader = DataLoader(OneObject(1000, seed=1), batch_size=32, shuffle=True, collate_fn=collate_fn)
    test_loader = DataLoader(OneObject(400, seed=2), batch_size=100, collate_fn=collate_fn)
    model = Detector(len(NAMES))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    num_epochs = 12
    lr_scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, [8, 10], gamma=0.3)
    for epoch in range(num_epochs):
        model.train()
        meters = {k: 0.0 for k in WEIGHTS}
        for images, targets in train_loader:
            loss_dict = model(images, targets)
            losses = sum(WEIGHTS[k] * v for k, v in loss_dict.items())
            optimizer.zero_grad()
            losses.backward()
            optimizer.step()
            for k, v in loss_dict.items():
                meters[k] += v.item() / len(train_loader)
        lr_scheduler.step()
        print('Epoch: [{}]  '.format(epoch) + '  '.join('{}: {:.4f}'.format(k, v) for k, v in meters.items()))

    ious, correct = evaluate(model, test_loader)
    print('class accuracy  {:.4f}'.format(correct.float().mean().item()))
    print('recall@IoU0.5 (right class)  {:.4f}'.format(((ious > 0.5) & correct).float().mean().item()))
    print('mean IoU  {:.4f}'.format(ious.mean().item()))


if __name__ == '__main__':
    main()
