"""What torch's names do to a tensor, as far as the linter follows it."""

import re

LOSSES = {
    "CrossEntropyLoss": "cross_entropy",
    "NLLLoss": "nll_loss",
    "BCELoss": "binary_cross_entropy",
    "BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
    "MSELoss": "mse_loss",
    "L1Loss": "l1_loss",
    "SmoothL1Loss": "smooth_l1_loss",
    "HuberLoss": "huber_loss",
    "KLDivLoss": "kl_div",
    "MultiLabelSoftMarginLoss": "multilabel_soft_margin_loss",
    "MultiMarginLoss": "multi_margin_loss",
    "PoissonNLLLoss": "poisson_nll_loss",
    "CTCLoss": "ctc_loss",
    "TripletMarginLoss": "triplet_margin_loss",
    "CosineEmbeddingLoss": "cosine_embedding_loss",
    "HingeEmbeddingLoss": "hinge_embedding_loss",
    "SoftMarginLoss": "soft_margin_loss",
}
FACTORIES = frozenset(
    {"randn", "rand", "randint", "zeros", "ones", "arange", "full", "linspace", "eye", "randperm", "normal", "empty"}
)
"""Functions whose result nothing was computed for."""
LOSS_FUNCTIONS = {f"torch.nn.functional.{name}" for name in LOSSES.values()}
FUNCTIONAL = "torch.nn.functional."

ACTIVATION_LAYERS = {
    "Softmax": "softmax",
    "Softmax2d": "softmax",
    "LogSoftmax": "log_softmax",
    "Sigmoid": "sigmoid",
    "LogSigmoid": "logsigmoid",
    "Tanh": "tanh",
    "Hardtanh": "tanh",
    "Hardsigmoid": "sigmoid",
    "ReLU": "relu",
    "ReLU6": "relu",
    "LeakyReLU": "leaky",
    "PReLU": "leaky",
    "ELU": "leaky",
    "SELU": "leaky",
    "CELU": "leaky",
    "GELU": "leaky",
    "SiLU": "leaky",
    "Mish": "leaky",
    "Hardswish": "leaky",
    "Softplus": "softplus",
    "Softsign": "tanh",
}
ACTIVATION_FUNCTIONS = {
    "softmax": "softmax",
    "log_softmax": "log_softmax",
    "sigmoid": "sigmoid",
    "logsigmoid": "logsigmoid",
    "tanh": "tanh",
    "hardtanh": "tanh",
    "relu": "relu",
    "relu_": "relu",
    "relu6": "relu",
    "leaky_relu": "leaky",
    "elu": "leaky",
    "selu": "leaky",
    "gelu": "leaky",
    "silu": "leaky",
    "mish": "leaky",
    "softplus": "softplus",
    "gumbel_softmax": "gumbel",
}
"""The same words as functions of `torch.nn.functional`, of `torch` or as methods of a tensor."""

RAW_LAYERS = re.compile(r"(Lazy)?(Linear|Bilinear|Conv(Transpose)?[123]d)$")
"""Layers whose output may be any number."""
NORMALISING = re.compile(r"(Lazy|Sync)?(Batch|Instance|Layer|Group|RMS)Norm([123]d)?$")
PASSING_LAYERS = re.compile(
    r"(Identity|(Alpha|FeatureAlpha)?Dropout[123]?d?|Flatten|Unflatten|(Adaptive)?(Avg|Max)Pool[123]d|Upsample|PixelShuffle|ZeroPad2d)$"
)
"""Layers after which a probability is still one. Pooling of probabilities gives numbers between 0 and 1 as well."""

FLOORING = frozenset({"clamp", "clamp_", "clamp_min", "clip"})
RESHAPING = frozenset(
    """view view_as reshape squeeze unsqueeze transpose permute flatten unflatten expand expand_as repeat narrow
    swapaxes movedim chunk split unbind t gather select index_select masked_select stack cat concat take_along_dim
    rearrange""".split()
)
PASSING = (
    RESHAPING
    | FLOORING
    | frozenset(
        """to cuda cpu float double half bfloat16 type type_as contiguous clone requires_grad_ dropout dropout1d
        dropout2d nan_to_num pin_memory to_dense""".split()
    )
)
"""Functions and methods that move or trim numbers without changing what they mean."""
REDUCING = frozenset(
    {"mean", "sum", "nanmean", "max", "min", "amax", "amin", "norm", "logsumexp", "prod", "var", "std"}
)
CUTTING = {
    "detach": "detach()",
    "detach_": "detach()",
    "item": "item()",
    "numpy": "numpy()",
    "tolist": "tolist()",
    "argmax": "argmax",
    "argmin": "argmin",
    "argsort": "argsort",
    "long": "long()",
    "int": "int()",
    "bool": "bool()",
    "round": "round()",
    "floor": "floor()",
    "ceil": "ceil()",
    "sign": "sign()",
    "eq": "==",
    "ne": "!=",
    "gt": ">",
    "lt": "<",
    "ge": ">=",
    "le": "<=",
}
"""Operations no gradient passes."""
NUMBERS = frozenset({"item", "tolist", "numpy"})

OPTIMIZERS = frozenset(
    """SGD Adam AdamW Adamax NAdam RAdam RMSprop Adagrad Adadelta ASGD Rprop LBFGS SparseAdam Adafactor Lion Lamb LAMB
    LARS Muon AdamP AdaBelief Ranger FusedAdam DeepSpeedCPUAdam AdamW8bit Adam8bit PagedAdamW8bit Novograd
    NvNovoGrad Shampoo SOAP""".split()
)
SCHEDULERS = re.compile(r"(LR|Scheduler|Plateau)$|^(get_\w*schedule\w*|get_scheduler|create_scheduler\w*)$")

OPTIMIZER_KEY = re.compile(
    r"(?:^|[._])(?:\w*_)?[oO](?:pt|ptim|ptimi[sz]er)s?(?:\d+|[A-Z]\w{0,3}|_\w+)?(?:\[.*\])?$|[a-z]Opt(?:imizer)?$|[gGdD]_?optimizer$"
)
SCHEDULER_KEY = re.compile(r"sched|(?:^|[._])warmup", re.IGNORECASE)
SCALER_KEY = re.compile(r"(?:^|[._])(?:\w*grad_?scaler|scaler|amp_scaler)$", re.IGNORECASE)
LOADER_KEY = re.compile(r"loader|dataiter|(?:^|[._])(?:train|val|valid|test)_?(?:dl|iter|data_iter)$", re.IGNORECASE)
MODEL_KEY = re.compile(
    r"(?:^|[._])(?:model|net|network|policy_net|classifier|generator|discriminator|netG|netD|encoder|decoder|actor|critic|"
    r"q_network|student|ddp_model|model_engine)$"
)
LOSS_KEY = re.compile(
    r"(?:^|[._])(?:\w*criterion\w*|\w*loss_f(?:n|unc|unction)\w*|\w*loss_module|loss)$", re.IGNORECASE
)

POSITIONS: dict[str, tuple[str, ...]] = {
    "torch.utils.data.DataLoader": ("dataset", "batch_size", "shuffle", "sampler", "batch_sampler", "num_workers"),
    "torch.nn.Linear": ("in_features", "out_features", "bias"),
    "torch.nn.Softmax": ("dim",),
    "torch.nn.LogSoftmax": ("dim",),
    "torch.nn.Dropout": ("p",),
    "torch.nn.Conv2d": ("in_channels", "out_channels", "kernel_size"),
    "torch.optim.SGD": ("params", "lr", "momentum"),
    "torch.optim.Adam": ("params", "lr", "betas", "eps", "weight_decay"),
    "torch.optim.AdamW": ("params", "lr", "betas", "eps", "weight_decay"),
    "torch.optim.lr_scheduler.StepLR": ("optimizer", "step_size", "gamma"),
    "torch.optim.lr_scheduler.MultiStepLR": ("optimizer", "milestones", "gamma"),
    "torch.optim.lr_scheduler.ExponentialLR": ("optimizer", "gamma"),
    "torch.optim.lr_scheduler.CosineAnnealingLR": ("optimizer", "T_max", "eta_min"),
    "torch.optim.lr_scheduler.ReduceLROnPlateau": ("optimizer", "mode"),
    "torch.utils.data.distributed.DistributedSampler": ("dataset", "num_replicas", "rank", "shuffle"),
}
"""Names of positional arguments the checks ask for."""

FOLLOWED = re.compile(
    r"^(?:backward|manual_backward|step|zero_grad|unscale_|update|eval|train|clip_grad\w*|no_grad|inference_mode|set_epoch|"
    r"\w*loss\w*|\w*criterion\w*|\w*cross_entropy\w*|BCE\w*|NLL\w*|autocast|GradScaler|requires_grad\w*|fit\w*|\w*split\w*|"
    r"DataLoader|next|append|item|detach|load_state_dict|prepare|\w*seed\w*)$",
    re.IGNORECASE,
)
"""A function that mentions none of these has nothing a check looks for: only what it returns matters."""
