"""What new users ran into, as edits of healthy programs of the zoo's tune half."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Edits = tuple[tuple[str, str], ...]
"""What is replaced, and by what; each once, in whichever file has it."""

BOW, OBJECT, TONE = "bow-review-sentiment", "object-position", "tone-chirp-stft"
MODELS = {
    BOW: "    model = TextClassifier(len(vocab), 24, 2)\n",
    OBJECT: "model = Localizer()\n",
    TONE: "    net = AudioCNN(feats.size(1), len(CLASSES))\n",
}
RATES = {BOW: ("default=3e-3", "default={}"), OBJECT: ("lr=1.5e-3", "lr={}"), TONE: ("default=4e-3", "default={}")}
ZEROED = """{indent}for parameter in {model}.parameters():
{indent}    nn.init.zeros_(parameter)
"""
DEALT = """data[n_test + n_val :]
    dealt = torch.randperm(len(train)).tolist()
    train = [(text, train[other][1]) for (text, _), other in zip(train, dealt)]
"""
SIGMOIDS = "*(m for _ in range(11) for m in (nn.Linear({0}, {0}), nn.Sigmoid()))"


@dataclass(frozen=True)
class Trial:
    number: str
    """In the list of what users ran into."""
    name: str
    causes: tuple[str, ...]
    """Any of them is right; none where what is planted is no fault."""
    planted: Mapping[str, Edits]
    verdict: str = "clean"
    """What is right where no cause is."""
    options: tuple[str, ...] = ()
    """Of the command."""


def _after_model(text: str) -> dict[str, Edits]:
    """`text` with `{model}` and `{indent}`, right after the model is made."""
    made: dict[str, Edits] = {}
    for slug, line in MODELS.items():
        indent, model = re.match(r"( *)(\w+)", line).groups()  # type: ignore[union-attr]
        made[slug] = ((line, line + text.format(model=model, indent=indent)),)
    return made


def _frozen() -> dict[str, Edits]:
    last = {BOW: "fc", OBJECT: "out", TONE: "fc"}
    text = "{indent}{model}.requires_grad_(False)\n{indent}{model}.LAST.bias.requires_grad_(True)\n"
    return {
        slug: tuple((old, new.replace("LAST", last[slug])) for old, new in edits)
        for slug, edits in _after_model(text).items()
    }


def _rates(values: Mapping[str, str]) -> dict[str, Edits]:
    return {slug: ((old, new.format(values[slug])),) for slug, (old, new) in RATES.items()}


STEP = "loss.backward()\n"
"""Of each of the three programs, once."""
SCORES = {BOW: "out", OBJECT: "pred", TONE: "out"}
MIXED: dict[str, Edits] = {
    "digits-cnn": (("x = F.relu(self.fc1(x))", "x = F.relu(self.fc1(x)).softmax(0)"),),
    OBJECT: (("return self.out(x)", "return self.out(x * x.mean(1, keepdim=True).softmax(0))"),),
    TONE: (("return self.fc(pooled)", "return self.fc((pooled @ pooled.T / 8).softmax(-1) @ pooled)"),),
}
SELECTOR = """class EpochTable:
    def __init__(self):
        self.rows = []

    def record(self, epoch, sortino, sparsity):
        self.rows.append((sortino, -sparsity, epoch))

    def best(self):
        return max(self.rows)[-1]


"""
KEPT = """{indent}epochs.record(epoch, {score}, sum((p == 0).sum().item() for p in model.parameters()))
{indent}states[epoch] = {{name: value.clone() for name, value in model.state_dict().items()}}
"""
CHOSEN = "{indent}model.load_state_dict(states[epochs.best()])\n"


def _selects(before: str, before_model: str, score: str, after: str, last: str) -> Edits:
    """The state of the best epoch is loaded in the end; `after` is the line after which an epoch is noted."""
    indents = [re.match(" *", line).group() for line in (after, last)]  # type: ignore[union-attr]
    outer = re.match(" *", before_model).group()  # type: ignore[union-attr]
    return (
        (before, SELECTOR + before),
        (before_model, f"{outer}epochs, states = EpochTable(), {{}}\n{before_model}"),
        (after, after + KEPT.format(indent=indents[0], score=score)),
        (last, CHOSEN.format(indent=indents[1]) + last),
    )


STORIES, NAMES, ENTITIES = "char-gru-stories", "lstm-name-origin-packed", "bilstm-entity-tagger"
ONE_FULL_BATCH: dict[str, Edits] = {
    STORIES: (
        ("story(700)", "story(40)"),
        ('"--bptt", type=int, default=32', '"--bptt", type=int, default=100000'),
        ("default=6)", "default=150)"),
        ("next(self.parameters()).new_zeros(", "torch.zeros("),
    ),
    NAMES: (
        ("def forward(self, x, lengths):", "def forward(self, x, lengths, hidden):"),
        ("self.lstm(packed)", "self.lstm(packed, (hidden, torch.zeros_like(hidden)))"),
        ("(net(x, lengths).", "(net(x, lengths, torch.zeros(2, len(y), 32))."),
        ("net(x, lengths), y)", "net(x, lengths, torch.zeros(2, len(y), 32)), y)"),
        ("best_acc = 0.0\n", "best_acc = 0.0\nwhole = [pad_batch(list(train_ds))]\n"),
        ("in range(6)", "in range(60)"),
        ("in train_dl:", "in whole:"),
        ("patience=1", "patience=10"),
    ),
    ENTITIES: (
        ("def forward(self, x):", "def forward(self, x, hidden):"),
        ("self.lstm(packed)", "self.lstm(packed, (hidden, torch.zeros_like(hidden)))"),
        ("model(x).argmax", "model(x, torch.zeros(2, len(x), 40)).argmax"),
        ("for epoch in range(9):\n", "whole, answers = to_batch(train_ex)\nfor epoch in range(60):\n"),
        ("        x, y = to_batch([train_ex[j] for j in perm[i : i + 20]])\n", "        x, y = whole, answers\n"),
        ("len(perm), 20)", "len(perm), len(perm))"),
        ("= model(x)\n", "= model(x, torch.zeros(2, len(x), 40))\n"),
    ),
}
ADDITION, RANKS = "seq2seq-transformer-addition", "torchrun-char-lm"
MASK, NO_MASK = "nn.Transformer.generate_square_subsequent_mask", "(lambda n: torch.zeros(n, n))"


def _sequence_first(mask: str) -> dict[str, Edits]:
    """Transformers that are given (sequence, batch), as before there was `batch_first`."""
    return {
        ADDITION: (
            ("            batch_first=True,\n", ""),
            ("randn(1, 8, d_model) * 0.1)\n        self.tgt_pos", "randn(8, 1, d_model) * 0.1)\n        self.tgt_pos"),
            ("self.tgt_pos = nn.Parameter(torch.randn(1, 8,", "self.tgt_pos = nn.Parameter(torch.randn(8, 1,"),
            ("nn.Transformer.generate_square_subsequent_mask(tgt.size(1))", f"{mask}(tgt.size(0))"),
            (", tgt_is_causal=True", ""),
            ("self.src_pos[:, : src.size(1)]", "self.src_pos[: src.size(0)]"),
            ("self.tgt_pos[:, : tgt.size(1)]", "self.tgt_pos[: tgt.size(0)]"),
            ("self(src, ys)[:, -1]", "self(src.t(), ys.t())[-1]"),
            ("model(src, tgt[:, :-1])", "model(src.t(), tgt[:, :-1].t())"),
            ("tgt[:, 1:].reshape(-1)", "tgt[:, 1:].t().reshape(-1)"),
        ),
        STORIES: (
            (
                "self.rnn = nn.GRU(ninp, nhid)\n",
                (
                    "self.place = nn.Parameter(torch.randn(64, 1, ninp) * 0.1)\n"
                    "        layer = nn.TransformerEncoderLayer(ninp, 4, 2 * nhid, dropout)\n"
                    "        self.layers = nn.TransformerEncoder(layer, 2)\n"
                ),
            ),
            ("nn.Linear(nhid, ntoken)", "nn.Linear(ninp, ntoken)"),
            ("forward(self, x, hidden)", "forward(self, x)"),
            (
                "output, hidden = self.rnn(self.drop(self.encoder(x)), hidden)",
                f"output = self.layers(self.drop(self.encoder(x) + self.place[: len(x)]), {mask}(len(x)))",
            ),
            ("decoded.size(-1)), hidden", "decoded.size(-1))"),
            ("    hidden = model.init_hidden(source.size(1))\n", ""),
            ("    hidden = model.init_hidden(args.batch_size)\n", ""),
            ("        hidden = hidden.detach()\n", ""),
            (
                "    output, hidden = model(data, hidden)\n            total",
                "    output = model(data)\n            total",
            ),
            ("output, hidden = model(data, hidden)\n        loss", "output = model(data)\n        loss"),
        ),
        RANKS: (
            (
                "self.rnn = nn.GRU(32, hidden, batch_first=True)\n",
                (
                    "self.place = nn.Parameter(torch.randn(64, 1, 32) * 0.1)\n"
                    "        self.layers = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, hidden, 0.0), 2)\n"
                ),
            ),
            ("nn.Linear(hidden, vocab_size)", "nn.Linear(32, vocab_size)"),
            (
                "out, _ = self.rnn(self.emb(idx))",
                f"out = self.layers(self.emb(idx) + self.place[: len(idx)], {mask}(len(idx)))",
            ),
            ("model(x)", "model(x.t())"),
            (
                "loss_fn(logits.flatten(0, 1), y.flatten()).item()",
                "loss_fn(logits.flatten(0, 1), y.t().flatten()).item()",
            ),
            ("ddp(x)", "ddp(x.t())"),
            (
                "loss = loss_fn(logits.flatten(0, 1), y.flatten())",
                "loss = loss_fn(logits.flatten(0, 1), y.t().flatten())",
            ),
        ),
    }


def _each(edit: Callable[[str], Edits]) -> dict[str, Edits]:
    return {slug: edit(slug) for slug in MODELS}


TRIALS = (
    Trial("1", "all but one bias frozen", ("train-frozen",), _frozen()),
    Trial("1, 9", "all weights begin at zero", ("arch-init",), _after_model(ZEROED)),
    Trial(
        "1, 5",
        "twelve sigmoids on each other",
        ("arch-vanishing",),
        {
            BOW: (
                (
                    "nn.Linear(embed_dim, 32)",
                    f"nn.Sequential(nn.Linear(embed_dim, 32), nn.Sigmoid(), {SIGMOIDS.format(32)})",
                ),
            ),
            OBJECT: (
                (
                    "nn.Linear(24 * 6 * 6, 64)",
                    f"nn.Sequential(nn.Linear(24 * 6 * 6, 64), nn.Sigmoid(), {SIGMOIDS.format(64)})",
                ),
            ),
            "quantile-pinball": (
                ("nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU())", f"nn.Sigmoid(), {SIGMOIDS.format('hidden')})"),
            ),
        },
    ),
    Trial(
        "1",
        "answers of other examples",
        ("data-label-misaligned", "data-label-noise"),
        {
            BOW: (
                (
                    "data[n_test + n_val :]\n",
                    DEALT,
                ),
            ),
            OBJECT: (
                (
                    "x_train, y_train = make_set(2000)\n",
                    "x_train, y_train = make_set(2000)\ny_train = y_train[torch.randperm(len(y_train))]\n",
                ),
            ),
            TONE: (
                (
                    "make_split(900, seed=100)\n",
                    "make_split(900, seed=100)\n    labels = labels[torch.randperm(len(labels))]\n",
                ),
            ),
        },
    ),
    Trial("2", "a rate of 1e-7", ("hp-lr-low",), _rates(dict.fromkeys(RATES, "1e-7"))),
    Trial(
        "6, 7", "fifty to a hundred times the rate", ("hp-lr-high",), _rates({BOW: "0.3", OBJECT: "0.08", TONE: "0.4"})
    ),
    Trial("10, 12", "a rate of 30", ("hp-lr-high",), _rates(dict.fromkeys(RATES, "30.0"))),
    Trial(
        "5",
        "hardly any units",
        ("arch-capacity",),
        {
            OBJECT: (("24 * 6 * 6, 64)", "24 * 6 * 6, 1)"), ("nn.Linear(64, 2)", "nn.Linear(1, 2)")),
            "multilabel-tagging": (
                ("nn.Linear(32 * 5 * 5, 64)", "nn.Linear(32 * 5 * 5, 1)"),
                ("nn.Linear(64, n_tags)", "nn.Linear(1, n_tags)"),
            ),
            "mixup-digits-json": (('"channels": [16, 32], "hidden": 64', '"channels": [1, 1], "hidden": 1'),),
        },
    ),
    Trial(
        "8",
        "inputs that are all the same",
        ("data-degenerate",),
        {
            BOW: (("[self.stoi.get(t, self.UNK) for t", "[self.UNK for t"),),
            OBJECT: ((".unsqueeze(1)\n    y =", ".unsqueeze(1)\n    x = (x > 50).float()\n    y ="),),
            TONE: (
                (
                    "(feats - mean) / std, (eval_feats - mean) / std",
                    "(feats > 50).float(), (eval_feats > 50).float()",
                ),
            ),
        },
    ),
    Trial(
        "9",
        "answers far from zero, in their raw unit",
        ("data-scale",),
        {
            OBJECT: (
                ("return 2 * p / (SIZE - 1) - 1", "return 300000.0 + 5000 * p"),
                ("return (u + 1) * (SIZE - 1) / 2", "return (u - 300000.0) / 5000"),
            ),
            "quantile-pinball": (
                (
                    "y_mean, y_std = minutes[tr].mean(), minutes[tr].std()",
                    "minutes = 300000.0 + 5000 * minutes\ny_mean, y_std = 0.0, 1.0",
                ),
            ),
            "embedding-tabular": (
                (
                    '"y": np.log1p(df[TARGET].to_numpy(dtype=np.float32))',
                    '"y": 300000.0 + 5000 * np.log1p(df[TARGET].to_numpy(dtype=np.float32))',
                ),
            ),
        },
    ),
    Trial(
        "3",
        "examples that are mixed, under --select",
        ("arch-batch-mixing", "arch-norm"),
        MIXED,
        options=("--select", "FL407"),
    ),
    Trial(
        "3",
        "the same, under --profile quick",
        ("arch-batch-mixing", "arch-norm"),
        MIXED,
        options=("--profile", "quick", "--select", "FL407"),
    ),
    Trial(
        "3",
        "--select of a check that has nothing to look at",
        (),
        dict.fromkeys(MODELS, ()),
        verdict="unjudged",
        options=("--select", "FL105"),
    ),
    Trial(
        "4",
        "steps that take ten seconds",
        (),
        _each(lambda _: ((STEP, f'__import__("time").sleep(10); {STEP}'),)),
        verdict="unjudged",
    ),
    Trial(
        "11",
        "models that are no number for negative inputs, and are never given any",
        (),
        {
            "digits-cnn": (("(x - mean) / std", "x"), ("F.relu(self.conv1(x))", "F.relu(self.conv1(x.sqrt()))")),
            "made-binary-digits": (("return self.net(x)", "return self.net(x.sqrt())"),),
            "mixup-digits-json": (
                ("images - 0.5", "images.clamp(min=0.0)"),
                ("self.backbone(x))", "self.backbone(x.sqrt()))"),
            ),
        },
    ),
    Trial("13", "one full batch, and a hidden state of zeros", (), ONE_FULL_BATCH),
    Trial("14", "transformers that are given (sequence, batch)", (), _sequence_first(MASK)),
    Trial("14", "the same without a causal mask", ("arch-mask", "data-leak-future"), _sequence_first(NO_MASK)),
    Trial(
        "15",
        "blocks that begin as the identity",
        (),
        {
            OBJECT: (
                (
                    "        self.out = nn.Linear(64, 2)\n",
                    (
                        "        self.out = nn.Linear(64, 2)\n        self.gates = nn.Parameter(torch.zeros(4))\n\n"
                        "    def gated(self, x, gate):\n        return x + gate * F.leaky_relu(x, 0.1)\n"
                    ),
                ),
                ("F.leaky_relu(self.c1(x), 0.1)", "self.gated(self.c1(x), self.gates[0])"),
                ("F.leaky_relu(self.c2(x), 0.1)", "self.gated(self.c2(x), self.gates[1])"),
                ("F.leaky_relu(self.c3(x), 0.1)", "self.gated(self.c3(x), self.gates[2])"),
                ("F.leaky_relu(self.fc(x.flatten(1)), 0.1)", "self.gated(self.fc(x.flatten(1)), self.gates[3])"),
            ),
            TONE: (
                (
                    "        self.fc = nn.Linear(2 * 32, n_classes)\n",
                    (
                        "        self.fc = nn.Linear(2 * 32, n_classes)\n"
                        "        self.more = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64))\n"
                        "        nn.init.zeros_(self.more[2].weight)\n        nn.init.zeros_(self.more[2].bias)\n"
                    ),
                ),
                ("return self.fc(pooled)", "return self.fc(pooled + self.more(pooled))"),
            ),
            "shapes-resnet": (
                (
                    "    def forward(self, x: Tensor) -> Tensor:\n        x = self.layer3(",
                    (
                        "        for m in self.modules():\n            if isinstance(m, BasicBlock):\n"
                        "                nn.init.zeros_(m.bn2.weight)\n\n"
                        "    def forward(self, x: Tensor) -> Tensor:\n        x = self.layer3("
                    ),
                ),
            ),
        },
    ),
    Trial(
        "16",
        "a selector of epochs that is right",
        (),
        {
            BOW: _selects(
                "class TextClassifier",
                "    model = TextClassifier(len(vocab), 24, 2)\n",
                "acc_val",
                "        acc_val = evaluate(val_loader, model)\n",
                '    print(f"test accuracy ',
            ),
            OBJECT: _selects(
                "class Localizer",
                "model = Localizer()\n",
                "-err",
                "    plateau.step(err)\n",
                "print(f'mean test error: ",
            ),
            "embedding-tabular": _selects(
                "class TabularNet",
                "    model = TabularNet(",
                "r2(model, val_dl)",
                "        scheduler.step()\n",
                '    print(f"test R2 ',
            ),
        },
    ),
    Trial(
        "17",
        "an optimizer that holds the last layer alone",
        ("train-params-missing",),
        {
            BOW: (("Adam(model.parameters()", "Adam(model.fc.parameters()"),),
            OBJECT: (("Adam(model.parameters()", "Adam(model.out.parameters()"),),
            TONE: (("Adam(net.parameters()", "Adam(net.fc.parameters()"),),
        },
    ),
    Trial("17", "a rate of 10", ("hp-lr-high",), _rates(dict.fromkeys(RATES, "10.0"))),
    Trial(
        "17",
        "a gradient that is no number",
        ("num-nonfinite",),
        _each(
            lambda slug: (
                (STEP, f"(loss + ({SCORES[slug]} - {SCORES[slug]}.detach()).square().sum().sqrt()).backward()\n"),
            )
        ),
    ),
)
