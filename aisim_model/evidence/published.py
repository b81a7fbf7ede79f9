"""Published transfers, sizes and bandwidths beside the reference, the calibrated and the roofline model."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from aisim_model.calibration import CalibrationFit, calibrate, measured
from aisim_model.catalog.measurements import PublishedMeasurement, published_measurements
from aisim_model.evidence.record import Evidence
from aisim_model.handoff import transfer_delay_ms
from aisim_model.passes import PassTime, polynomial
from aisim_model.passes.constants import client_constants
from aisim_model.row.resolved import resolve
from aisim_model.row.ttft import breakdown
from aisim_model.scenario import Deployment, Workload
from aisim_model.units import BYTES_PER_GB

HOW = MappingProxyType(
    {
        "transfer_ms": "bytes over nominal bandwidth; calibrated: the fit to its group",
        "handover_ms": "bytes over nominal bandwidth",
        "ttft_added_ms": "bytes over nominal bandwidth",
        "bytes": "tokens times KV bytes per token",
        "offered_gb_s": "bytes of all tokens over the span",
        "effective_gb_s": "nominal bandwidth",
        "ttft_ms": (
            "reference: polynomial prefill, transfer at nominal, polynomial step on an empty pool;"
            " roofline: prefill and step by roofline, calibrated transfer, what a client waits beside them"
        ),
    }
)

EMPTY_POOL_TOKENS, REFERENCE_PASS_TOKENS = 1e12, 8192.0


class _Calibrated(NamedTuple):
    predicted_ms: float
    left_out_ms: float | None


def fit_groups() -> Mapping[str, tuple[PublishedMeasurement, ...]]:
    """Return the published transfers that are calibrated together; inconsistent rows are in no group.

    Examples
    --------
    >>> {name: len(rows) for name, rows in fit_groups().items()}
    {'qwen3-8b-8x200g': 9, 'qwen3-235b-4x400g': 9}
    """
    groups: dict[str, list[PublishedMeasurement]] = {}
    for row in published_measurements():
        if row.fit_group is not None and row.consistent:
            groups.setdefault(row.fit_group, []).append(row)
    return MappingProxyType({name: tuple(rows) for name, rows in groups.items()})


@lru_cache(maxsize=1)
def published_fits() -> Mapping[str, CalibrationFit]:
    """Calibrate each group of `fit_groups`.

    Examples
    --------
    >>> [round(fit.calibration.bandwidth_gb_s) for fit in published_fits().values()]
    [145, 170]
    """
    return MappingProxyType(
        {
            name: calibrate(
                measured([sent_bytes(row) or 0.0 for row in rows], [row.reported for row in rows])
            )
            for name, rows in fit_groups().items()
        }
    )


def sent_bytes(row: PublishedMeasurement) -> float | None:
    """Bytes on the wire of a published figure, replicated heads counted [B]; None where they aren't known.

    Examples
    --------
    >>> sent_bytes(published_measurements()[0])
    18874368.0
    """
    if row.tokens is None or row.wire_bytes_per_token is None:
        return None
    return float(row.tokens * row.wire_bytes_per_token)


def published_evidence() -> tuple[Evidence, ...]:
    """Put every published figure beside its predictions, and the time to first token where one was reported.

    Examples
    --------
    >>> row = published_evidence()[0]
    >>> row.id, f"{row.relative_error('reference'):.0%}", f"{row.relative_error('calibrated'):.0%}"
    ('qwen3-8b-h800-128', '-83%', '-1%')
    """
    calibrated = _calibrated_by_id()
    rows = published_measurements()
    first_tokens = (
        _first_token(row, row.ttft_ms, calibrated[row.id]) for row in rows if row.ttft_ms is not None
    )
    return (*(_figure(row, calibrated.get(row.id)) for row in rows), *first_tokens)


def _calibrated_by_id() -> Mapping[str, _Calibrated]:
    found = {}
    for name, rows in fit_groups().items():
        fit = published_fits()[name]
        left_out = [None] * len(rows) if fit.leave_one_out is None else fit.leave_one_out.tolist()
        for row, predicted, error in zip(rows, fit.predicted_ms.tolist(), left_out, strict=True):
            found[row.id] = _Calibrated(predicted, None if error is None else row.reported * (1.0 + error))
    return found


def _reference(row: PublishedMeasurement) -> float | None:
    """Prediction of the reference model and its arithmetic; None where an input isn't published."""
    sent = sent_bytes(row)
    if row.quantity == "effective_gb_s":
        return row.nominal_gb_s
    if sent is None:
        return None
    if row.quantity == "bytes":
        return sent
    if row.quantity == "offered_gb_s":
        return None if row.span_s is None else sent / row.span_s / BYTES_PER_GB
    return None if row.nominal_gb_s is None else transfer_delay_ms(sent, 1.0, 0.0, row.nominal_gb_s)


def _figure(row: PublishedMeasurement, calibrated: _Calibrated | None) -> Evidence:
    reference = _reference(row)
    how = HOW[row.quantity] if reference is not None else "what a prediction needs is not published"
    return Evidence(
        id=row.id,
        name=row.name,
        deployment=row.deployment,
        quantity=row.quantity,
        tokens=row.tokens,
        reported=row.reported,
        reference=reference,
        calibrated=calibrated and calibrated.predicted_ms,
        calibrated_left_out=calibrated and calibrated.left_out_ms,
        roofline=None,
        fitted=calibrated is not None,
        consistent=row.consistent,
        how=how,
        source=row.source,
        note=row.note,
    )


def _first_token(row: PublishedMeasurement, ttft_ms: float, calibrated: _Calibrated) -> Evidence:
    # a record with a TTFT holds all of these, or it isn't loaded
    tokens, transfer_ms = row.tokens or 0, _reference(row) or 0.0
    ranks = {"prefill_tp": row.tensor_parallel or 0, "decode_tp": row.tensor_parallel or 0}
    deployment = Deployment(id="published", name=row.name, gpu=row.gpu or "", **ranks)
    parts = breakdown(resolve(Workload(model_id=row.model_id or "", prompt_tokens=tokens), deployment))
    passes_ms = float(parts.prefill_ms) + float(parts.decode_step_ms)
    reference = PassTime(polynomial(EMPTY_POOL_TOKENS), polynomial(EMPTY_POOL_TOKENS))
    polynomials_ms = float(reference.prompt_ms(float(tokens), 0.0, REFERENCE_PASS_TOKENS))
    polynomials_ms += float(reference.step_ms(1.0, 0.0))
    return Evidence(
        id=f"{row.id}-ttft",
        name=row.name,
        deployment=row.deployment,
        quantity="ttft_ms",
        tokens=row.tokens,
        reported=ttft_ms,
        reference=polynomials_ms + transfer_ms,
        calibrated=None,
        calibrated_left_out=None,
        roofline=float(client_constants().first_token_ms) + passes_ms + calibrated.predicted_ms,
        fitted=False,
        consistent=row.consistent,
        how=HOW["ttft_ms"],
        source=row.source,
        note=row.note,
    )
