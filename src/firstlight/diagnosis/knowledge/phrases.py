"""How people tell their symptoms. The first phrase that matches takes its words; later ones do not see them.

Written for normalised text (`symptoms.normalise`): small letters, `val` for every held-out split, `train`, `lr`, `acc`,
`not` for every contraction.
"""

import math
from re import Match

from firstlight.diagnosis.knowledge.declare import Phrase

CLASSES = (
    *(*range(2, 22), 24, 25, 26, 27, 30, 32, 36, 37, 40, 43, 47, 50, 62, 64, 80, 91, 100, 101, 102, 120, 128, 196, 200),
    *(256, 257, 365, 397, 400, 500, 512, 1000, 1001, 1024, 2048, 4096, 8192, 10000, 16384, 21841, 28996, 30522, 32000),
    *(32768, 50257, 50265, 50304, 65536, 100277, 128000, 128256, 151936),
)
"""Numbers of classes or tokens that occur; every loss is near the logarithm of some integer."""
BAND_NATS = 0.006
"""As close as two printed decimals can say."""
MOST_CLASSES_BY_PERCENT = 1000
BAND_PERCENT = 0.15


def at_value(found: Match[str]) -> tuple[str, ...]:
    """What the number says at which a loss is stuck."""
    value = float(found["value"])
    if any(abs(value - math.log(classes)) <= BAND_NATS for classes in CLASSES):
        return ("plateau-at-constant-predictor",)
    if any(abs(value - floor(classes)) <= BAND_NATS for classes in CLASSES):
        return ("plateau-at-double-activation-floor",)
    if value == 0.0:
        return ("loss-frozen",)
    return () if found["split"] else ("loss-flat-from-start",)


def floor(classes: int) -> float:
    """The least cross-entropy of logits that already are probabilities."""
    return math.log(math.e + classes - 1) - 1.0


def at_percent(found: Match[str]) -> tuple[str, ...]:
    """An accuracy is at chance when it is one part in a number of classes."""
    percent = float(found["value"]) * (1.0 if found["unit"] else 100.0)
    if percent <= 0.0:
        return ()
    classes = round(100.0 / percent)
    at_chance = 2 <= classes <= MOST_CLASSES_BY_PERCENT and abs(percent - 100.0 / classes) <= BAND_PERCENT
    return ("plateau-at-constant-predictor",) if at_chance else ()


SOME = r"(?:\w+ ){0,2}"
STUCK = r"(?:stuck|stay\w*|sits?|plateau\w*|flat|hovers?|rests?|constant|remains?|frozen)"
FALLS = r"(?:fall\w*|drop\w*|decreas\w+|go\w* down|improv\w+|gets? better|good|fine|low|great)"
MOVES = r"(?:fall\w*|drop\w*|decreas\w+|go\w* (?:down|anywhere)|mov\w+|chang\w+|improv\w+|converg\w+|learn\w*)"
IDLE = rf"(?:(?:not|never) (?:\w+ )?{MOVES}|{STUCK})"
POOR = rf"(?:{IDLE}|at chance|random|bad|poor|terrible|awful)"
TRAIN = r"train(?: loss| acc)? (?:is |looks |keeps )?"
VAL = r"val(?: loss| acc)? (?:is |stays )?"
EXPLODES = r"(?:explod\w+|diverg\w+|blow\w* up|blew up|shoots? up|skyrocket\w*)"
RISES = r"(?:ris\w+|increas\w+|go\w* up|grow\w*|climb\w*)"
CURES = r"(?:fix\w*|help\w*|works?|worked|cur\w+|solv\w+|is fine|goes away)"
WORKS = r"(?:works?|fine|trains?|learns?) (?:\w+ )?"
NAN = r"\b(?:nans?|infs?|infinit[ey])\b"
GRADIENTS = r"\b(?:gradients?|grads?|grad norm)"
AT = r"(?:at |around |near |on )*(?P<value>\d+\.?\d*)"


def _phrase(observation: str, *patterns: str) -> Phrase:
    return Phrase("|".join(patterns), (observation,))


NUMBERS = (
    Phrase(rf"(?P<split>val )?loss {SOME}{STUCK} {AT}\b(?!\s?%)", reads=at_value),
    Phrase(rf"acc {SOME}{STUCK} {AT}(?P<unit>\s?%)?", reads=at_percent),
)

CURED = (
    _phrase("lr-tenth-cures", rf"(?:low\w*|small\w*|reduc\w+|decreas\w+) (?:the )?lr {CURES}"),
    _phrase("lr-tenfold-cures", rf"(?:high\w*|larg\w*|bigg\w*|increas\w+|rais\w+) (?:the )?lr {CURES}"),
    _phrase(
        "fp32-cures",
        rf"(?:fp32|float32|full precision|(?:disabling|without) amp) {CURES}",
        rf"{WORKS}(?:in|with|on) (?:fp32|float32|full precision)",
        rf"{WORKS}without (?:amp|mixed precision|autocast)",
    ),
    _phrase("no-regularisation-cures", rf"{WORKS}without (?:dropout|weight decay|regulari[sz]ation)"),
    _phrase(
        "single-process-cures",
        rf"{WORKS}(?:on|with) (?:a )?(?:single|one|1) (?:gpu|rank|worker|process)",
        rf"{WORKS}with num_workers ?= ?0",
    ),
)

SPLITS = (
    _phrase(
        "validation-at-chance-while-training-improves",
        rf"{TRAIN}{SOME}{FALLS}.{{0,30}}?{VAL}{SOME}{POOR}",
        rf"{VAL}{SOME}{POOR}.{{0,30}}?{TRAIN}{SOME}{FALLS}",
        rf"{TRAIN}{SOME}{FALLS} (?:and|but) val(?: loss| acc)? is not\b",
        r"good train (?:loss|acc).{0,20}?(?:bad|poor|terrible) val",
    ),
    _phrase("validation-below-chance", r"(?:below|worse than) (?:chance|random)"),
    _phrase(
        "validation-far-better-than-training",
        rf"{VAL}(?:much |far |way |a lot )*(?:better|higher|lower) than (?:the )?train",
    ),
    _phrase("gap-grows-late", r"overfit\w* (?:badly|heavily|quickly|after)", rf"val loss (?:starts? )?(?:to )?{RISES}"),
    _phrase(
        "loss-falls-metric-does-not",
        rf"loss {SOME}{FALLS}.{{0,15}}?\b(?:acc|metric|f1|auc|bleu|iou|map)\b {SOME}(?:{IDLE}|bad|poor|low)",
        rf"loss {SOME}{FALLS} (?:and|but) (?:the )?(?:acc|metric|f1|auc|bleu|iou|map) is not\b",
    ),
)

NOT_FINITE = (
    _phrase(
        "nonfinite-at-start",
        rf"{NAN}.{{0,20}}?(?:immediately|right away|at once)",
        rf"{NAN}.{{0,20}}?(?:at|from|in|on) (?:the )?(?:very )?(?:start|first|beginning)",
        rf"{NAN}.{{0,20}}?(?:step|iteration|batch) [01]\b",
        rf"(?:first|initial) (?:loss|step|batch|iteration) {SOME}{NAN}",
    ),
    _phrase(
        "nonfinite-later",
        rf"{NAN}.{{0,20}}?(?:after|later|eventually|suddenly|in epoch|at (?:step|epoch) \d+)",
        rf"\b(?:after|eventually|suddenly|then|later)\b.{{0,40}}?{NAN}",
    ),
    _phrase("nonfinite-values", NAN),
)

SHAPES = (
    _phrase("loss-falls-slowly", rf"(?:{FALLS}|learn\w*|trains?|converg\w+) (?:\w+ )?slow(?:ly)?", r"slow convergence"),
    _phrase("loss-jumps-after-resume", r"(?:jump|bump|spik|higher|worse)\w* (?:\w+ )?(?:after|when|on) resum\w+"),
    _phrase("loss-jumps-after-resume", r"(?:after|when|on) resum\w+.{0,30}?(?:jump|bump|spik|higher|worse)"),
    _phrase("loss-falls-then-explodes", rf"loss {SOME}{FALLS}.{{0,25}}?(?:{EXPLODES}|{RISES})"),
    _phrase("loss-rises-from-start", rf"(?<!val )loss {SOME}{RISES}"),
    _phrase("gradients-explode", rf"{GRADIENTS} {SOME}{EXPLODES}", r"exploding grad\w*"),
    _phrase("loss-falls-then-explodes", rf"\b{EXPLODES}"),
    _phrase(
        "loss-oscillates",
        r"oscillat\w+|zig-?zag\w*|bounc\w+ (?:around|up and down)",
        rf"(?:jumps?|goes) up and down|(?:very |too )noisy loss|loss {SOME}swing\w*|\bswings? up and down",
    ),
    _phrase("loss-spikes-and-recovers", r"\bspik\w+"),
    _phrase("loss-repeats-each-epoch", r"(?:same (?:shape|pattern)|repeats?) (?:every|each) epoch", r"saw-?tooth"),
    _phrase("loss-negative", rf"negative loss|loss {SOME}negative"),
    _phrase("loss-frozen", rf"zero loss|loss {SOME}(?:exactly )?(?:0|0\.0+|zero)(?![.\d])"),
    _phrase("loss-falls-steadily", rf"loss {SOME}{FALLS} (?:steadily|smoothly|nicely|as expected)"),
    _phrase(
        "plateau-at-constant-predictor",
        r"(?:at|no better than|same as|equal to) (?:chance|random)(?: guess\w*)?|random guess\w*|chance level",
        r"\bl(?:n|og) ?\(?(?:c|classes|2|10)\b\)?",
    ),
    _phrase("init-loss-far-above-chance", rf"(?:initial|first) loss {SOME}(?:huge|(?:too|very) (?:high|large))"),
    _phrase("init-loss-far-below-chance", rf"(?:initial|first) loss {SOME}(?:tiny|(?:too|very) low|near 0)"),
    _phrase("cannot-overfit-one-batch", r"(?:not|unable to|fails? to) (?:even )?overfit (?:\w+ ){1,3}?batch"),
    _phrase("overfits-one-batch", r"overfits? (?:\w+ ){1,3}?batch"),
)

MODEL = (
    _phrase(
        "parameters-unchanged-by-step",
        rf"(?:weights?|parameters?|params) {SOME}(?:not|never) (?:\w+ )?(?:updat\w+|chang\w+|mov\w+)",
    ),
    _phrase(
        "loss-flat-from-start",
        rf"(?<!val )loss {SOME}{IDLE}",
        rf"^(?:it|(?:the |my )?(?:model|network)) {SOME}(?:not|never) (?:train|learn|converge|improve)\w*",
        r"learns nothing",
    ),
    _phrase(
        "predictions-constant",
        r"(?:predict\w*|output\w*) (?:\w+ ){0,3}(?:same|one|single|majority|constant|mean|identical|alike|collapsed)",
        r"(?:same|one|majority) class always|always (?:the )?(?:same|one) (?:class|label|output)|always predict\w*",
        r"constant (?:output|prediction)s?",
    ),
    _phrase("gradients-vanish-with-depth", rf"{GRADIENTS} {SOME}vanish\w*", r"vanishing grad\w*"),
    _phrase("gradients-missing", rf"{GRADIENTS} {SOME}none\b"),
    _phrase("gradients-exactly-zero", rf"{GRADIENTS} (?:\w+ ){{0,3}}(?:zeros?|0)\b", r"zero gradients\b"),
    _phrase("units-dead", r"dead (?:relus?|units?|neurons?)"),
    _phrase("loss-scale-collapses", rf"loss scale {SOME}(?:collaps\w+|0|zero|drop\w*)", r"grad(?:ient)? overflow"),
)

CONTROLS = (
    _phrase("noise-inputs-learn-as-well", r"\b(?:noise|zeros|random inputs?)\b.{0,25}?\b(?:as well|just as|as good)"),
)

REFUSED = (
    _phrase("shapes-refused", r"shapes? (?:\w+ ){0,2}not (?:fit|match)|shape mismatch|mismatched shapes?"),
    _phrase(
        "checkpoint-refused", r"(?:checkpoint|state_dict|weights) (?:\w+ ){0,2}not load|loading .{0,20}?state_dict"
    ),
)

RUNS = (
    _phrase(
        "same-seed-differs",
        r"same seed.{0,30}?differ\w*|not (?:reproducible|deterministic)|non-?determinis\w+|irreproducible",
    ),
    _phrase(
        "seeds-differ-wildly",
        r"(?:seeds?|runs?) (?:\w+ ){0,3}(?:differ\w*|var(?:y|ies)|disagree)",
        r"(?:some|other|different) seeds? (?:\w+ )?(?:fail|differ)\w*|depends? on (?:the )?seed",
        r"(?:differ|var(?:y|ies)) (?:\w+ )?(?:between|across|with) (?:the |different )?seeds?",
    ),
    _phrase("memory-grows", rf"memory {SOME}(?:grow\w*|increas\w+|leak\w*)", r"(?:out of memory|oom) after"),
    _phrase(
        "step-waits-for-data",
        rf"gpu {SOME}(?:idle|starv\w+|low)|low gpu util\w*",
        rf"(?:data ?loader|loader|data loading) {SOME}(?:slow|bottleneck)",
    ),
    _phrase("inputs-not-normalised", r"(?:inputs?|images?|features?|data) (?:\w+ )?not (?:normal|standard|scal)\w+"),
    _phrase("classes-tenfold-imbalanced", rf"(?:class\w*|labels|data ?set|data) {SOME}imbalanced?"),
)

PHRASES: tuple[Phrase, ...] = NUMBERS + CURED + SPLITS + NOT_FINITE + SHAPES + MODEL + CONTROLS + REFUSED + RUNS
