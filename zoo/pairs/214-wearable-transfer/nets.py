import torch.nn as nn


class MotionEncoder(nn.Module):
    """1-D convolutions over a 3-axis accelerometer window -> 48-d embedding."""

    def __init__(self, channels=3, width=24, dim=48):
        super().__init__()
        def stage(i, o, k, s):
            return nn.Sequential(nn.Conv1d(i, o, k, stride=s, padding=k // 2), nn.GroupNorm(4, o), nn.GELU())
        self.stages = nn.Sequential(stage(channels, width, 7, 2), stage(width, 2 * width, 5, 2), stage(2 * width, dim, 5, 2))

    def forward(self, x):
        h = self.stages(x)
        return h.mean(-1)


class ActivityClassifier(nn.Module):
    def __init__(self, n_classes, dim=48):
        super().__init__()
        self.encoder = MotionEncoder(dim=dim)
        self.head = nn.Linear(dim, n_classes)

    def forward(self, x):
        return self.head(self.encoder(x))


class GestureModel(nn.Module):
    def __init__(self, n_classes, dim=48):
        super().__init__()
        self.backbone = MotionEncoder(dim=dim)
        self.classifier = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, n_classes))

    def forward(self, x):
        return self.classifier(self.backbone(x))
