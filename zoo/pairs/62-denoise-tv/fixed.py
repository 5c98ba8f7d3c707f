# Denoising of handwritten digits: small residual CNN + total-variation prior
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

torch.manual_seed(3)
np.random.seed(3)

NOISE = 0.35
EPOCHS = 20
BATCH = 48
TV_WEIGHT = 2e-3

images = load_digits().images.astype("float32") / 16.0
images = torch.from_numpy(images).unsqueeze(1)
images = F.interpolate(images, scale_factor=2, mode="bilinear", align_corners=False)
train_idx, test_idx = train_test_split(np.arange(len(images)), test_size=0.25, random_state=3)
clean_train, clean_test = images[train_idx], images[test_idx]
g = torch.Generator().manual_seed(99)
noisy_test = clean_test + NOISE * torch.randn(clean_test.shape, generator=g)


class Denoiser(nn.Module):
    def __init__(self, ch=16):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, ch, 3, padding=1), nn.ReLU(),
            nn.Conv2d(ch, ch, 3, padding=2, dilation=2), nn.ReLU(),
            nn.Conv2d(ch, ch, 3, padding=1), nn.ReLU(),
            nn.Conv2d(ch, 1, 3, padding=1),
        )

    def forward(self, x):
        return x - self.body(x)


def total_variation(img):
    dh = (img[..., 1:, :] - img[..., :-1, :]).abs()
    dw = (img[..., :, 1:] - img[..., :, :-1]).abs()
    return dh.mean() + dw.mean()


def psnr(a, b):
    return (-10 * torch.log10(((a - b) ** 2).mean(dim=(1, 2, 3)))).mean().item()


net = Denoiser()
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=8, gamma=0.4)
print(f"noisy input PSNR {psnr(noisy_test, clean_test):.2f} dB")

for epoch in range(EPOCHS):
    net.train()
    order = torch.randperm(len(clean_train))
    fid_sum = tv_sum = 0.0
    n_batches = 0
    for i in range(0, len(order) - BATCH + 1, BATCH):
        clean = clean_train[order[i:i + BATCH]]
        noisy = clean + NOISE * torch.randn_like(clean)
        out = net(noisy)
        fidelity = F.mse_loss(out, clean)
        tv = total_variation(out)
        loss = fidelity + TV_WEIGHT * tv
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        fid_sum += fidelity.item()
        tv_sum += tv.item()
        n_batches += 1
    scheduler.step()
    net.eval()
    with torch.no_grad():
        score = psnr(net(noisy_test), clean_test)
    print(f"epoch {epoch + 1:2d} mse {fid_sum / n_batches:.5f} tv {tv_sum / n_batches:.3f} test PSNR {score:.2f} dB")

with torch.no_grad():
    best_const = psnr(clean_train.mean(0, keepdim=True).expand_as(clean_test), clean_test)
print(f"mean image PSNR {best_const:.2f} dB, network PSNR {score:.2f} dB")
