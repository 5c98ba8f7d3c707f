"""All that firstlight knows by itself, as one value."""

from firstlight.diagnosis.causes import CAUSES
from firstlight.diagnosis.knowledge import advice, experiments, phrases, priors, repairs
from firstlight.diagnosis.knowledge.knowledge_base import KnowledgeBase
from firstlight.diagnosis.knowledge.observations import controls, data_and_validation, gradients, loss_curve

KNOWLEDGE = KnowledgeBase(
    name="firstlight",
    causes=CAUSES,
    observations=(
        loss_curve.OBSERVATIONS + controls.OBSERVATIONS + gradients.OBSERVATIONS + data_and_validation.OBSERVATIONS
    ),
    experiments=experiments.EXPERIMENTS + repairs.REPAIRS,
    advice=advice.ADVICE,
    contexts=priors.CONTEXTS,
    phrases=phrases.PHRASES,
)
