from torch import nn


class ConvNet(nn.Module):
    def __init__(self, channels, hidden, dropout, n_classes=10):
        super().__init__()
        layers, c_in = [], 1
        for c in channels:
            layers += [nn.Conv2d(c_in, c, 3, padding=1), nn.BatchNorm2d(c), nn.ReLU(), nn.MaxPool2d(2)]
            c_in = c
        self.backbone = nn.Sequential(*layers)
        side = 8 // 2 ** len(channels)
        self.head = nn.Sequential(
            nn.Flatten(),
            nn.Linear(c_in * side * side, hidden),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(hidden, n_classes),
        )

    def forward(self, x):
        return self.head(self.backbone(x))
