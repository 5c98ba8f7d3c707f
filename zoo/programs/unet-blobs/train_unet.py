import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader

from data import BlobCells


class DoubleConv(nn.Module):
    """(conv => BN => ReLU) * 2"""

    def __init__(self, cin, cout):
        super().__init__()
        self.double_conv = nn.Sequential(
            nn.Conv2d(cin, cout, kernel_size=3, padding=1, bias=False),
            nn.BatchNorm2d(cout),
            nn.ReLU(inplace=True),
            nn.Conv2d(cout, cout, kernel_size=3, padding=1, bias=False),
            nn.BatchNorm2d(cout),
            nn.ReLU(inplace=True),
        )

    def forward(self, x):
        return self.double_conv(x)


class UNet(nn.Module):
    def __init__(self, base=8):
        super().__init__()
        self.inc = DoubleConv(1, base)
        self.down1 = DoubleConv(base, base * 2)
        self.down2 = DoubleConv(base * 2, base * 4)
        self.up1 = nn.ConvTranspose2d(base * 4, base * 2, 2, stride=2)
        self.dec1 = DoubleConv(base * 4, base * 2)
        self.up2 = nn.ConvTranspose2d(base * 2, base, 2, stride=2)
        self.dec2 = DoubleConv(base * 2, base)
        self.outc = nn.Conv2d(base, 1, 1)

    def forward(self, x):
        x1 = self.inc(x)
        x2 = self.down1(F.max_pool2d(x1, 2))
        x3 = self.down2(F.max_pool2d(x2, 2))
        y = self.dec1(torch.cat([x2, self.up1(x3)], dim=1))
        y = self.dec2(torch.cat([x1, self.up2(y)], dim=1))
        return self.outc(y)


def dice_coeff(prob, target, smooth=1.0):
    inter = (prob * target).sum(dim=(1, 2, 3))
    total = prob.sum(dim=(1, 2, 3)) + target.sum(dim=(1, 2, 3))
    return ((2 * inter + smooth) / (total + smooth)).mean()


def seg_loss(logits, masks):
    bce = F.binary_cross_entropy_with_logits(logits, masks)
    dice = 1 - dice_coeff(torch.sigmoid(logits), masks)
    return bce + dice, bce, dice


@torch.inference_mode()
def evaluate(net, loader):
    net.eval()
    score = 0.0
    for imgs, masks in loader:
        pred = (torch.sigmoid(net(imgs)) > 0.5).float()
        score += dice_coeff(pred, masks).item() * len(imgs)
    return score / len(loader.dataset)


def get_args():
    p = argparse.ArgumentParser(description="Train the UNet on images and target masks")
    p.add_argument("--epochs", "-e", type=int, default=8)
    p.add_argument("--batch-size", "-b", type=int, default=16)
    p.add_argument("--learning-rate", "-l", type=float, default=6e-3)
    p.add_argument("--seed", type=int, default=0)
    return p.parse_args()


def main():
    args = get_args()
    torch.manual_seed(args.seed)
    train_loader = DataLoader(BlobCells(280, seed=1, flip=True), batch_size=args.batch_size, shuffle=True)
    val_loader = DataLoader(BlobCells(60, seed=2), batch_size=30)
    test_loader = DataLoader(BlobCells(120, seed=3), batch_size=30)

    net = UNet()
    optimizer = torch.optim.RMSprop(net.parameters(), lr=args.learning_rate, weight_decay=1e-8)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, "max", patience=1, factor=0.3)
    for epoch in range(1, args.epochs + 1):
        net.train()
        sums = torch.zeros(2)
        for imgs, masks in train_loader:
            assert imgs.shape[1] == 1, "expected single-channel images"
            optimizer.zero_grad(set_to_none=True)
            loss, bce, dice = seg_loss(net(imgs), masks)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            sums += torch.stack([bce, dice]).detach()
        val_score = evaluate(net, val_loader)
        scheduler.step(val_score)
        bce, dice = (sums / len(train_loader)).tolist()
        print(
            f"Epoch {epoch}/{args.epochs}: bce {bce:.4f}  dice loss {dice:.4f}  Validation Dice score: {val_score:.4f}"
        )

    print(f"Test Dice: {evaluate(net, test_loader):.4f}")


if __name__ == "__main__":
    main()
