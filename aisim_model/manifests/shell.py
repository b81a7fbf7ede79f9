"""Commands in a shell text, read and never run: continuation lines, quotes, comments, variables."""

from __future__ import annotations

import re
from collections.abc import Mapping

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n(.*?)^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)
_VARIABLE = re.compile(r"\$(?:\{(\w+)(?::?-([^}]*))?\}|(\w+))")
_ASSIGN = re.compile(r"^(\w+)=(.*)$", re.DOTALL)


def blocks(text: str) -> list[str]:
    """Return the code blocks of Markdown, or the whole text where there are none."""
    found = [match[2] for match in _FENCE.finditer(text)]
    return found or [text]


def commands(text: str) -> list[list[str]]:
    r"""Return the words of each command; placeholders such as <MODEL> stay words.

    Examples
    --------
    >>> commands("A=1 vllm serve m \\\n  -tp 8  # eight\nls; pwd")
    [['A=1', 'vllm', 'serve', 'm', '-tp', '8'], ['ls'], ['pwd']]
    """
    found: list[list[str]] = [[]]
    word: list[str] | None = None
    quote, at = "", 0
    text = text.replace("\r\n", "\n")
    while at < len(text):
        char = text[at]
        if quote:
            if char == quote:
                quote = ""
            elif char == "\\" and quote == '"' and text[at + 1 : at + 2] in tuple('"\\$`\n'):
                at += 1
                assert word is not None
                word.append(text[at] if text[at] != "\n" else "")
            else:
                assert word is not None
                word.append(char)
        elif char in "'\"":
            quote, word = char, word if word is not None else []
        elif char == "\\" and at + 1 < len(text):
            at += 1
            if text[at] != "\n":
                word = [*(word or []), text[at]]
        elif text.startswith("$((", at) and (end := text.find("))", at)) > 0:
            word = [*(word or []), text[at : end + 2]]
            at = end + 1
        elif char == "<" and (match := re.match(r"<[\w .:/-]+>", text[at:])):
            word = [*(word or []), match[0]]
            at += len(match[0]) - 1
        elif char == "#" and word is None:
            at = text.find("\n", at)
            at = len(text) if at < 0 else at
            continue
        elif char.isspace() or char in ";|&":
            if word is not None:
                found[-1].append("".join(word))
                word = None
            if char in "\n;|&" and found[-1]:
                found.append([])
        else:
            if word is None:
                word = []
            word.append(char)
        at += 1
    if word is not None:
        found[-1].append("".join(word))
    return [one for one in found if one]


def substituted(text: str, known: Mapping[str, str]) -> str:
    """Put known variables in; those that aren't known stay as they are written.

    Examples
    --------
    >>> substituted("$A ${B} ${C:-3}", {"A": "1"})
    '1 ${B} 3'
    """

    def value(match: re.Match[str]) -> str:
        return known.get(match[1] or match[3], match[2] if match[2] is not None else match[0])

    return _VARIABLE.sub(value, text)


def assignment(word: str) -> tuple[str, str] | None:
    """Return name and value of NAME=value, or None."""
    match = _ASSIGN.match(word)
    return (match[1], match[2]) if match else None
