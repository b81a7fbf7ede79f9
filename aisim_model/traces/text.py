"""From bytes to UTF-8 text: byte order marks, UTF-16, Windows exports, and pictures refused."""

from __future__ import annotations

import codecs
import re

from aisim_model.errors import InputError

SIGNATURES = (
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"%PDF", "a PDF document"),
    (b"PAR1", "a Parquet file"),
    (b"\xd0\xcf\x11\xe0", "an old Excel or Word file"),
    (b"SQLite format 3", "an SQLite database"),
    (b"\x7fELF", "a program"),
    (b"\x28\xb5\x2f\xfd", "packed with zstd"),
    (b"BZh", "packed with bzip2"),
    (b"\xfd7zXZ", "packed with xz"),
)
# UTF-32 first: its little-endian mark starts with that of UTF-16.
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
SAMPLE_BYTES = 4096
BLANKS = re.compile(rb"\s*")
REMEDY = "Upload a trace as CSV or JSON lines, plain or in gz or zip."


def utf8_text(data: bytes, name: str) -> tuple[bytes, str]:
    """Return a file's text in UTF-8 without a byte order mark, and the encoding it was in.

    Parameters
    ----------
    data : bytes
        Contents, unpacked.
    name : str
        What to call it in a message.

    Returns
    -------
    tuple of bytes and str
        Text in UTF-8, and the encoding found.

    Raises
    ------
    InputError
        For an empty file, a picture and whatever else is no text.

    Examples
    --------
    >>> utf8_text("a,b".encode("utf-16"), "t.csv")
    (b'a,b', 'utf-16')
    """
    if not data or data.isspace():
        raise InputError("trace", name, "is empty", REMEDY)
    for signature, kind in SIGNATURES:
        if data.startswith(signature):
            raise InputError("trace", name, f"is {kind}, not a trace", REMEDY)
    encoding = _encoding(data)
    if encoding == "utf-8" and data.isascii():
        text = data
    else:
        text, encoding = _recoded(data, encoding, name)
    if b"\x00" in text:
        raise InputError("trace", name, "is not text: it has NUL bytes", REMEDY)
    if not text or text.isspace():
        raise InputError("trace", name, "is empty", REMEDY)
    return _with_line_feeds(text), encoding


def first_character(text: bytes) -> int:
    r"""Return where the first character stands that is no blank, the length of the text where none is.

    Examples
    --------
    >>> first_character(b" \n a")
    3
    """
    blank = BLANKS.match(text)
    return blank.end() if blank else 0


def first_line(text: bytes) -> tuple[int, int]:
    r"""Return where the first line with something on it begins, and its number.

    Examples
    --------
    >>> first_line(b" \n\n  a")
    (3, 3)
    """
    begin = text.rfind(b"\n", 0, first_character(text)) + 1
    return begin, text.count(b"\n", 0, begin) + 1


def _with_line_feeds(text: bytes) -> bytes:
    """Return a text whose lines end in returns alone, as old Macintosh files have them, with line feeds."""
    return text if b"\n" in text else text.replace(b"\r", b"\n")


def _encoding(data: bytes) -> str:
    for mark, encoding in MARKS:
        if data.startswith(mark):
            return encoding
    sample = data[:SAMPLE_BYTES]
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if half and odd > 0.8 * half and not even:
        return "utf-16-le"
    if half and even > 0.8 * half and not odd:
        return "utf-16-be"
    return "utf-8"


def _recoded(data: bytes, encoding: str, name: str) -> tuple[bytes, str]:
    try:
        return data.decode(encoding).encode(), encoding
    except UnicodeError as error:  # half of a surrogate pair fails to encode again
        if encoding != "utf-8":
            raise InputError("trace", name, f"starts like {encoding} but is not", REMEDY) from error
    try:
        return data.decode("cp1252").encode(), "windows-1252"
    except UnicodeDecodeError as error:
        raise InputError("trace", name, "is not text in UTF-8, UTF-16 or Windows-1252", REMEDY) from error
