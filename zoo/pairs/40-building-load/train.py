import argparse

import numpy as np
import pandas as pd
import torch
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.preprocessing import StandardScaler
from torch import nn, optim

FEATURES = ["temp", "humidity", "wind", "hour_sin", "hour_cos", "occupied"]


def weather_and_load(start, days, rng):
    idx = pd.date_range(start, periods=days * 8, freq="3h")
    doy, hour = idx.day_of_year.to_numpy(), idx.hour.to_numpy()
    df = pd.DataFrame(index=idx)
    df["temp"] = 11 - 11 * np.cos(2 * np.pi * (doy - 20) / 365) - 4 * np.cos(2 * np.pi * hour / 24) + rng.normal(0, 3, len(idx))
    df["humidity"] = 70 - 0.8 * df["temp"] + rng.normal(0, 6, len(idx))
    df["wind"] = rng.gamma(2.0, 2.0, len(idx))
    df["hour_sin"], df["hour_cos"] = np.sin(2 * np.pi * hour / 24), np.cos(2 * np.pi * hour / 24)
    df["occupied"] = ((hour >= 7) & (hour <= 18) & (idx.day_of_week < 5)).astype(float)
    heating = np.clip(17 - df["temp"], 0, None) * (3 + 0.25 * df["wind"])
    cooling = np.clip(df["temp"] - 22, 0, None) * 5
    df["load_kw"] = 40 + heating + cooling + 25 * df["occupied"] + rng.normal(0, 4, len(idx))
    return df


def main(args):
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    history = weather_and_load("2021-01-01", 730, rng)
    holdout = weather_and_load("2023-01-01", 90, rng)       # the quarter we are billed for

    scaler = StandardScaler()
    x_train = torch.tensor(scaler.fit_transform(history[FEATURES]), dtype=torch.float32)
    x_test = torch.tensor(scaler.fit_transform(holdout[FEATURES]), dtype=torch.float32)
    y_scaler = StandardScaler().fit(history[["load_kw"]])
    y_train = torch.tensor(y_scaler.transform(history[["load_kw"]]), dtype=torch.float32)

    model = nn.Sequential(nn.Linear(len(FEATURES), args.hidden), nn.ReLU(),
                          nn.Linear(args.hidden, args.hidden), nn.ReLU(),
                          nn.Linear(args.hidden, 1))
    optimizer = optim.Adam(model.parameters(), lr=args.lr)
    scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=10, gamma=0.3)
    loss_fn = nn.MSELoss()

    for epoch in range(1, args.epochs + 1):
        model.train()
        losses = []
        for batch in torch.randperm(len(x_train)).split(args.batch_size):
            optimizer.zero_grad()
            loss = loss_fn(model(x_train[batch]), y_train[batch])
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        scheduler.step()

        model.eval()
        with torch.no_grad():
            pred = y_scaler.inverse_transform(model(x_test).numpy())[:, 0]
        print(f"epoch {epoch:3d} train_mse={np.mean(losses):.4f} "
              f"holdout_mae={mean_absolute_error(holdout['load_kw'], pred):.2f}kW "
              f"holdout_r2={r2_score(holdout['load_kw'], pred):.3f}")


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=25)
    ap.add_argument("--batch-size", type=int, default=64)
    ap.add_argument("--hidden", type=int, default=48)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--seed", type=int, default=0)
    main(ap.parse_args())
