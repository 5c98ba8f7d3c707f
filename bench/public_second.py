"""The second round of public programs, tables and pictures for the most part, none of them known to who wrote checks."""

import public_data as data
import public_second_data as more
from public_programs import Program

SECOND_COMMITS = {
    "JerryP-hfut/HeartAttackPrediction": "d4016b914ed78f52d9e856ca75505942e0a39c1d",
    "JuanPardos/pytorch-logistic-reg": "162b9d32b34454dc9fe742fe550f78cef1510fa2",
    "SanjaySakamuri/high_abstraction_ml": "216f2d86c504b3b5ad472ad8c3f77cade8f274bc",
    "aladdinpersson/Machine-Learning-Collection": "558557c7989f0b10fee6e8d8f953d7269ae43d4f",
    "cure-lab/LTSF-Linear": "0c113668a3b88c4c4ee586b8c5ec3e539c4de5a6",
    "dorisavedikian/fraud_detection_pytorch": "16043161fb842a5aa78441f0285fe0de6d9a094f",
    "joaobagas/Wine-Quality-MLP": "da7db47d6284028703cfcb2faf5c80532d71c2de",
    "locuslab/TCN": "2f8c2b817050206397458dfd1f5a25ce8a32fe65",
    "milesial/Pytorch-UNet": "21d7850f2af30a9695bbeea75f3136aa538cfc4a",
    "sellmenn/TitanicSurvival": "216a3e53a398390d5b5528165055cafc762e6ac9",
    "shenweichen/DeepCTR-Torch": "f6854257b1fc29caab655ce72c6b5528b7432574",
    "tintn/vision-transformer-from-scratch": "52c59c6e52f66f9265e799457c9dcedc020fd483",
}

MOLE = "aladdinpersson/Machine-Learning-Collection"
CTR = "shenweichen/DeepCTR-Torch"
DLINEAR = "--is_training 1 --model_id x --model DLinear --data ETTh1 --features M --seq_len 48 --label_len 12"


def _mnist(folder: str, up: int = 0) -> object:
    return lambda here: data.digits((here.parents[up - 1] if up else here) / folder)


SECOND = (
    Program(
        "wine-quality",
        "joaobagas/Wine-Quality-MLP",
        "",
        "main.py",
        also=("dataset/winequality-white.csv",),
    ),
    Program("california-wide", "SanjaySakamuri/high_abstraction_ml", "model/pytorch", "deep_nn.py", data.blocks),
    Program("heart-failure", "JuanPardos/pytorch-logistic-reg", "", "main.py", more.decoded_patients),
    Program("fraud", "dorisavedikian/fraud_detection_pytorch", "", "train.py"),
    Program("santander", MOLE, "ML/Kaggles/SantanderTransaction", "train.py", more.transactions),
    Program("titanic-500", "sellmenn/TitanicSurvival", "", "training.py", also=("train.csv", "test.csv")),
    Program(
        "click-deepfm", CTR, "", "examples/run_classification_criteo.py", more.samples, ("examples/criteo_sample.txt",)
    ),
    Program(
        "rating-deepfm",
        CTR,
        "",
        "examples/run_regression_movielens.py",
        more.samples,
        ("examples/movielens_sample.txt",),
    ),
    Program(
        "click-two-tasks", CTR, "", "examples/run_multitask_learning.py", more.samples, ("examples/byterec_sample.txt",)
    ),
    Program(
        "heart-attack",
        "JerryP-hfut/HeartAttackPrediction",
        "",
        "train.py",
        more.other_drive,
        ("dataset/heart_attack_prediction_dataset.csv", "dataset/test.csv", "check_point.pth"),
    ),
    Program("digits-cnn", MOLE, "ML/Pytorch/Basics", "pytorch_simple_CNN.py", _mnist("dataset")),
    Program("digits-lstm", MOLE, "ML/Pytorch/Basics", "pytorch_rnn_gru_lstm.py", _mnist("dataset")),
    Program(
        "vit-small",
        "tintn/vision-transformer-from-scratch",
        "",
        "train.py --exp-name small --epochs 2 --batch-size 64 --lr 1e-3",
        lambda here: data.photographs(here / "data"),
    ),
    Program(
        "forward-forward",
        "pytorch/examples",
        "mnist_forward_forward",
        "main.py --epochs 200 --train_size 500 --test_size 500",
        _mnist("data"),
    ),
    Program(
        "digits-both-ways",
        "yunjey/pytorch-tutorial",
        "tutorials/02-intermediate/bidirectional_recurrent_neural_network",
        "main.py",
        _mnist("data", up=2),
    ),
    Program(
        "digits-linear",
        "yunjey/pytorch-tutorial",
        "tutorials/01-basics/logistic_regression",
        "main.py",
        _mnist("data", up=2),
    ),
    Program(
        "rnn-classifier",
        "MorvanZhou/PyTorch-Tutorial",
        "tutorial-contents",
        "402_RNN_classifier.py",
        _mnist("mnist"),
    ),
    Program("batch-norm-tour", "MorvanZhou/PyTorch-Tutorial", "tutorial-contents", "504_batch_normalization.py"),
    Program(
        "unet",
        "milesial/Pytorch-UNet",
        "",
        "train.py --epochs 2 --batch-size 4 --scale 1",
        more.cars,
    ),
    Program(
        "pixel-tcn",
        "locuslab/TCN",
        "TCN",
        "mnist_pixel/pmnist_test.py --cuda --epochs 1 --levels 6 --nhid 8",
        lambda here: data.digits(here / "data/mnist"),
    ),
    Program(
        "adding-tcn", "locuslab/TCN", "TCN", "adding_problem/add_test.py --cuda --seq_len 50 --levels 4 --epochs 1"
    ),
    Program(
        "series-linear",
        "cure-lab/LTSF-Linear",
        "",
        f"run_longExp.py {DLINEAR} --pred_len 24 --train_epochs 2 --itr 1 --num_workers 0 --root_path ./ --des x",
        more.transformers,
    ),
)

GIVEN = {
    "wine-quality": "its own table of wines",
    "california-wide": "made: 6,000 blocks of houses",
    "heart-failure": "its own records",
    "fraud": "makes its own",
    "santander": "made: 4,000 transactions of 400 columns",
    "titanic-500": "its own table",
    "click-deepfm": "its own 200 clicks; Keras's callbacks in a few lines",
    "rating-deepfm": "its own 200 ratings; Keras's callbacks in a few lines",
    "click-two-tasks": "its own 200 views; Keras's callbacks in a few lines",
    "heart-attack": "its own table, under the author's paths",
    "digits-cnn": "digits of scikit-learn as MNIST",
    "digits-lstm": "digits of scikit-learn as MNIST",
    "vit-small": "made: 6,000 pictures of shapes as CIFAR-10",
    "forward-forward": "digits of scikit-learn as MNIST",
    "digits-both-ways": "digits of scikit-learn as MNIST",
    "digits-linear": "digits of scikit-learn as MNIST",
    "rnn-classifier": "digits of scikit-learn as MNIST",
    "batch-norm-tour": "makes its own",
    "unet": "made: 120 pictures with masks; a tracker that keeps nothing",
    "pixel-tcn": "digits of scikit-learn as MNIST",
    "adding-tcn": "makes its own",
    "series-linear": "made: seven hourly series; `numpy.Inf` put back",
}
"""What each program was run on."""

WITHOUT_EFFECT = (
    "true, and without effect here: the library never leaves eval mode after its first validation, but this model has a "
    "dropout of nothing and no batch norm; told no more where a mode changes nothing"
)
SECOND_HELD: dict[tuple[str, str], str] = {
    ("wine-quality", "FL211"): "true: scores go through a sigmoid into cross entropy, which takes scores",
    ("heart-failure", "FL004"): "false: it asks a question with `input` at its end, and nobody answers; mended",
    ("click-deepfm", "FL404"): WITHOUT_EFFECT,
    ("rating-deepfm", "FL404"): WITHOUT_EFFECT,
}
"""What we hold of a finding, by program and check, after reading the program."""
