"""What others measured beside what the models say, made at run time: good and bad alike."""

from aisim_model.evidence.cloud import cloud_evidence
from aisim_model.evidence.published import published_evidence, published_fits
from aisim_model.evidence.record import Evidence

MODELS = ("reference", "calibrated", "calibrated_left_out", "roofline")


def evidence() -> tuple[Evidence, ...]:
    """Return every published figure with its predictions.

    Examples
    --------
    >>> sum(row.quantity == "transfer_ms" and row.fitted for row in evidence())
    18
    """
    return (*published_evidence(), *cloud_evidence())


__all__ = [
    "MODELS",
    "Evidence",
    "cloud_evidence",
    "evidence",
    "published_evidence",
    "published_fits",
]
