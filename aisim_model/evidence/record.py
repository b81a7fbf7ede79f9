"""One published figure beside what the rival models say of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Evidence:
    """A figure that someone measured, and its predictions, made by the models at run time.

    Parameters
    ----------
    id, name, deployment : str
        Row, model, and what it ran on.
    quantity : str
        What was measured, with its unit.
    tokens : int or None
        Tokens of the prompt, or of all that was sent [-].
    reported : float
        The figure, in the unit that `quantity` ends in.
    reference, calibrated, roofline : float or None
        Predictions in the same unit; None where the model has nothing to say or lacks an input.
    calibrated_left_out : float or None
        The calibrated prediction by a fit to the other rows of its group.
    fitted : bool
        Whether the figure was fitted to: its calibrated or roofline error is then no test.
    consistent : bool
        Whether the figures published together agree with each other.
    how : str
        What the predictions are made of.
    source, note : str
        Where it was published, and what to know before using it.

    Examples
    --------
    >>> row = Evidence("a", "m", "", "transfer_ms", 1, 2.0, 1.5, None, None, None, False, True, "", "", "")
    >>> row.relative_error("reference")
    -0.25
    """

    id: str
    name: str
    deployment: str
    quantity: str
    tokens: int | None
    reported: float
    reference: float | None
    calibrated: float | None
    calibrated_left_out: float | None
    roofline: float | None
    fitted: bool
    consistent: bool
    how: str
    source: str
    note: str

    def relative_error(self, model: str) -> float | None:
        """Return (predicted - reported) / reported of a model by its field's name [-]; None without one."""
        predicted = getattr(self, model)
        return None if predicted is None else predicted / self.reported - 1.0
