"""Constants of the roofline with a floor: data with units, sources and a date."""

from __future__ import annotations

import csv
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from aisim_model.arrays import Values

DATA = Path(__file__).parent / "data"
CONSTANTS_FILE = DATA / "roofline_constants.csv"
OTHER_ENGINE_FLOOR = 1.0


class Constants(NamedTuple):
    """What was fitted or taken from elsewhere; `roofline_constants.csv` says which, and from where.

    Parameters
    ----------
    layer_us, expert_layer_us : float
        Floor of a layer, and what one with experts adds: launches, norms, routing [us].
    engine_floor : float
        What the engine's floor of all layers is of vLLM's [-].
    collective_us : float
        Start-up of a collective inside a node [us].
    sequence_us : float
        What each decoding sequence of a rank adds to a step: sampling, bookkeeping, its own kernels [us].
    link_share, weight_share, kv_share : float
        Shares of the bandwidth that collectives, weights and the cache reach [-].
    mfu, attention_mfu : float
        Shares of the dense peak that weights and attention reach [-]; attention runs at bf16's.
    exchange_share : float
        Share of the NICs' bandwidth that an exchange between nodes reaches [-].
    expert_imbalance : float
        What the fullest rank's experts have to do of the mean, where they are dealt out whole [-].
    """

    layer_us: Values
    expert_layer_us: Values
    engine_floor: Values
    collective_us: Values
    sequence_us: Values
    link_share: Values
    weight_share: Values
    kv_share: Values
    mfu: Values
    attention_mfu: Values
    exchange_share: Values = 1.0
    expert_imbalance: Values = 1.0


class ClientConstants(NamedTuple):
    """What lies between an engine's passes and a client's clock: never part of a pass.

    Parameters
    ----------
    first_token_ms : float
        From the client through the front end and back, at TTFT [ms].
    burst_share : float
        Share of a pass that each further concurrent request adds to the mean TTFT [-]: half of the opening
        burst's prompts, which are a tenth of all.
    streamed_steps : float
        Steps that a client waits for its first streamed chunk [-]: how the published runs were set.
    """

    first_token_ms: Values
    burst_share: Values
    streamed_steps: Values


@lru_cache(maxsize=1)
def values() -> dict[str, float]:
    """Return every constant by name.

    Examples
    --------
    >>> values()["mfu"]
    0.6
    """
    with CONSTANTS_FILE.open(encoding="utf-8", newline="") as lines:
        return {row["name"]: float(row["value"]) for row in csv.DictReader(lines)}


@lru_cache(maxsize=64)
def constants(engine: str = "vllm") -> Constants:
    """Return the constants for an engine; one that wasn't measured takes vLLM's floor.

    Examples
    --------
    >>> constants("vllm").engine_floor
    1.0
    """
    found = values()
    floor = found.get(f"engine_floor_{engine}", OTHER_ENGINE_FLOOR)
    return Constants(*(floor if name == "engine_floor" else found[name] for name in Constants._fields))


@lru_cache(maxsize=64)
def client_constants(engine: str = "vllm") -> ClientConstants:
    """Return what a client of the published runs saw beside the passes.

    Examples
    --------
    >>> client_constants("vllm").streamed_steps
    0.0
    """
    found = values()
    return ClientConstants(
        found["first_token_ms"], found["burst_share"], found.get(f"streamed_steps_{engine}", 0.0)
    )
