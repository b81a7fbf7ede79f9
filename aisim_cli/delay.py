"""`aisim delay`: the reference delay of one handoff."""

from __future__ import annotations

import math
from typing import Annotated

import typer

from aisim_cli.output import print_json
from aisim_model.errors import InputError
from aisim_model.handoff import HandoffTransferTiming, TransferTimingMode, whole_count

SHORTEST_MS = 1e-3  # below it six decimals would leave three digits or fewer


def delay(
    prompt_tokens: Annotated[int, typer.Option(help="Tokens of the prompt.")],
    kv_bytes_per_token: Annotated[int, typer.Option(help="KV bytes of one token.")],
    bandwidth_gb_s: Annotated[
        float, typer.Option(help="What the handoff gets in all, decimal GB/s one way.")
    ],
    mode: Annotated[TransferTimingMode, typer.Option(help="Which tokens are sent.")] = (
        TransferTimingMode.FULL_PROMPT
    ),
    destination_missing_tokens: Annotated[
        int | None, typer.Option(help="Tokens that the decode worker lacks; needed by destination_missing.")
    ] = None,
    state_bytes: Annotated[int, typer.Option(help="Bytes sent once, such as recurrent state.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Time one handoff with the reference model."""
    for field, count in (
        ("prompt_tokens", prompt_tokens),
        ("kv_bytes_per_token", kv_bytes_per_token),
        ("destination_missing_tokens", destination_missing_tokens or 0),
        ("state_bytes", state_bytes),
    ):
        whole_count(field, count)
    if not math.isfinite(bandwidth_gb_s):
        problem = "must be a finite number of GB/s"
        raise InputError(
            "bandwidth_gb_s", bandwidth_gb_s, problem, "Enter one such as 50, which is 400 Gb/s."
        )
    timing = HandoffTransferTiming(
        mode=mode,
        full_prompt_tokens=prompt_tokens,
        kv_bytes_per_token=kv_bytes_per_token,
        bandwidth_gb_s=bandwidth_gb_s,
        state_bytes=state_bytes,
    )
    if mode is TransferTimingMode.DESTINATION_MISSING:
        if destination_missing_tokens is None:
            problem = "is needed in mode destination_missing"
            remedy = "Add --destination-missing-tokens with the tokens that the decode worker lacks."
            raise InputError("destination_missing_tokens", None, problem, remedy)
        tokens = destination_missing_tokens
    else:
        tokens = prompt_tokens
    delay_ms = timing.delay_ms(tokens)
    sent = tokens * kv_bytes_per_token + state_bytes
    reason = None if delay_ms is not None else f"bandwidth_gb_s is {bandwidth_gb_s + 0.0:g}: nothing is sent"
    if as_json:
        found = {"delay_ms": delay_ms, "bytes": sent}
        print_json(found if reason is None else {**found, "reason": reason})
    else:
        print(f"{_written(delay_ms)} ms for {sent:,} bytes" if reason is None else f"no delay: {reason}")


def _written(delay_ms: float | None) -> str:
    """Write a delay to the nanosecond; a shorter one, above 0, in six digits."""
    delay = delay_ms or 0.0
    return f"{delay:.6g}" if 0 < delay < SHORTEST_MS else f"{delay:.6f}"
