"""NVIDIA's measured operators: what aiconfigurator-core says of a pass, asked directly.

Its database holds times of single operators on a GPU by an engine's kernels; a pass is their sum. A mixed
pass runs all that isn't attention once over prompt and sequences, and the attention of each apart.

Source: PyPI aiconfigurator-core 0.12.0 (Apache-2.0, NVIDIA Corporation & Affiliates), wheels for Linux and
macOS on arm64, Python 3.11 to 3.13. It is imported when it is asked for the first time.
"""

from __future__ import annotations

import csv
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from types import MappingProxyType
from typing import Any, NamedTuple

from aisim_model.errors import InputError

PACKAGE, VERSION = "aiconfigurator-core", "0.12.0"
# of the engines whose kernels were measured, the versions that it ships
ENGINE_VERSIONS = MappingProxyType({"vllm": "0.24.0", "sglang": "0.5.14", "trtllm": "1.3.0rc20"})
SYSTEMS = MappingProxyType(
    {
        "a100-80": "a100_sxm",
        "h100-sxm": "h100_sxm",
        "h200": "h200_sxm",
        "b200": "b200_sxm",
        "b300": "b300_sxm",
        "gb200": "gb200",
        "gb300": "gb300",
        "l40s": "l40s",
        "rtx-pro-6000": "rtx_pro_6000_server",
    }
)
# formats of dense and of expert weights to try, in this order: fp8 mixtures are mostly scaled by blocks
QUANTISED: MappingProxyType[str, tuple[tuple[str | None, str | None], ...]] = MappingProxyType(
    {
        "bf16": (("bfloat16", "bfloat16"),),
        "fp8": (("fp8", "fp8_block"), ("fp8", "fp8"), ("fp8_block", "fp8_block")),
        "fp4": (("nvfp4", "nvfp4"),),
        "int4": ((None, None), ("int4_wo", "int4_wo")),
    }
)
MOST_ENGINES = 6  # kept at a time; a system's tables take up to 0.5 GB, which its engines share


class Operators(NamedTuple):
    """One worker as the operators' database knows it.

    Parameters
    ----------
    model, system, backend : str
        Its model by the database's name, GPU, and engine.
    tensor_parallel, data_parallel : int
        Ranks of attention and of dense layers, and groups of them [-].
    expert_tensor_parallel, expert_parallel : int
        Ranks that share an expert, and groups of experts [-].
    formats : tuple of (str or None, str or None)
        Formats of dense and expert weights to try, by the database's names; None is the checkpoint's.
    """

    model: str
    system: str
    backend: str
    tensor_parallel: int
    data_parallel: int
    expert_tensor_parallel: int
    expert_parallel: int
    formats: tuple[tuple[str | None, str | None], ...]


def why_not_installed() -> str | None:
    """Say why the database can't be asked here, None where it can.

    Examples
    --------
    >>> why_not_installed() is None or "aiconfigurator-core 0.12.0" in why_not_installed()
    True
    """
    try:
        found = version(PACKAGE)
    except PackageNotFoundError:
        wheels = "for Linux and for macOS on arm64, Python 3.11 to 3.13"
        return f"{PACKAGE} {VERSION} isn't installed: it comes {wheels}"
    return None if found == VERSION else f"{PACKAGE} {found} is installed, and {VERSION} is needed"


@cache
def _models() -> dict[str, tuple[str, bool]]:
    """Return the database's name of each model, and whether the checkpoint itself says its format."""
    text = (files("aisim_model.passes") / "data" / "operator_models.csv").read_text(encoding="utf-8")
    return {
        row["model_id"]: (row["path"], bool(row["quantised"])) for row in csv.DictReader(text.splitlines())
    }


def operators(
    model_id: str | None,
    gpu: str,
    engine: str,
    precision: str,
    tensor_parallel: int,
    data_parallel: int = 1,
    experts: tuple[int, int] | None = None,
) -> Operators:
    """Return a worker as the database knows it.

    Parameters
    ----------
    model_id : str or None
        Of the catalogue; None for a model of one's own.
    gpu, engine : str
        Of the catalogue, and an engine's profile.
    precision : str
        Of the weights.
    tensor_parallel, data_parallel : int
        Ranks, and groups of them [-].
    experts : tuple of (int, int), optional
        Ranks that share an expert, and groups of experts [-]; all ranks share each where left out.

    Raises
    ------
    InputError
        For what the database doesn't have.

    Examples
    --------
    >>> operators("qwen3-32b", "h200", "vllm", "bf16", 4).model
    'Qwen/Qwen3-32B'
    """
    remedy = "Choose another pass-time model, such as roofline."
    if model_id not in _models():
        problem = f"is not among the models that {PACKAGE} {VERSION} knows by name"
        raise InputError("model", model_id or "your own", problem, remedy)
    if gpu not in SYSTEMS:
        raise InputError("gpu", gpu, f"is not among the GPUs that {PACKAGE} {VERSION} has measured", remedy)
    if engine not in ENGINE_VERSIONS:
        raise InputError("engine", engine, f"is not among the engines of {PACKAGE} {VERSION}", remedy)
    if precision not in QUANTISED:
        problem = f"is a format that {PACKAGE} {VERSION} has no operators for"
        raise InputError("precision", precision, problem, remedy)
    path, in_checkpoint = _models()[model_id]
    formats = ((None, None),) if in_checkpoint else QUANTISED[precision]
    shared, groups = experts or (tensor_parallel * data_parallel, 1)
    return Operators(path, SYSTEMS[gpu], engine, tensor_parallel, data_parallel, shared, groups, formats)


class OperatorTimes:
    """Times of one worker's passes, each a sum over measured operators [ms].

    Parameters
    ----------
    handle : object
        The database's estimator of the worker.
    """

    def __init__(self, handle: Any) -> None:
        self._handle = handle

    def prompt_ms(self, new_tokens: int, cached_tokens: int = 0) -> float:
        """Time of a pass of one prompt."""
        with _quiet():
            return float(self._handle.predict_prefill_latency(1, new_tokens + cached_tokens, cached_tokens))

    def step_ms(self, sequences: float, context_tokens: float) -> float:
        """Time of a decode step of so many sequences a rank; between whole ones on the line."""
        few = max(int(sequences), 1)
        with _quiet():
            found = float(self._handle.decode_step_latency(few, int(context_tokens), 2))
            if sequences <= few:
                return found
            more = float(self._handle.decode_step_latency(few + 1, int(context_tokens), 2))
        return found + (sequences - few) * (more - found)

    def mixed_parts_ms(
        self, new_tokens: int, cached_tokens: int, sequences: int, context_tokens: int
    ) -> tuple[float, float, float]:
        """Time of a mixed pass: all but attention, attention of the prompt, and of the sequences."""
        prompt = new_tokens + cached_tokens
        beyond = max(2 * (context_tokens - prompt), 2)
        with _quiet():
            parts = self._handle.mixed_step_breakdown(new_tokens, sequences, prompt, beyond, cached_tokens)
        return parts[1], parts[2], parts[3]

    def mixed_ms(self, new_tokens: int, sequences: float, context_tokens: float) -> float:
        """Time of a pass of a prompt and of sequences beside it; between whole ones on the line."""
        few = int(sequences)
        found = sum(self.mixed_parts_ms(new_tokens, 0, few, int(context_tokens)))
        if sequences == few:
            return found
        more = sum(self.mixed_parts_ms(new_tokens, 0, few + 1, int(context_tokens)))
        return found + (sequences - few) * (more - found)


@lru_cache(maxsize=MOST_ENGINES)
def operator_times(worker: Operators) -> OperatorTimes:
    """Return the times of a worker, in the first of its formats that the database has.

    Raises
    ------
    InputError
        Where it has none, or isn't installed.

    Notes
    -----
    The first worker of a system takes 1 to 3 s.
    """
    if reason := why_not_installed():
        raise InputError("aiconfigurator", worker.model, f"can't be asked: {reason}", "Choose roofline.")
    problem = ""
    for dense, experts in worker.formats:
        try:
            with _quiet():
                found = OperatorTimes(_handle(worker, dense, experts))
                found.step_ms(1, 1024)
                found.prompt_ms(1024)
        except Exception as error:  # it raises whatever its data lacks in errors of many kinds
            problem = problem or _first_words(error)
        else:
            return found
    raise InputError(
        "aiconfigurator",
        f"{worker.model} on {worker.system}",
        f"has no measured operators in {PACKAGE} {VERSION} ({problem})",
        "Choose another pass-time model, such as roofline.",
    )


def _first_words(error: Exception) -> str:
    return " ".join(str(error).split())[:120] or type(error).__name__


def _handle(worker: Operators, dense: str | None, experts: str | None) -> Any:
    from aiconfigurator_core._aiconfigurator_core import engine_spec_bincode_from_json
    from aiconfigurator_core.sdk.config_builders import build_model_config
    from aiconfigurator_core.sdk.engine import EngineHandle, build_engine_spec_json
    from aiconfigurator_core.sdk.models import get_model
    from aiconfigurator_core.sdk.models.helpers import resolve_context_fmha_by_data, resolve_nvfp4_for_system
    from aiconfigurator_core.sdk.perf_database import get_database_view

    backend, built = worker.backend, ENGINE_VERSIONS[worker.backend]
    config = build_model_config(
        worker.tensor_parallel,
        1,
        worker.data_parallel,
        worker.expert_tensor_parallel,
        worker.expert_parallel,
        gemm_quant_mode=dense,
        moe_quant_mode=experts,
    )
    database = get_database_view(worker.system, backend, built)
    resolve_context_fmha_by_data(config, worker.model, database, backend, is_context_role=True)
    resolve_nvfp4_for_system(config, worker.system, worker.model, backend_name=backend)
    spec = build_engine_spec_json(
        get_model(worker.model, config, backend),
        model_path=worker.model,
        system=worker.system,
        backend=backend,
        backend_version=built,
        kv_block_size=None,
        systems_path=None,
        nextn=0,
        database=database,
    )
    return EngineHandle(bytes(engine_spec_bincode_from_json(spec)))


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep its many warnings out of the log: they say which operators are measured on a neighbour."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)
