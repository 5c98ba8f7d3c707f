"""Synthetic accelerometer recordings of walking people, cut into overlapping windows."""
import numpy as np

RATE = 20  # Hz


def record(rng, impaired, seconds=30):
    t = np.arange(seconds * RATE) / RATE
    step = rng.uniform(0.8, 1.3) * (1 + 0.02 * np.sin(t * rng.uniform(0.1, 0.4)))
    phase = 2 * np.pi * np.cumsum(step) / RATE
    amp = rng.uniform(0.3, 1.0, size=(3, 4))
    if impaired:  # limp: the sub-harmonic of the step grows, the overtones shrink
        amp[:, 0] += rng.uniform(-0.1, 0.7)
        amp[:, 2:] *= rng.uniform(0.4, 1.1)
    shift = rng.uniform(0, 2 * np.pi, size=(3, 4))
    out = np.zeros((3, len(t)))
    for k, mult in enumerate((0.5, 1.0, 2.0, 3.0)):
        out += amp[:, k:k + 1] * np.sin(mult * phase + shift[:, k:k + 1])
    return (out + 0.35 * rng.standard_normal(out.shape)).astype("float32")


def cohort(n_people, seed, width=60, hop=15):
    rng = np.random.default_rng(seed)
    xs, ys, who = [], [], []
    for person in range(n_people):
        impaired = person % 2
        sig = record(rng, impaired)
        for start in range(0, sig.shape[1] - width + 1, hop):
            xs.append(sig[:, start:start + width])
            ys.append(impaired)
            who.append(person)
    return np.stack(xs), np.array(ys), np.array(who)
