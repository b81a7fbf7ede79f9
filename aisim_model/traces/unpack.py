"""A file's bytes: read, and unpacked from gzip or zip, never past a bound on memory."""

from __future__ import annotations

import io
import os
import stat
import zipfile
import zlib
from pathlib import Path
from typing import IO

from aisim_model.errors import InputError

MAX_BYTES = 1_000_000_000
CHUNK_BYTES = 1 << 20
# A trace packs to a twentieth; what packs five times better than that is not one.
BOMB_FREE_BYTES = 64_000_000
BOMB_RATIO = 100
MOST_MEMBERS = 1_000


def file_bytes(source: bytes | str | os.PathLike[str], name: str, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the bytes of an upload or a file, as they lie there.

    Parameters
    ----------
    source : bytes or path
        Contents, or where they are.
    name : str
        What to call it in a message.
    max_bytes : int
        The most that is read [B].

    Raises
    ------
    InputError
        For a path that is no readable file, and for more than `max_bytes`.
    """
    if isinstance(source, bytes):
        data = source
    else:
        try:
            status = os.stat(source)
            if not stat.S_ISREG(status.st_mode):
                raise InputError("trace", name, "is not a file", "Give the path of a trace file.")
            _check_size(status.st_size, name, max_bytes)
            data = Path(source).read_bytes()
        except (OSError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            reason = getattr(error, "strerror", None) or "no such path"
            raise InputError("trace", name, f"can't be read: {reason}", "Check the path.") from error
    _check_size(len(data), name, max_bytes)
    return data


def unpacked(data: bytes, name: str, max_bytes: int = MAX_BYTES) -> tuple[bytes, str | None]:
    """Unpack gzip or zip, told by the first bytes; other bytes are returned as they are.

    Parameters
    ----------
    data : bytes
        What was uploaded.
    name : str
        What to call it in a message.
    max_bytes : int
        The most that may come out [B].

    Returns
    -------
    tuple of bytes and str or None
        The contents, and what they were packed with.

    Raises
    ------
    InputError
        For a broken or encrypted archive, one with several files, and one that unpacks to too much.

    Examples
    --------
    >>> import gzip
    >>> unpacked(gzip.compress(b"a,b"), "t.csv.gz")
    (b'a,b', 'gzip')
    """
    try:
        if data[:2] == b"\x1f\x8b":
            return _gunzipped(data, name, max_bytes), "gzip"
        if data[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
            return _unzipped(data, name, max_bytes), "zip"
    # RuntimeError is how zipfile refuses an encrypted member, NotImplementedError an unknown packing
    except (EOFError, OSError, zlib.error, zipfile.BadZipFile, RuntimeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        problem = f"is a packed file that can't be unpacked ({error})"
        raise InputError("trace", name, problem, "Pack it again, or upload it unpacked.") from error
    return data, None


def _gunzipped(data: bytes, name: str, max_bytes: int) -> bytes:
    out = io.BytesIO()
    rest = data
    while rest[:2] == b"\x1f\x8b":  # members may follow each other
        member = zlib.decompressobj(wbits=31)
        while not member.eof:
            out.write(member.decompress(rest, CHUNK_BYTES))
            _check_growth(out.tell(), len(data), name, max_bytes)
            if not member.eof and not member.unconsumed_tail and not member.unused_data:
                raise EOFError("it ends too early")
            rest = member.unused_data if member.eof else member.unconsumed_tail
    return out.getvalue()


def _unzipped(data: bytes, name: str, max_bytes: int) -> bytes:
    if (members := _members(data)) > MOST_MEMBERS:  # before the list of them is built
        problem = f"is a zip with {members:,} files; one is wanted"
        raise InputError("trace", name, problem, "Pack the trace alone.")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = [item for item in archive.infolist() if not item.is_dir() and _is_data(item.filename)]
        if len(files) != 1:
            inside = ", ".join(item.filename for item in files[:5]) or "nothing"
            problem = f"is a zip with {len(files):,} files ({inside}); one is wanted"
            raise InputError("trace", name, problem, "Pack the trace alone.")
        _check_growth(files[0].file_size, len(data), name, max_bytes)
        with archive.open(files[0]) as member:
            return _read_bounded(member, len(data), name, max_bytes)


def _members(data: bytes) -> int:
    """Return how many members a zip says that it has, or has at its end where they are more."""
    end = data.rfind(b"PK\x05\x06")
    if end < 0 or end + 12 > len(data):
        return 0
    said = int.from_bytes(data[end + 10 : end + 12], "little")
    return max(said, data.count(b"PK\x01\x02", max(0, end - 64 * MOST_MEMBERS * 46), end))


def _is_data(filename: str) -> bool:
    """Whether a member is more than what an archiver adds on its own."""
    return not filename.startswith("__MACOSX/") and not filename.rsplit("/", 1)[-1].startswith(".")


def _read_bounded(member: IO[bytes], packed_bytes: int, name: str, max_bytes: int) -> bytes:
    out = io.BytesIO()
    while chunk := member.read(CHUNK_BYTES):
        out.write(chunk)
        _check_growth(out.tell(), packed_bytes, name, max_bytes)
    return out.getvalue()


def _check_growth(unpacked_bytes: int, packed_bytes: int, name: str, max_bytes: int) -> None:
    _check_size(unpacked_bytes, name, max_bytes)
    if unpacked_bytes > BOMB_FREE_BYTES and unpacked_bytes > BOMB_RATIO * packed_bytes:
        problem = f"unpacks to more than {BOMB_RATIO} times its {packed_bytes:,} bytes, as no trace does"
        raise InputError("trace", name, problem, "Upload it unpacked if it is one.")


def _check_size(size_bytes: int, name: str, max_bytes: int) -> None:
    if size_bytes > max_bytes:
        problem = f"holds more than the {max_bytes / 1e6:,.0f} MB that are read"
        raise InputError("trace", name, problem, "Cut out a part of it.")
