"""Public training programs: where they are, how they are started small, and what we hold of what is told of them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import public_data as data

COMMITS = {
    "Awesome-AI-ML-DELTA25/WeekWise-Schedule": "342ea83d7823a0363c212449fba836bb011610e6",
    "Diego999/pyGAT": "3664f2dc90cbf971564c0bf186dc794f12446d0c",
    "MorvanZhou/PyTorch-Tutorial": "dbe154a9e56635e51c6b0c2ccea8ae36cfb585a7",
    "eriklindernoren/PyTorch-GAN": "36d3c77e5ff20ebe0aeefd322326a134a279b93e",
    "graykode/nlp-tutorial": "d05e31ec81d56d70c1db89b99ab07e948f7ebc11",
    "jcjohnson/pytorch-examples": "0003fcdc606a79951e53bf8f46f8574fa4739f23",
    "karpathy/makemore": "988aa59e4d8fefa526d06f3b453ad116258398d4",
    "karpathy/minGPT": "37baab71b9abea1b76ab957409a1cc2fbfba8a26",
    "karpathy/nanoGPT": "3adf61e154c3fe3fca428ad6bc3818b27a3b8291",
    "lmy12367/Mynet": "cfc0a6a9fafb654e879071d2e0ce340189abe369",
    "lucidrains/x-transformers": "9252ed7838021ee61e6c5be0930b3a9a88efdf06",
    "patrickloeber/pytorchTutorial": "69637721ed9fa2ccf81a1093a928a52bbb591439",
    "pytorch/examples": "77f55b912142e11fcfdf5b530231fb9c52f181e8",
    "seungeunrho/minimalRL": "c8efed8481e3cd40e9739cfde220a55522555b57",
    "spro/char-rnn.pytorch": "282bcb6b15ab3929d6a588b455cfc0f19f32add4",
    "the-shadow-0/PyTorch-ML-projects": "cedac4050f22efbb53b59d7dd5760d5c3035d7cc",
    "tkipf/pygcn": "1600b5b748b3976413d1e307540ccc62605b4d6d",
    "ubiratantavares/machine_learning_mastery": "507730ced7180f49bc5ee11e386e1919b8694f03",
    "yunjey/pytorch-tutorial": "0500d3df5a2a8080ccfccbc00aca0eacc21818db",
}


def nothing(_: Path) -> None:
    """Programs that make their data themselves."""


@dataclass(frozen=True)
class Program:
    name: str
    repository: str
    folder: str
    """Where it is run; its Python files are copied out. Empty: all of the repository."""
    command: str
    make: Callable[[Path], object] = nothing
    """Writes the data, given the folder it is run in."""
    also: tuple[str, ...] = ()
    """Files of the repository that hold data it is run on."""


MASTERY = "ebooks/2023_deep_learning_with_pytorch/code"
SMALL_GPT = "--device=cpu --compile=False --dataset=chars --block_size=32 --batch_size=8 --n_layer=2 --n_head=2"
PROGRAMS = (
    Program(
        "word-lstm",
        "pytorch/examples",
        "word_language_model",
        "main.py --emsize 32 --nhid 32 --batch_size 8 --bptt 16 --epochs 2 --log-interval 20",
        lambda here: data.corpus(here / "data/wikitext-2"),
    ),
    Program(
        "word-transformer",
        "pytorch/examples",
        "word_language_model",
        "main.py --model Transformer --lr 5 --emsize 32 --nhid 32 --batch_size 8 --bptt 16 --epochs 2 --log-interval 20",
        lambda here: data.corpus(here / "data/wikitext-2"),
    ),
    Program(
        "mingpt-adder",
        "karpathy/minGPT",
        "",
        "projects/adder/adder.py --trainer.max_iters=600 --trainer.num_workers=0 --model.model_type=gpt-nano",
    ),
    Program(
        "mingpt-chars",
        "karpathy/minGPT",
        "",
        "projects/chargpt/chargpt.py --trainer.max_iters=300 --trainer.num_workers=0 --model.model_type=gpt-nano"
        " --trainer.batch_size=8 --data.block_size=32",
        lambda here: data.text(here / "input.txt", first="O God, O God!"),  # what it samples from
    ),
    Program(
        "nanogpt",
        "karpathy/nanoGPT",
        "",
        f"train.py {SMALL_GPT} --n_embd=32 --max_iters=400 --lr_decay_iters=400 --warmup_iters=50 --eval_interval=200"
        " --eval_iters=10 --gradient_accumulation_steps=1 --learning_rate=1e-3 --dtype=float32",
        lambda here: data.tokens(here / "data/chars"),
    ),
    Program(
        "nanogpt-slow",
        "karpathy/nanoGPT",
        "",
        f"train.py {SMALL_GPT} --n_embd=32 --learning_rate=1e-4 --decay_lr=False --max_iters=5000 --eval_interval=1000"
        " --eval_iters=10 --gradient_accumulation_steps=1 --dtype=float32",
        lambda here: data.tokens(here / "data/chars"),
    ),
    Program(
        "nanogpt-warmup",
        "karpathy/nanoGPT",
        "",
        f"train.py {SMALL_GPT} --n_embd=32 --max_iters=20000 --lr_decay_iters=20000 --eval_interval=1000 --eval_iters=10"
        " --gradient_accumulation_steps=2 --dtype=float32",
        lambda here: data.tokens(here / "data/chars"),
    ),
    Program(
        "makemore-transformer",
        "karpathy/makemore",
        "",
        "makemore.py -n 0 --max-steps 600 --n-layer 2",
        lambda here: data.names(here / "names.txt"),
    ),
    Program(
        "makemore-bigram",
        "karpathy/makemore",
        "",
        "makemore.py -n 0 --max-steps 600 --type bigram",
        lambda here: data.names(here / "names.txt"),
    ),
    Program(
        "makemore-rnn",
        "karpathy/makemore",
        "",
        "makemore.py -n 0 --max-steps 600 --type rnn",
        lambda here: data.names(here / "names.txt"),
    ),
    Program(
        "char-rnn",
        "spro/char-rnn.pytorch",
        "",
        "train.py text.txt --chunk_len 20 --batch_size 10 --n_epochs 300 --hidden_size 32",
        lambda here: data.text(here / "text.txt"),
    ),
    Program(
        "ptb-lstm",
        "yunjey/pytorch-tutorial",
        "tutorials/02-intermediate/language_model",
        "main.py",
        lambda here: data.text(here / "data/train.txt", 4000),
    ),
    Program("nnlm", "graykode/nlp-tutorial", "1-1.NNLM", "NNLM.py"),
    Program("seq2seq", "graykode/nlp-tutorial", "4-1.Seq2Seq", "Seq2Seq.py"),
    Program("text-cnn", "graykode/nlp-tutorial", "2-1.TextCNN", "TextCNN.py"),
    Program("bert", "graykode/nlp-tutorial", "5-2.BERT", "BERT.py"),
    Program("transformer", "graykode/nlp-tutorial", "5-1.Transformer", "Transformer.py"),
    Program("copy-transformer", "lucidrains/x-transformers", "", "train_parity.py"),
    Program(
        "mnist-cnn",
        "pytorch/examples",
        "mnist",
        "main.py --epochs 2 --save-model",
        lambda here: data.digits(here.parent / "data"),
    ),
    Program(
        "mnist-rnn",
        "pytorch/examples",
        "mnist_rnn",
        "main.py --epochs 2 --save-model",
        lambda here: data.digits(here.parent / "data"),
    ),
    Program(
        "siamese",
        "pytorch/examples",
        "siamese_network",
        "main.py --epochs 1",
        lambda here: data.digits(here.parent / "data"),
    ),
    Program("vae", "pytorch/examples", "vae", "main.py --epochs 3", lambda here: data.digits(here.parent / "data")),
    Program(
        "super-resolution",
        "pytorch/examples",
        "super_resolution",
        "main.py --upscale_factor 4 --batchSize 4 --nEpochs 3 --threads 0",
        lambda here: data.pictures(here / "dataset/BSDS300/images"),
    ),
    Program("polynomial", "pytorch/examples", "regression", "main.py"),
    Program("reinforce", "pytorch/examples", "reinforcement_learning", "reinforce.py"),
    Program("actor-critic", "pytorch/examples", "reinforcement_learning", "actor_critic.py"),
    Program("dqn", "seungeunrho/minimalRL", "", "dqn.py", data.gym),
    Program("ppo", "seungeunrho/minimalRL", "", "ppo.py", data.gym),
    Program("sac", "seungeunrho/minimalRL", "", "sac.py", data.gym),
    Program(
        "gan",
        "eriklindernoren/PyTorch-GAN",
        "implementations/gan",
        "gan.py --n_epochs 4",
        lambda here: data.digits(here.parents[1] / "data/mnist"),
    ),
    Program(
        "wgan-gp",
        "eriklindernoren/PyTorch-GAN",
        "implementations/wgan_gp",
        "wgan_gp.py --n_epochs 4",
        lambda here: data.digits(here.parents[1] / "data/mnist"),
    ),
    Program(
        "graph-convolution",
        "tkipf/pygcn",
        "pygcn",
        "train.py",
        lambda here: data.citations(here.parent / "data/cora"),
    ),
    Program(
        "graph-attention",
        "pytorch/examples",
        "gat",
        "main.py --epochs 60 --hidden-dim 16",
        lambda here: data.citations(here / "cora"),
    ),
    Program(
        "autoencoder-variational",
        "yunjey/pytorch-tutorial",
        "tutorials/03-advanced/variational_autoencoder",
        "main.py",
        lambda here: data.digits(here.parents[2] / "data"),
    ),
    Program("rnn-regressor", "MorvanZhou/PyTorch-Tutorial", "tutorial-contents", "403_RNN_regressor.py"),
    Program("gan-painter", "MorvanZhou/PyTorch-Tutorial", "tutorial-contents", "406_GAN.py"),
    Program("dynamic-net", "jcjohnson/pytorch-examples", "nn", "dynamic_net.py"),
    Program("logistic-regression", "patrickloeber/pytorchTutorial", "", "08_logistic_regression.py"),
    Program(
        "titanic",
        "Awesome-AI-ML-DELTA25/WeekWise-Schedule",
        "week3/pytorch-titanic",
        "main.py",
        data.passengers_cleaned,
    ),
    Program("titanic-kaggle", "lmy12367/Mynet", "kaggle/Titanic", "train.py", data.passengers),
    Program(
        "house-prices",
        "lmy12367/Mynet",
        "kaggle/House_Prices_Advanced_Regression_Techniques",
        "train.py",
        lambda here: data.houses(here / "data"),
    ),
    Program(
        "california",
        "the-shadow-0/PyTorch-ML-projects",
        "",
        "california_regression.py",
        lambda here: data.blocks(here, models="models"),
    ),
    Program(
        "california-slices",
        "ubiratantavares/machine_learning_mastery",
        f"{MASTERY}/chapter_23",
        "06_plot.py",
        data.blocks,
    ),
    Program(
        "iris",
        "ubiratantavares/machine_learning_mastery",
        f"{MASTERY}/chapter_10",
        "10_complete.py",
        data.irises,
    ),
    Program(
        "sonar",
        "ubiratantavares/machine_learning_mastery",
        f"{MASTERY}/chapter_11",
        "16_complete.py",
        data.echoes,
    ),
    Program(
        "diabetes",
        "ubiratantavares/machine_learning_mastery",
        f"{MASTERY}/chapter_08",
        "08_visualize.py",
        data.patients,
    ),
    Program(
        "lenet",
        "ubiratantavares/machine_learning_mastery",
        f"{MASTERY}/chapter_26",
        "12_lenet5.py",
        lambda here: data.digits(here / "data"),
    ),
    Program(
        "mnist-feedforward",
        "patrickloeber/pytorchTutorial",
        "",
        "13_feedforward.py",
        lambda here: data.digits(here / "data"),
    ),
    Program(
        "cifar-cnn",
        "patrickloeber/pytorchTutorial",
        "",
        "14_cnn.py",
        lambda here: data.photographs(here / "data"),
    ),
    Program(
        "cifar-residual",
        "yunjey/pytorch-tutorial",
        "tutorials/02-intermediate/deep_residual_network",
        "main.py",
        lambda here: data.photographs(here.parents[1] / "data"),
    ),
    Program(
        "mnist-convolution",
        "yunjey/pytorch-tutorial",
        "tutorials/02-intermediate/convolutional_neural_network",
        "main.py",
        lambda here: data.digits(here.parents[1] / "data"),
    ),
    Program(
        "autoencoder",
        "MorvanZhou/PyTorch-Tutorial",
        "tutorial-contents",
        "404_autoencoder.py",
        lambda here: data.digits(here / "mnist"),
    ),
    Program(
        "cnn-tour",
        "MorvanZhou/PyTorch-Tutorial",
        "tutorial-contents",
        "401_CNN.py",
        lambda here: data.digits(here / "mnist"),
    ),
    Program("two-clouds", "MorvanZhou/PyTorch-Tutorial", "tutorial-contents", "302_classification.py"),
)


HELD: dict[tuple[str, str], str] = {
    ("char-rnn", "FL002"): "true: `loss.data[0]` is refused since torch 0.5, and stands where every step passes",
    ("char-rnn", "FL004"): "true: `loss.data[0]` is refused since torch 0.5, and stands where every step passes",
    ("bert", "FL155"): "true: masked places are filled up to five with 0, and the loss has no `ignore_index`",
    ("siamese", "FL553"): "true: `criterion(…).sum()` is the mean of a batch, and is divided by the number of examples",
    ("house-prices", "FL002"): "true: columns of words are no longer `object` in pandas 3, and have no mean",
    ("diabetes", "FL152"): "true: columns up to 500 are fed as they are; a copy with scaled ones learns far better",
    ("sonar", "FL504"): "half true: it hardly moves in 150 steps, and is meant to run for thousands",
    ("cnn-tour", "FL004"): "true: scikit-learn's `TSNE` has no `n_iter` any more, and is called after the first step",
    ("autoencoder", "FL451"): "false: its bottleneck begins so and comes out of it; a note once it is certain to learn",
    ("gan-painter", "FL760"): "true: the logarithm of a `nn.Sigmoid`, which is -inf once that rounds to 0 or to 1",
}
"""What we hold of a finding, by program and check, after reading the program."""
