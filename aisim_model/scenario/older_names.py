"""Names that fields of a scenario had before: files and links with them open with their meaning.

``weight_dtype`` was one precision of weights and arithmetic. bf16 is what engines take as ``--dtype``: the
weights stay as the checkpoint stores them, which is bf16 where it names nothing else. fp8 likewise where the
checkpoint is stored in fewer bits. fp4 is the checkpoint's own 4-bit floats, else nvfp4.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from aisim_model.errors import InputError
from aisim_model.models.weights.formats import CHECKPOINT, StoredWeights

OLDER_WEIGHTS = "weight_dtype"
OLDER_FIELDS: Mapping[str, str] = MappingProxyType({OLDER_WEIGHTS: "weight_format"})
_FORMATS: Mapping[str, str] = MappingProxyType({"bf16": CHECKPOINT, "fp8": "fp8", "fp4": "nvfp4"})


def weight_format_of(precision: Any, stored: StoredWeights | None = None) -> str:
    """Return the weight format that an older precision means.

    Parameters
    ----------
    precision : object
        What `weight_dtype` holds.
    stored : StoredWeights or None
        Formats of the model's own checkpoint, where the model is known.

    Raises
    ------
    InputError
        For a precision that there wasn't.

    Examples
    --------
    >>> weight_format_of("fp8"), weight_format_of("fp8", StoredWeights(experts="mxfp4"))
    ('fp8', 'checkpoint')
    """
    found = _FORMATS.get(precision) if isinstance(precision, str) else None
    if found is None:
        problem = f"must be one of {', '.join(_FORMATS)}; it is the older name of weight_format"
        raise InputError(OLDER_WEIGHTS, precision, problem, "Give weight_format instead.")
    own = None if stored is None else stored.experts
    narrower = {"fp8": ("mxfp4", "nvfp4", "int4"), "nvfp4": ("mxfp4", "nvfp4")}.get(found, ())
    return CHECKPOINT if own in narrower else found


def with_weight_format(row: Any, stored: StoredWeights | None = None) -> Any:
    """Return a row's data with `weight_format` in place of the older name.

    Raises
    ------
    InputError
        For both names in one row, or a precision that there wasn't.

    Examples
    --------
    >>> with_weight_format({"name": "A", "weight_dtype": "fp4"})
    {'name': 'A', 'weight_format': 'nvfp4'}
    """
    if not isinstance(row, Mapping) or OLDER_WEIGHTS not in row:
        return row
    if "weight_format" in row:
        problem = "is the older name of weight_format, which the row has too"
        raise InputError(OLDER_WEIGHTS, row[OLDER_WEIGHTS], problem, "Keep weight_format.")
    kept = {key: value for key, value in row.items() if key != OLDER_WEIGHTS}
    return {**kept, "weight_format": weight_format_of(row[OLDER_WEIGHTS], stored)}
