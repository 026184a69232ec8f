# SPDX-License-Identifier: Apache-2.0
"""CTAPHID, the transport of security keys: packets of 64 bytes, channels, messages. It has no thread, and no clock of its own.

The source is CTAP 2.1, section 11.2 (USB Human Interface Device). A host cannot make the state grow: it has the number of
channels, and one message of at most 7609 bytes.
"""

from __future__ import annotations

import dataclasses
from typing import Callable, Generator, List, Optional, Tuple

PACKET = 64
# The lengths of the data in the first packet of a message, and in a later one.
_FIRST, _NEXT = PACKET - 7, PACKET - 5
#: The longest message: a first packet, and 128 more.
MAXIMUM = _FIRST + 128 * _NEXT
BROADCAST = 0xFFFFFFFF

PING, MSG, LOCK, INIT, WINK, CBOR, CANCEL, KEEPALIVE, ERROR = 0x01, 0x03, 0x04, 0x06, 0x08, 0x10, 0x11, 0x3B, 0x3F

INVALID_COMMAND, INVALID_PARAMETER, INVALID_LENGTH, INVALID_SEQUENCE = 0x01, 0x02, 0x03, 0x04
MESSAGE_TIMEOUT, CHANNEL_BUSY, INVALID_CHANNEL, OTHER = 0x05, 0x06, 0x0B, 0x7F

# Answers of CTAP2 when the wait for a touch ends without one.
_USER_ACTION_TIMEOUT, _KEEPALIVE_CANCEL = 0x2F, 0x2D
# The status in a KEEPALIVE: the key waits for a touch.
_TOUCH_NEEDED = 2
# WINK, and CBOR. NMSG, 8, is not set: the key has MSG.
_CAPABILITIES = 0x01 | 0x04

#: What a task yields: it waits for a touch; or it asks whether there is one, and does not wait.
WAIT, ASK = "wait", "ask"
#: A request that is carried out: it yields WAIT or ASK, receives whether there was a touch, and
#: returns its answer.
Task = Generator[str, bool, bytes]


@dataclasses.dataclass
class _Message:
    """A message whose packets are arriving."""

    channel: int
    command: int
    length: int
    data: bytearray
    sequence: int
    deadline: float


@dataclasses.dataclass
class _Waiting:
    """A request that waits for a touch."""

    channel: int
    command: int
    task: Task
    deadline: float
    keepalive: float  # when the next KEEPALIVE is due


class Link:
    """The key's end of the link. Each call returns the packets that the key sends; `now` is a time in seconds."""

    #: The time in seconds from one packet of a message to the next.
    PACKET_TIMEOUT = 0.5
    #: The time from one KEEPALIVE to the next.
    KEEPALIVE_INTERVAL = 0.1
    #: How long a touch counts for a host that asks repeatedly, and how long such a question counts.
    ASK_TIME = 10.0

    def __init__(self, serve: Callable[[int, bytes], Task], touch_timeout: float = 30) -> None:
        self._serve = serve
        self._touch_timeout = touch_timeout
        self.presence = True  # each request for a touch is granted
        self.channels = 0  # the channels 1 to this number have been given out
        self.winks = 0
        self.failure: Optional[Exception] = None  # the first mistake of the model itself
        self._message: Optional[_Message] = None
        self._waiting: Optional[_Waiting] = None
        self._lock: Tuple[int, float] = (0, 0.0)  # a channel, and when its lock ends
        self._asked_until = 0.0
        self._touched_until = 0.0

    def reset(self) -> None:
        """The key loses its power."""
        self._drop()
        self._lock = (0, 0.0)
        self._asked_until = self._touched_until = 0.0

    def wants_touch(self, now: float) -> bool:
        """Whether the host waits for a touch."""
        return self._waiting is not None or now < self._asked_until

    @property
    def deadline(self) -> Optional[float]:
        """When `advance` has something to do; None if nothing is due."""
        if self._waiting:
            return min(self._waiting.deadline, self._waiting.keepalive)
        return self._message.deadline if self._message else None

    def advance(self, now: float) -> List[bytes]:
        """Ends what lasts too long, and sends what is due."""
        message, waiting = self._message, self._waiting
        if message and now >= message.deadline:
            self._message = None
            return self._error(message.channel, MESSAGE_TIMEOUT)
        if waiting and now >= waiting.deadline:
            self._drop()
            return _packets(waiting.channel, CBOR, bytes([_USER_ACTION_TIMEOUT]))
        if waiting and now >= waiting.keepalive:
            waiting.keepalive = now + self.KEEPALIVE_INTERVAL
            return _packets(waiting.channel, KEEPALIVE, bytes([_TOUCH_NEEDED]))
        return []

    def touch(self, now: float) -> List[bytes]:
        """A person touches the key. A touch for which no request waits does nothing."""
        waiting = self._waiting
        if waiting:
            self._waiting = None
            return self._continue(waiting.channel, waiting.command, waiting.task, True, now)
        if now < self._asked_until:
            self._asked_until = 0
            self._touched_until = now + self.ASK_TIME
        return []

    def receive(self, packet: bytes, now: float) -> List[bytes]:
        """Takes a packet. A short one counts as if zeros followed it."""
        sent = self.advance(now)
        packet = packet[:PACKET].ljust(PACKET, b"\0")
        channel = int.from_bytes(packet[:4], "big")
        if packet[4] & 0x80:
            length = int.from_bytes(packet[5:7], "big")
            return sent + self._begin(channel, packet[4] & 0x7F, length, packet[7:], now)
        return sent + self._proceed(channel, packet[4], packet[5:], now)

    def _begin(self, channel: int, command: int, length: int, data: bytes, now: float) -> List[bytes]:
        """Takes the first packet of a message."""
        if channel == BROADCAST and command == INIT:
            return self._init(channel, length, data)
        if not 0 < channel <= self.channels:
            return self._error(channel, INVALID_CHANNEL)
        waiting = self._waiting
        if command == CANCEL:  # it has no answer of its own
            if waiting and waiting.channel == channel and waiting.command == CBOR:
                self._drop()
                return _packets(channel, CBOR, bytes([_KEEPALIVE_CANCEL]))
            return []
        if self._owner(now) not in (0, channel):
            return self._error(channel, CHANNEL_BUSY)
        if command == INIT:
            self._drop()
            return self._init(channel, length, data)
        if waiting:
            return self._error(channel, CHANNEL_BUSY)
        if self._message:
            self._drop()
            return self._error(channel, INVALID_SEQUENCE)
        if command not in (PING, MSG, LOCK, WINK, CBOR):
            return self._error(channel, INVALID_COMMAND)
        if length > MAXIMUM:
            return self._error(channel, INVALID_LENGTH)
        if length > _FIRST:
            self._message = _Message(channel, command, length, bytearray(data), 0, now + self.PACKET_TIMEOUT)
            return []
        return self._carry_out(channel, command, data[:length], now)

    def _proceed(self, channel: int, sequence: int, data: bytes, now: float) -> List[bytes]:
        """Takes a later packet of a message. One that belongs to no message is ignored."""
        message = self._message
        if not message or message.channel != channel:
            return []
        if sequence != message.sequence:
            self._message = None
            return self._error(channel, INVALID_SEQUENCE)
        message.data += data
        message.sequence += 1
        message.deadline = now + self.PACKET_TIMEOUT
        if len(message.data) < message.length:
            return []
        self._message = None
        return self._carry_out(channel, message.command, bytes(message.data[: message.length]), now)

    def _owner(self, now: float) -> int:
        """The channel that has the key to itself, or 0."""
        if self._message:
            return self._message.channel
        if self._waiting:
            return self._waiting.channel
        return self._lock[0] if now < self._lock[1] else 0

    def _init(self, channel: int, length: int, data: bytes) -> List[bytes]:
        if length != 8:
            return self._error(channel, INVALID_LENGTH)
        given = channel
        if channel == BROADCAST:
            self.channels = given = min(self.channels + 1, BROADCAST - 1)
        # Version 2 of the protocol, the version of the device in three bytes, what it has.
        return _packets(channel, INIT, data[:8] + given.to_bytes(4, "big") + bytes([2, 1, 0, 0, _CAPABILITIES]))

    def _carry_out(self, channel: int, command: int, data: bytes, now: float) -> List[bytes]:
        """Carries out a message."""
        if command == PING:
            return _packets(channel, PING, data)
        if command == WINK:
            if data:
                return self._error(channel, INVALID_LENGTH)
            self.winks += 1
            return _packets(channel, WINK, b"")
        if command == LOCK:
            if len(data) != 1:
                return self._error(channel, INVALID_LENGTH)
            if data[0] > 10:
                return self._error(channel, INVALID_PARAMETER)
            self._lock = (channel, now + data[0])
            return _packets(channel, LOCK, b"")
        if not data:
            return self._error(channel, INVALID_LENGTH)
        return self._continue(channel, command, self._serve(command, data), None, now)

    def _continue(self, channel: int, command: int, task: Task, answer: Optional[bool], now: float) -> List[bytes]:
        """Continues a task until it is done or waits."""
        try:
            while True:
                step = next(task) if answer is None else task.send(answer)
                if step == ASK:
                    answer = self.presence or now < self._touched_until
                    self._touched_until = 0
                    self._asked_until = 0 if answer else now + self.ASK_TIME
                elif self.presence:
                    answer = True
                else:
                    self._waiting = _Waiting(channel, command, task, now + self._touch_timeout, now)
                    return self.advance(now)
        except StopIteration as done:
            return _packets(channel, command, done.value)
        except Exception as failure:
            self.failure = self.failure or failure
            return self._error(channel, OTHER)

    def _drop(self) -> None:
        """Forgets the message or the request that is under way."""
        self._message = None
        if self._waiting:
            self._waiting.task.close()
            self._waiting = None

    def _error(self, channel: int, code: int) -> List[bytes]:
        return _packets(channel, ERROR, bytes([code]))


def _packets(channel: int, command: int, data: bytes) -> List[bytes]:
    """The packets of a message."""
    name = channel.to_bytes(4, "big")
    packets = [name + bytes([0x80 | command]) + len(data).to_bytes(2, "big") + data[:_FIRST]]
    for sequence, start in enumerate(range(_FIRST, len(data), _NEXT)):
        packets.append(name + bytes([sequence]) + data[start : start + _NEXT])
    return [packet.ljust(PACKET, b"\0") for packet in packets]
