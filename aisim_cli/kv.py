"""`aisim kv`: the KV byte curve of models, from their config.json files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from aisim_cli.output import print_json, print_table
from aisim_model.errors import InputError
from aisim_model.handoff import whole_count
from aisim_model.models.kv_cache import MlaCopies, WindowLayers, kv_dtype_of, read_config
from aisim_model.models.kv_cache.document import MAX_CONFIG_BYTES, parse, too_large
from aisim_model.models.kv_cache.dtypes import OWN
from aisim_model.models.kv_cache.wire import checked_ranks
from aisim_model.plain_text import printable


def kv(
    configs: Annotated[list[Path], typer.Argument(metavar="CONFIG...", help="Files config.json of models.")],
    kv_dtype: Annotated[str, typer.Option(help=f"Precision of the KV cache: a name, or {OWN}.")] = "bf16",
    tensor_parallel: Annotated[int, typer.Option(help="Ranks of the decode worker.")] = 1,
    pipeline_parallel: Annotated[int, typer.Option(help="Stages of the decode worker.")] = 1,
    tokens: Annotated[int, typer.Option(help="Tokens of the prompt.")] = 8192,
    window_layers: Annotated[
        WindowLayers, typer.Option(help="Whether window layers keep their window, or all tokens.")
    ] = "window",
    mla_copies: Annotated[
        MlaCopies, typer.Option(help="How often an MLA latent is sent: for each decode rank, or once.")
    ] = "per_rank",
    mtp_layers: Annotated[
        bool, typer.Option("--mtp-layers", help="Count layers for multi-token prediction too.")
    ] = False,
    quant_config: Annotated[
        Path | None, typer.Option(help="A hf_quant_config.json; the KV dtype in it is noted, not applied.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list, one object a file.")] = False,
) -> None:
    """Size the KV cache of models, from their config.json files."""
    kv_dtype_of(kv_dtype)
    whole_count("tokens", tokens)
    checked_ranks("tensor_parallel", tensor_parallel)
    checked_ranks("pipeline_parallel", pipeline_parallel)
    quant = None if quant_config is None else parse(_bytes(quant_config))

    def sized(file: Path) -> dict[str, Any]:
        layout = read_config(_bytes(file), mtp_layers=mtp_layers, kv_quant=quant)
        layout.checked_stages("pipeline_parallel", pipeline_parallel)
        curve = layout.curve(kv_dtype, window_layers)
        wire = layout.wire(
            kv_dtype,
            tokens,
            decode_tp=tensor_parallel,
            decode_pp=pipeline_parallel,
            window_layers=window_layers,
            mla_copies=mla_copies,
        )
        cross = curve.cross_attention
        return {
            "growing_bytes_per_token": curve.growing_bytes_per_token,
            "indexer_bytes_per_token": curve.indexer_bytes_per_token,
            "windowed": [
                {"bytes_per_token": window.bytes_per_token, "window": window.window_tokens}
                for window in curve.windowed
            ],
            "constant_bytes": curve.constant_bytes,
            "cross_attention": cross
            and {
                "bytes_per_source_token": cross.bytes_per_source_token,
                "source_tokens": cross.source_tokens,
                "bytes": cross.bytes,
            },
            "kv_bytes": wire.unique_bytes,
            "wire_bytes": wire.wire_bytes,
            "bytes_per_rank": wire.bytes_per_rank,
            "notes": list(layout.notes),
        }

    rows = [_row(file, sized) for file in configs]
    if as_json:
        print_json(rows)
    else:
        _print(rows, tokens)
    if all("error" in row for row in rows):
        raise typer.Exit(1)


def _row(file: Path, sized: Callable[[Path], dict[str, Any]]) -> dict[str, Any]:
    """Size one file; one that is refused says why, and the others go on."""
    try:
        return {"file": str(file), **sized(file)}
    except InputError as error:
        return {"file": str(file), "error": str(error)}


def _bytes(file: Path) -> bytes:
    """Read a file of bounded size."""
    try:
        if (size := file.stat().st_size) > MAX_CONFIG_BYTES:
            raise too_large(size)
        with file.open("rb") as stream:
            return stream.read(MAX_CONFIG_BYTES + 1)
    except OSError as error:
        problem = f"can't be read ({error.strerror or error})"
        raise InputError("file", str(file), problem, "Give the path of a config.json.") from None


def _print(rows: list[dict[str, Any]], tokens: int) -> None:
    """Print a table of a line a file; beneath it what was assumed, and what couldn't be read."""
    if sizes := [_cells(row, tokens) for row in rows if "error" not in row]:
        print_table(sizes)
    for row in rows:
        for said in row.get("notes", [row.get("error")]):
            print(printable(f"{row['file']}: {said}"))


def _cells(row: dict[str, Any], tokens: int) -> dict[str, Any]:
    windows = " + ".join(f"{item['bytes_per_token']:,} x {item['window']:,}" for item in row["windowed"])
    return {
        "file": row["file"],
        "B/token": row["growing_bytes_per_token"],
        "indexer": row["indexer_bytes_per_token"],
        "window layers": windows or "none",
        "constant": row["constant_bytes"],
        "cross-attention": _cross(row["cross_attention"]),
        f"at {tokens:,}": row["kv_bytes"],
        "on the wire": row["wire_bytes"],
        "per rank": row["bytes_per_rank"],
    }


def _cross(cross: dict[str, Any] | None) -> str:
    if cross is None:
        return "none"
    known = cross["bytes"]
    return f"{cross['bytes_per_source_token']:,} a source token" if known is None else f"{known:,}"
