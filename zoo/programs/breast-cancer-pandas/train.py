import argparse
import copy

import pandas as pd
import torch
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def load_frame() -> pd.DataFrame:
    bunch = load_breast_cancer(as_frame=True)
    df = bunch.frame.copy()
    df.columns = [c.replace(" ", "_") for c in df.columns]
    # ratio features used by the clinicians' baseline
    df["worst_to_mean_area"] = df["worst_area"] / df["mean_area"]
    df["compactness_gap"] = df["worst_compactness"] - df["mean_compactness"]
    df["malignant"] = 1 - df.pop("target")
    return df


def prepare(df: pd.DataFrame, seed: int):
    features = [c for c in df.columns if c != "malignant"]
    trainval, test = train_test_split(df, test_size=0.25, stratify=df["malignant"], random_state=seed)
    train, val = train_test_split(trainval, test_size=0.2, stratify=trainval["malignant"], random_state=seed)
    scaler = StandardScaler().fit(train[features])

    def tensors(part: pd.DataFrame) -> TensorDataset:
        x = torch.tensor(scaler.transform(part[features]), dtype=torch.float32)
        y = torch.tensor(part["malignant"].to_numpy(), dtype=torch.float32).unsqueeze(1)
        return TensorDataset(x, y)

    return tensors(train), tensors(val), tensors(test), len(features)


def run_eval(model, dataset, loss_fn):
    model.eval()
    x, y = dataset.tensors
    with torch.no_grad():
        logits = model(x)
        loss = loss_fn(logits, y).item()
    prob = torch.sigmoid(logits).squeeze(1).numpy()
    truth = y.squeeze(1).numpy()
    return loss, balanced_accuracy_score(truth, prob > 0.5), roc_auc_score(truth, prob)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=2024)
    parser.add_argument("--max-epochs", type=int, default=60)
    parser.add_argument("--patience", type=int, default=12)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    df = load_frame()
    print(df["malignant"].value_counts(normalize=True).round(3).to_dict())
    train_ds, val_ds, test_ds, n_features = prepare(df, args.seed)

    model = nn.Sequential(
        nn.Linear(n_features, 32),
        nn.ReLU(),
        nn.Dropout(0.25),
        nn.Linear(32, 16),
        nn.ReLU(),
        nn.Linear(16, 1),
    )
    loss_fn = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-4)
    loader = DataLoader(train_ds, batch_size=16, shuffle=True)

    best_loss, best_state, since_best = float("inf"), None, 0
    for epoch in range(args.max_epochs):
        model.train()
        for xb, yb in loader:
            optimizer.zero_grad()
            loss = loss_fn(model(xb), yb)
            loss.backward()
            optimizer.step()

        val_loss, val_bacc, val_auc = run_eval(model, val_ds, loss_fn)
        if val_loss < best_loss:
            best_loss, best_state, since_best = val_loss, copy.deepcopy(model.state_dict()), 0
        else:
            since_best += 1
        if epoch % 5 == 0:
            print(f"epoch {epoch:3d} val_loss={val_loss:.4f} bacc={val_bacc:.3f} auc={val_auc:.3f}")
        if since_best >= args.patience:
            print(f"early stop at epoch {epoch}")
            break

    model.load_state_dict(best_state)
    _, bacc, auc = run_eval(model, test_ds, loss_fn)
    print(f"Test AUC: {auc:.4f}")
    print(f"Test balanced accuracy: {bacc:.4f}")


if __name__ == "__main__":
    main()
