"""One address, as many server processes as there are cores: connections are handed to their visitor's.

A visitor's process is named in a cookie. This process reads no more of a connection than its first request,
without taking it from the socket, and gives the socket itself to the process: nothing is copied afterwards.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import signal
import socket
import subprocess
import sys
import time
import zlib
from dataclasses import dataclass, field
from itertools import count

HEAD_BYTES = 65_536
HEAD_S = 10.0  # a connection that has asked nothing until then is closed
LOOK_S = 0.01
RESTART_S = 1.0
COOKIE = "aisim_process"
_NAMED = re.compile(rb"\r\ncookie:[^\r]*\b" + COOKIE.encode() + rb"=(\d{1,4})\b", re.IGNORECASE)
_FORWARDED = re.compile(rb"\r\nx-forwarded-for: *([^\r]*)", re.IGNORECASE)
_METRICS = re.compile(rb"[A-Z]+ \S*/metrics\?process=(\d{1,4}) ")
_PAGE = re.compile(rb"GET [^\r]*\r\n(?:[^\r]+\r\n)*?accept:[^\r]*text/html", re.IGNORECASE)


def process_of(head: bytes, address: str, processes: int, turn: int) -> int:
    """Return the process that a request's head goes to.

    Examples
    --------
    >>> process_of(b"GET / HTTP/1.1\\r\\ncookie: aisim_process=1\\r\\n", "192.0.2.1", 4, turn=7)
    1
    >>> process_of(b"GET / HTTP/1.1\\r\\nAccept: text/html\\r\\n", "192.0.2.1", 4, turn=7)
    3
    """
    named = _METRICS.match(head) or _NAMED.search(head)
    if named and (found := int(named[1])) < processes:
        return found
    if _PAGE.match(head):  # a new visitor: the next process
        return turn % processes
    # one who keeps no cookies, embedded somewhere, or a machine: all that comes from there goes to one
    forwarded = _FORWARDED.search(head)
    return zlib.crc32(forwarded[1] if forwarded else address.encode()) % processes


@dataclass
class Process:
    """A server process and the channel that connections go to it by."""

    number: int
    of: int
    channel: socket.socket = field(init=False)
    running: subprocess.Popen[bytes] = field(init=False)
    started_s: float = field(init=False)

    def start(self) -> Process:
        """Start it, for the first time or again."""
        self.channel, theirs = socket.socketpair()
        self.channel.setblocking(False)
        with theirs:
            command = [sys.executable, "-m", "aisim_ui.hosting.handed"]
            self.running = subprocess.Popen(
                [*command, str(theirs.fileno()), str(self.number), str(self.of)], pass_fds=[theirs.fileno()]
            )
        self.started_s = time.monotonic()
        return self

    def watch(self) -> None:
        """Start it again where it has ended, but not in a hurry."""
        if self.running.poll() is not None and time.monotonic() - self.started_s > RESTART_S:
            self.channel.close()
            self.start()

    def stop(self, within_s: float) -> None:
        """Ask it to end, and end it where it doesn't."""
        try:
            self.running.wait(timeout=within_s)
        except subprocess.TimeoutExpired:
            self.running.kill()
            self.running.wait()
        self.channel.close()


async def hand_out(listening: socket.socket, processes: list[Process]) -> None:
    """Hand each connection to its process, until told to stop."""
    loop, stopping = asyncio.get_running_loop(), asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stopping.set)
    listening.setblocking(False)
    turns, handing = count(), set[asyncio.Task[None]]()

    async def accept() -> None:
        while True:
            try:
                connection, address = await loop.sock_accept(listening)
            except OSError:  # no file descriptors for the moment; those who wait keep their place
                await asyncio.sleep(0.1)
                continue
            task = asyncio.create_task(_hand(connection, str(address[0]), processes, turns))
            handing.add(task)
            task.add_done_callback(handing.discard)

    async def watch() -> None:
        while True:
            await asyncio.sleep(RESTART_S / 2)
            for process in processes:
                process.watch()

    going = [asyncio.create_task(accept()), asyncio.create_task(watch())]
    await stopping.wait()
    for task in (*going, *handing):
        task.cancel()
    await asyncio.gather(*going, *handing, return_exceptions=True)


async def _hand(connection: socket.socket, address: str, processes: list[Process], turns: count[int]) -> None:
    with connection:
        connection.setblocking(False)
        give_up = time.monotonic() + HEAD_S
        head = b""
        while b"\r\n\r\n" not in head and len(head) < HEAD_BYTES:
            if time.monotonic() > give_up:
                return
            try:
                head = connection.recv(HEAD_BYTES, socket.MSG_PEEK)
                if not head:
                    return
            except BlockingIOError:
                pass
            except OSError:
                return
            if b"\r\n\r\n" not in head:
                await asyncio.sleep(LOOK_S)
        turn = next(turns) if _PAGE.match(head) else 0
        process = processes[process_of(head, address, len(processes), turn)]
        while time.monotonic() < give_up:
            with contextlib.suppress(OSError):  # being started again, or slow to take what is there
                socket.send_fds(process.channel, [b"c"], [connection.fileno()])
                return
            await asyncio.sleep(LOOK_S)


def share(listening: socket.socket, processes: int, stop_s: float) -> None:
    """Serve from so many processes until told to stop."""
    started = [Process(number, processes).start() for number in range(processes)]
    try:
        asyncio.run(hand_out(listening, started))
    finally:
        listening.close()
        for process in started:
            process.running.terminate()
        give_up = time.monotonic() + stop_s + 5.0
        for process in started:
            process.stop(max(give_up - time.monotonic(), 0.1))
