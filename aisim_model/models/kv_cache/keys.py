"""The keys of a config.json, read with their types and bounds, old and new names as one."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from aisim_model.errors import InputError

LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "num_transformer_layers")
HIDDEN = ("hidden_size", "n_embd", "n_embed", "d_model", "model_dim", "dim")
HEADS = ("num_attention_heads", "n_head", "n_heads", "attention_heads", "num_heads")
KV_HEADS = (
    "num_key_value_heads",
    "num_kv_heads",
    "n_kv_heads",
    "n_head_kv",
    "num_query_groups",
    "num_attention_groups",
    "num_multi_query_heads",
)
WINDOWS = (
    "sliding_window",
    "attention_window_size",
    "window_size",
    "sliding_window_size",
    "local_attention",
    "swa_window_size",
    "swa_window",
    "sliding_window_len",
    "sliding_window_length",
    "sliding_attention_window",
    "local_window_size",
    "local_attention_window",
    "local_attn_window",
    "local_window",
    "attention_window",
    "attn_window_size",
)
POSITIONS = (
    "max_position_embeddings",
    "n_positions",
    "n_ctx",
    "max_seq_len",
    "seq_length",
    "max_sequence_length",
    "model_max_length",
)
MTP = ("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules")
WEAK = ("dim", "model_dim")  # names that mean other things where a better one is there
MAX_LAYERS = 10_000
MAX_SIZE = 10**9
MAX_POSITIONS = 10**12
MAX_FIELD, MAX_PROBLEM = 120, 600  # characters of a sentence, for keys are of any length
NO_DEFAULTS: Mapping[str, Any] = MappingProxyType({})


def cut(text: str, most: int) -> str:
    """Return a text of at most so many characters.

    Examples
    --------
    >>> cut("num_hidden_layers", 5)
    'num_…'
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"


class ConfigError(InputError):
    """A config.json that can't be turned into a byte curve, and why: it names the key and its value."""

    def __init__(self, field: str, value: object, problem: str, remedy: str = "") -> None:
        field, problem = cut(field, MAX_FIELD), cut(problem, MAX_PROBLEM)
        try:
            super().__init__(field, value, problem, remedy)
        except RecursionError:  # json reads a little deeper than Python can print
            super().__init__(field, "a value nested very deep", problem, remedy)


class Keys:
    """Typed reading of one config, remembering what it assumed.

    Parameters
    ----------
    config : Mapping
        The text model's keys.
    path : str
        Where they stand in the file, such as ``text_config.``.
    defaults : Mapping
        What the model's class takes for keys that the file leaves out.
    outer : Mapping
        The whole file, where the text model's keys are nested in it.

    Examples
    --------
    >>> Keys({"n_layer": 12}).whole(*LAYERS)
    12
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        path: str = "",
        defaults: Mapping[str, Any] = NO_DEFAULTS,
        outer: Mapping[str, Any] = NO_DEFAULTS,
    ) -> None:
        self.config, self.path, self.defaults, self.outer = config, path, defaults, outer
        self.notes: list[str] = []
        self.asked: set[str] = set()  # names that a family looked for

    @property
    def model_type(self) -> str:
        """The class that the config names, its own or the default's; empty where it names none."""
        value = self.config.get("model_type") or self.defaults.get("model_type") or ""
        return value if isinstance(value, str) else ""

    @property
    def dtype_bytes(self) -> int:
        """Bytes of one element in the model's own dtype [B]; 2 where it isn't a 32-bit one."""
        names = ("dtype", "torch_dtype")
        declared = [
            source[name] for source in (self.config, self.outer) for name in names if source.get(name)
        ]
        return 4 if declared[:1] == ["float32"] else 2

    def has(self, *names: str) -> bool:
        """Whether the file itself declares any of the names, null not counted."""
        self.asked.update(names)
        return any(self.config.get(name) is not None for name in names)

    def note(self, sentence: str) -> None:
        """Remember a sentence for the person."""
        self.notes.append(sentence)

    def raw(self, *names: str) -> Any:
        """Value of the first name that has one, else the class default of the first name, which is said."""
        self.asked.update(names)
        for name in names:
            if self.config.get(name) is not None:
                return self.config[name]
        name = names[0]
        if not any(other in self.config for other in names) and self.defaults.get(name) is not None:
            value = self.defaults[name]
            kind = self.defaults["model_type"]
            self.note(f"{name} is not in the config: {value} is the default of the class {kind}.")
            return value
        return None

    def replaced(self, own: Mapping[str, Any]) -> Keys:
        """Return the keys with other values in place of some, in the same place of the file."""
        found = Keys({**self.config, **own}, self.path, self.defaults, self.outer)
        found.notes, found.asked = self.notes, self.asked
        return found

    def whole(self, *names: str, low: int = 1, high: int = MAX_SIZE) -> int | None:
        """Return a whole number under any of its names; refuse by name where two of them differ."""
        self.asked.update(names)
        found = {
            name: self.checked(name, self.config[name], low, high)
            for name in names
            if self.config.get(name) is not None
        }
        for name, value in found.items():
            first = next(iter(found))
            if value != found[first] and name not in WEAK:
                raise self.contradiction(name, value, f"{first} = {found[first]}")
        if found:
            return next(iter(found.values()))
        default = self.raw(*names)
        return None if default is None else self.checked(names[0], default, low, high)

    def positions(self) -> int | None:
        """Longest prompt that the config names [-]: the first of the names, which may well differ."""
        for name in POSITIONS:
            if self.config.get(name) is not None:
                return self.checked(name, self.config[name], high=MAX_POSITIONS)
        return None

    def need(self, *names: str, what: str, high: int = MAX_SIZE) -> int:
        """As `whole`, but a question that names the key where it is missing."""
        value = self.whole(*names, high=high)
        if value is None:
            raise self.missing(names[0], what)
        return value

    def check_sizes(self) -> None:
        """Refuse sizes that can't be, also where this family has no use for them."""
        latent = self.has(
            "kv_lora_rank"
        )  # which has no use for a head's size, and may have none that rotates
        for names in (HIDDEN, HEADS, KV_HEADS, WINDOWS[:2], ("kv_lora_rank",), ("head_dim",)):
            off = "sliding_window" in names and self.config.get("use_sliding_window") is False
            off = off or (latent and "head_dim" in names)
            for name in names:
                value = self.config.get(name)
                if value is not None and not isinstance(value, list | Mapping):
                    self.checked(name, value, low=0 if off else 1)

    def flag(self, name: str) -> bool | None:
        """Return a true or false value, None where it is not declared."""
        value = self.raw(name)
        if value is None or isinstance(value, bool):
            return value
        raise self.refused(name, value, "must be true or false")

    def items(self, name: str) -> list[Any] | None:
        """Return a list, None where it is not declared."""
        value = self.raw(name)
        if value is None:
            return None
        if isinstance(value, list | tuple) and len(value) <= MAX_LAYERS * 2:
            return list(value)
        raise self.refused(name, value, f"must be a list of at most {MAX_LAYERS * 2:,} entries")

    def text(self, name: str) -> str | None:
        """Return a string, None where it is not declared."""
        value = self.raw(name)
        if value is None or isinstance(value, str):
            return value
        raise self.refused(name, value, "must be a text")

    def sub(self, name: str) -> Keys:
        """Keys of a nested object; without keys where it is not declared."""
        value = self.raw(name)
        if value is not None and not isinstance(value, Mapping):
            raise self.refused(name, value, "must be an object")
        found = Keys(value or NO_DEFAULTS, f"{self.path}{name}.", outer=self.outer)
        found.notes = self.notes
        return found

    def checked(self, name: str, value: object, low: int = 1, high: int = MAX_SIZE) -> int:
        """Return a value as a whole number, or refuse it by name."""
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        raise self.refused(name, value, f"must be a whole number from {low:,} to {high:,}")

    def refused(self, name: str, value: object, problem: str) -> ConfigError:
        """Return the error for a value that can't be."""
        return ConfigError(self.path + name, value, problem, "Correct the key, or choose another file.")

    def missing(self, name: str, what: str) -> ConfigError:
        """Return the question for a key that is not there."""
        problem = f"is not in the config, so {what} can't be told"
        return ConfigError(self.path + name, None, problem, "Add the key, with the value the model has.")

    def contradiction(self, name: str, value: object, other: str) -> ConfigError:
        """Return the error for two keys that can't both hold."""
        remedy = "Correct the one that is wrong."
        return ConfigError(self.path + name, value, f"contradicts {self.path}{other}", remedy)
