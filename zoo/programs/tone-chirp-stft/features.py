import math

import torch

SR = 4000
CLASSES = ["tone", "up_chirp", "down_chirp", "am_tone", "noise_burst"]


def synth(label: int, n: int, gen: torch.Generator) -> torch.Tensor:
    """One labelled waveform of n samples with white background noise."""

    def u(lo, hi):
        return lo + (hi - lo) * torch.rand((), generator=gen).item()

    t = torch.arange(n) / SR
    dur = n / SR
    phase = u(0, 2 * math.pi)
    kind = CLASSES[label]
    if kind == "tone":
        f = u(300, 1500)
        s = torch.sin(2 * math.pi * f * t + phase)
    elif kind in ("up_chirp", "down_chirp"):
        f0, f1 = u(250, 700), u(1000, 1600)
        if kind == "down_chirp":
            f0, f1 = f1, f0
        s = torch.sin(2 * math.pi * (f0 * t + 0.5 * (f1 - f0) / dur * t**2) + phase)
    elif kind == "am_tone":
        f, fm = u(300, 1500), u(8, 16)
        s = (0.5 + 0.5 * torch.cos(2 * math.pi * fm * t + u(0, 6.28))) * torch.sin(2 * math.pi * f * t + phase) * 1.4
    else:
        centre, width = u(0.2, 0.8) * dur, u(0.04, 0.1)
        s = torch.randn(n, generator=gen) * torch.exp(-(((t - centre) / width) ** 2)) * 1.5
    return u(0.5, 1.0) * s + u(0.9, 1.9) * torch.randn(n, generator=gen)


def triangular_filterbank(n_fft: int, n_bands: int, fmin: float = 100.0, fmax: float = 1900.0) -> torch.Tensor:
    def mel(f):
        return 2595 * math.log10(1 + f / 700)

    edges_mel = torch.linspace(mel(fmin), mel(fmax), n_bands + 2)
    edges = 700 * (10 ** (edges_mel / 2595) - 1)
    freqs = torch.linspace(0, SR / 2, n_fft // 2 + 1)
    lower = (freqs[None] - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    upper = (edges[2:, None] - freqs[None]) / (edges[2:] - edges[1:-1])[:, None]
    return torch.minimum(lower, upper).clamp(min=0)


class LogMel:
    def __init__(self, n_fft: int = 128, hop: int = 64, n_bands: int = 20):
        self.n_fft, self.hop = n_fft, hop
        self.window = torch.hann_window(n_fft)
        self.bank = triangular_filterbank(n_fft, n_bands)

    def __call__(self, wav: torch.Tensor) -> torch.Tensor:
        spec = torch.stft(wav, self.n_fft, self.hop, window=self.window, return_complex=True)
        power = spec.abs().pow(2)
        return torch.log(self.bank @ power + 1e-4)


def make_split(n: int, seed: int, length: int = 2048):
    gen = torch.Generator().manual_seed(seed)
    labels = torch.randint(len(CLASSES), (n,), generator=gen)
    waves = torch.stack([synth(int(c), length, gen) for c in labels])
    return LogMel()(waves), labels
