import torch
import torch.nn.functional as F


def place_on_canvas(images, size=14):
    """8x8 digits at random places of a larger canvas."""
    out = torch.zeros(len(images), 1, size, size)
    for i, img in enumerate(images):
        r, c = torch.randint(0, size - 7, (2,)).tolist()
        out[i, 0, r : r + 8, c : c + 8] = img
    return out


class TwoViews:
    """Random shift / rotation / zoom, contrast and noise; two independent draws per image."""

    def __init__(self, max_shift=0.4, max_angle=0.25, zoom=0.15, noise=0.1):
        self.max_shift, self.max_angle, self.zoom, self.noise = max_shift, max_angle, zoom, noise

    def one(self, x):
        n = len(x)
        angle = (torch.rand(n) * 2 - 1) * self.max_angle
        scale = 1 + (torch.rand(n) * 2 - 1) * self.zoom
        theta = torch.zeros(n, 2, 3)
        theta[:, 0, 0] = theta[:, 1, 1] = angle.cos() * scale
        theta[:, 0, 1], theta[:, 1, 0] = -angle.sin() * scale, angle.sin() * scale
        theta[:, :, 2] = (torch.rand(n, 2) * 2 - 1) * self.max_shift
        grid = F.affine_grid(theta, list(x.shape), align_corners=False)
        view = F.grid_sample(x, grid, padding_mode="zeros", align_corners=False)
        gain = 0.6 + 0.8 * torch.rand(n, 1, 1, 1)
        return gain * view + self.noise * torch.randn_like(view)

    def __call__(self, x):
        return self.one(x), self.one(x)
