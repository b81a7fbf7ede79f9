"""Workers into rows under the names that a scenario gives them."""

from __future__ import annotations

import re
from typing import Any

from aisim_model import catalog
from aisim_model.errors import InputError
from aisim_model.manifests.parts import Report, Worker
from aisim_model.models.kv_cache import kv_dtype_of
from aisim_model.scenario import Deployment

_QUANTS = ("nvfp4", "mxfp4", "w4a16", "w8a8", "fp8", "fp4", "awq", "gptq", "int4", "int8")
_FORMATS = {
    "nvfp4": "nvfp4",
    "mxfp4": "mxfp4",
    "fp4": "nvfp4",
    "fp8": "fp8",
    "modelopt": "fp8",
    "modelopt_fp4": "nvfp4",
    "int8": "int8",
    "w8a8": "int8",
    "w8a8_int8": "int8",
    "int4": "int4",
    "w4a16": "int4",
    "awq": "int4",
    "awq_marlin": "int4",
    "gptq": "int4",
    "gptq_marlin": "int4",
}
_GPU = re.compile(
    r"(?i)(?<![a-z0-9])(gb300|gb200|b300|b200|h200|h100|h800|h20|a100|a10g|l40s|mi3\d\dx)(?![0-9])"
)
# the row has one number where two sides may differ: the side that it is about
_OF_SIDE = {
    "block_size": "decode",
    "chunk_tokens": "prefill",
    "max_sequences": "decode",
    "kv_pool_share": "decode",
}


def gpu_named(text: str) -> str | None:
    """Return the one kind of GPU that a text names, comments included, or None.

    Examples
    --------
    >>> gpu_named("# 8xH100"), gpu_named("H100 or H200")
    ('H100', None)
    """
    found = {match[1].upper() for match in _GPU.finditer(re.sub(r"(\d)x(?=[A-Za-z])", r"\1 ", text))}
    return found.pop() if len(found) == 1 else None


def rows_of(workers: list[Worker], report: Report, gpu: str | None = None) -> list[dict[str, Any]]:
    """Return rows: one of each pair of sides, one of each aggregated worker.

    Raises
    ------
    InputError
        Where nothing starts an engine.
    """
    if not workers:
        problem = "starts no engine that is known: vLLM, SGLang, TensorRT-LLM"
        raise InputError("deployment", "text", problem, "Paste a manifest or a launch command.")
    prefill = [worker for worker in workers if worker.role == "prefill"]
    decode = [worker for worker in workers if worker.role == "decode"]
    rows = [_row({"prefill": worker}, report, gpu) for worker in workers if worker.role is None]
    for index in range(max(len(prefill), len(decode))):
        sides = {"prefill": prefill[index : index + 1], "decode": decode[index : index + 1]}
        rows.append(_row({name: side[0] for name, side in sides.items() if side}, report, gpu, split=True))
    return rows


def _row(sides: dict[str, Worker], report: Report, gpu: str | None, split: bool = False) -> dict[str, Any]:
    first = next(iter(sides.values()))
    row: dict[str, Any] = {"kind": "split" if split else "aggregated"}
    row["engine"] = "vllm" if first.engine == "mocker" else first.engine
    row |= _model(first, report)
    for side, worker in sides.items():
        row |= {
            f"{side}_workers": worker.count,
            f"{side}_tp": worker.size("tp"),
            f"{side}_pp": worker.size("pp"),
            f"{side}_dp": worker.size("dp"),
            f"{side}_ep": worker.expert_parallel,
            f"{side}_attention_tp": worker.attention_tp,
            f"{side}_attention_dp": worker.attention_dp,
            f"{side}_gpus_per_worker": 0 if worker.engine == "mocker" else worker.gpus,
        }
        for name in (*_OF_SIDE, "prefix_caching", "max_model_len"):
            if name in worker.settings:
                row[f"{side}_{name}"] = worker.settings[name]
        _check_pods(side, worker, report)
        for name in ("pp", "attention_dp", "ep"):
            if row[f"{side}_{name}"] > 1:
                report.say(
                    f"{side} {name}",
                    row[f"{side}_{name}"],
                    None,
                    "not modelled by a row yet; counted in gpus",
                )
    for name, about in _OF_SIDE.items():
        values = {side: w.settings[name] for side, w in sides.items() if name in w.settings}
        if values:
            row[name] = values.get(about if split else "prefill", next(iter(values.values())))
            if len(set(values.values())) > 1:
                report.say(name, values, name, f"a row has one: that of the {about} side")
    for name in ("transfer", "router"):
        if value := next((w.settings[name] for w in sides.values() if name in w.settings), None):
            row[name] = value
    _precisions(row, sides, report)
    row["gpus"] = sum(row[f"{side}_workers"] * row[f"{side}_gpus_per_worker"] for side in sides)
    if gpu:
        row |= _gpu(gpu, report)
    for side in {"prefill", "decode"} - set(sides) if split else ():
        report.say(f"{side} side", None, None, "missing: paste it too; it isn't guessed")
        row["missing"] = side
    _in_bounds(row, report)
    return row


def _model(worker: Worker, report: Report) -> dict[str, Any]:
    names = [str(worker.settings[key]) for key in ("model", "served_name") if worker.settings.get(key)]
    cached = [re.search(r"models--([\w.-]+?)--([\w.-]+)", name) for name in names]
    names += [f"{match[1]}/{match[2]}" for match in cached if match]
    hub = [name for name in names if re.fullmatch(r"[\w.-]+/[\w.-]+", name)]
    name = next(iter(hub or names), None)
    if name is None or re.search(r"[<>{}$]", name):
        report.say("model", name, None, "a placeholder: say which model it is, or give its config.json")
        return {"model": None}
    if name.startswith("/"):
        report.say("model", name, None, "a local path: its last part is taken for the name")
        name = name.rstrip("/").rsplit("/", 1)[-1]
    plain = re.sub(r"[^a-z0-9.]+", "-", name.rsplit("/", 1)[-1].lower().removeprefix("meta-"))
    plain = re.sub(
        r"-(fp8|nvfp4|fp4|mxfp4|dynamic|quantized|w4a16|awq|gptq|int4|instruct|chat|it|0528|0324|hf|\.)(?=-|\.|$)",
        "",
        plain,
    )
    plain = plain.split(".w4a16")[0].replace("llama-3.3-70b", "llama-3.1-70b")
    known = next((one for one in catalog.models() if plain in {one.id, one.name.lower()}), None)
    if known is None:
        report.say("model", name, None, "not in the catalogue: give its config.json")
        return {"model": name}
    report.say("model", name, "model_id", f"{known.name} of the catalogue")
    return {"model": name, "model_id": known.id}


def _precisions(row: dict[str, Any], sides: dict[str, Worker], report: Report) -> None:
    settings = [worker.settings for worker in sides.values()]
    stated = next((str(one["weight_quant"]).lower() for one in settings if one.get("weight_quant")), None)
    named = str(row.get("model") or "").lower()
    quant = stated or next(
        (one for one in _QUANTS if re.search(rf"(?<![a-z0-9]){one}(?![a-z0-9])", named)), None
    )
    if quant:
        row["weight_quant"] = quant
        dtype = _FORMATS.get(quant)
        origin = "stated" if stated else "from the name of the model"
        report.say(
            "weights",
            quant,
            "weight_format" if dtype else None,
            origin if dtype else f"{origin}; no one weight format of a row",
        )
        if dtype:
            row["weight_format"] = dtype
    dtype = next((str(one["kv_dtype"]).lower() for one in settings if one.get("kv_dtype")), None)
    if dtype and dtype != "auto":
        try:
            row["kv_dtype"] = kv_dtype_of(
                {"fp8_e4m3": "fp8", "fp8_e5m2": "fp8", "bfloat16": "bf16"}.get(dtype, dtype)
            ).name
        except InputError as error:
            report.say("kv_dtype", dtype, None, str(error))


def _gpu(gpu: str, report: Report) -> dict[str, Any]:
    wanted = gpu.lower()
    known = next((one for one in catalog.gpus() if one.id == wanted or one.id.startswith(f"{wanted}-")), None)
    why = "named in the text" if known else "named in the text; not in the catalogue"
    report.say("GPU", gpu, "gpu" if known else None, why)
    return {"gpu": known.id} if known else {"gpu_kind": gpu}


def _check_pods(side: str, worker: Worker, report: Report) -> None:
    if worker.pod_gpus is None or worker.engine == "mocker":
        return
    held = worker.pod_gpus * (worker.pods or 1)
    if held != worker.gpus:
        why = f"differs from the {worker.gpus} that the parallel sizes need, which count"
        report.say(f"{side} GPUs of pods", held, None, why)


def _in_bounds(row: dict[str, Any], report: Report) -> None:
    """Take out what a row of a scenario wouldn't hold, and say so."""
    fields = {name: value for name, value in row.items() if name in Deployment.model_fields}
    for name in ("block_size", "chunk_tokens", "max_sequences"):
        if name in fields and not 1 <= fields[name] <= 1_000_000:
            report.say(name, row.pop(name), None, "out of the range of a row")
