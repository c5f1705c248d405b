"""An OpenAI-compatible server on loopback, as a process of its own; the model's name says how it behaves.

Run: ``python fake_server.py``; it prints its port, and ends with its standard input.
"""

from __future__ import annotations

import base64
import email.utils
import hashlib
import json
import os
import socket
import struct
import sys
import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

attempts: dict[str, int] = {}


class Handler(BaseHTTPRequestHandler):
    """Answers chat completions."""

    protocol_version = "HTTP/1.1"
    wbufsize = 65_536  # headers and body in one packet,
    disable_nagle_algorithm = True  # or each call waits 40 ms for the other's acknowledgement

    def do_POST(self) -> None:  # noqa: C901, PLR0912, PLR0915 - one line of behaviour for each kind
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        model = body["model"]
        attempts[model] = number = attempts.get(model, 0) + 1
        kind, _, argument = model.partition("-")
        if kind == "busy" and number <= int(argument):
            self.send({"error": {"message": "slow down"}}, 429, {"Retry-After": "0.01"})
        elif kind == "dated" and number <= int(argument):
            date = email.utils.formatdate(time.time() - 5, usegmt=True)
            self.send({"error": {"message": "later"}}, 503, {"Retry-After": date})
        elif kind == "broken":
            self.send({"error": {"message": "boom\x1b[31m"}}, 500)
        elif kind == "patient":
            self.send({"error": {"message": "come back tomorrow"}}, 429, {"Retry-After": "86400"})
        elif kind == "moved":
            self.send({}, 308, {"Location": "http://elsewhere/v1"})
        elif kind == "poor":
            self.send({"error": {"message": "no money", "code": "insufficient_quota"}}, 429)
        elif kind == "locked":
            self.send({"error": {"message": f"bad key {self.headers['Authorization']}"}}, 401)
        elif kind == "unknown":
            self.send({"error": {"message": f"The model {model!r} does not exist"}}, 404)
        elif kind == "unlisted":
            self.send({"error": {"message": "no provider has it", "code": "model_not_found"}}, 400)
        elif kind == "small":
            words = "the request (9000 tokens) exceeds the available context size (8192 tokens)"
            self.send({"error": {"message": words, "type": "exceed_context_size_error"}}, 400)
        elif kind == "blind":
            self.send({"error": {"message": "image input is not supported - hint: provide the mmproj"}}, 500)
        elif kind == "reasoning" and "max_tokens" in body:
            words = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            self.send({"error": {"message": words}}, 400)
        elif kind == "reasoning" and "temperature" in body:
            self.send({"error": {"message": "Unsupported value: 'temperature' is fixed at 1."}}, 400)
        elif kind == "page":
            self.send_bytes(
                b"<html>Welcome to the hotel's wireless</html>", 200, {"Content-Type": "text/html"}
            )
        elif kind == "garbled":
            self.send_bytes(b'{"choices": [', 200, {"Content-Type": "application/json"})
        elif kind == "empty":
            self.send({"id": "x", "object": "chat.completion", "model": model, "created": 0, "choices": []})
        elif kind == "sleepy":
            time.sleep(2)
            self.send({})
        elif kind == "dropping":
            self.close_connection = True
        elif kind == "resetting":
            self.reset_amid_the_answer()
        elif kind == "silent":
            self.complete(None, body)
        elif kind == "parts":
            thought = {"type": "thinking", "thinking": [{"type": "text", "text": "FINAL_OUTPUT: DONE"}]}
            texts = ("FINAL_OUTPUT: ", argument.upper())
            self.complete([thought, *({"type": "text", "text": text} for text in texts)], body)
        elif kind == "saying":
            self.complete(json.loads(argument), body)
        elif kind == "huge":
            self.complete("word " * 200_000 + f"\nFINAL_OUTPUT: {argument.upper()}", body)
        elif kind == "endless":
            self.complete("I turn left, then I turn right, then", body, finish_reason="length")
        elif kind == "uncounted":
            self.complete(f"FINAL_OUTPUT: {argument.upper()}", body, counted=False)
        elif kind == "slow":
            time.sleep(0.05)
            self.complete(f"FINAL_OUTPUT: {argument.upper()}", body)
        elif kind == "sees":
            self.complete(json.dumps(seen(body["messages"])), body)
        elif kind == "echo":
            told = {name: body.get(name) for name in body if name != "messages"}
            self.complete(
                json.dumps(
                    {
                        "body": told,
                        "key": self.headers["Authorization"],
                        "organization": self.headers["OpenAI-Organization"],
                        "hashes": {name.lower(): hashed(value) for name, value in self.headers.items()},
                    }
                ),
                body,
            )
        elif kind == "mirror":
            self.mirror(argument, body)
        else:
            self.complete(argument.upper() and f"FINAL_OUTPUT: {argument.upper()}", body)

    def mirror(self, where: str, body: dict[str, Any]) -> None:
        """Tell all that came, and what its Basic and percent codes mean, in one place of an answer."""
        plain = [self.path, *self.headers.values()]
        for header in list(plain):
            kind, _, value = header.partition(" ")
            if kind == "Basic":
                plain += [*base64.b64decode(value).decode().split(":"), base64.b64decode(value).decode()]
            plain += [value, unquote(header)]
        plain += [value for values in parse_qs(urlsplit(self.path).query).values() for value in values]
        codes = [
            code(each.encode()).decode()
            for each in plain
            for code in (base64.b64encode, base64.urlsafe_b64encode, lambda data: data.hex().encode())
        ]
        told = [
            *plain,
            *codes,
            *(code.rstrip("=") for code in codes),
            *(quote(each, safe="") for each in plain),
        ]
        words = " | ".join(told)
        if where == "reply":
            self.complete(f"{words}\nFINAL_OUTPUT: MOVE_FORWARD", body)
        elif where == "model":
            self.complete("FINAL_OUTPUT: MOVE_FORWARD", body | {"model": words})
        elif where == "names":
            self.send({each: {each: 1} for each in told})
        elif where == "page":
            self.send_bytes(words.encode(), 200, {"Content-Type": "text/html"})
        elif where == "moved":
            self.send({}, 308, {"Location": words.replace("\n", " ")})
        else:
            self.send({"error": {"message": words, "code": words}}, int(where))

    def reset_amid_the_answer(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b'{"choices": [{"mess')
        self.wfile.flush()
        # No lingering: the other side sees a reset, not an end.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True

    def complete(
        self, content: Any, body: dict[str, Any], *, finish_reason: str = "stop", counted: bool = True
    ) -> None:
        message = {"role": "assistant", "content": content}
        choice = {"index": 0, "message": message, "finish_reason": finish_reason}
        tokens = {"prompt_tokens": 1_000, "completion_tokens": 10, "total_tokens": 1_010}
        usage = tokens if counted else None
        self.send(
            {
                "id": "c1", "object": "chat.completion", "created": 0, "model": body["model"],
                "choices": [choice], "usage": usage,
            }
        )  # fmt: skip

    def send(self, data: Any, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self.send_bytes(
            json.dumps(data).encode(), status, {"Content-Type": "application/json"} | (headers or {})
        )

    def send_bytes(self, data: bytes, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in (headers | {"Content-Length": str(len(data))}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def hashed(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()


def seen(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Size and hash of every picture, decoded here from PNG with nothing but zlib."""
    pictures = []
    for message in messages:
        for part in message["content"] if isinstance(message["content"], list) else []:
            if part["type"] == "image_url":
                head, _, data = part["image_url"]["url"].partition(",")
                assert head == "data:image/png;base64", head
                width, height, pixels = decode(base64.b64decode(data, validate=True))
                pictures.append(
                    {"width": width, "height": height, "sha256": hashlib.sha256(pixels).hexdigest()}
                )
    return pictures


def decode(png: bytes) -> tuple[int, int, bytes]:
    """Width, height and RGB bytes of a PNG whose rows are plain or differences from the row above."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    place, body, size = 8, b"", (0, 0)
    while place < len(png):
        (length,), kind = struct.unpack(">I", png[place : place + 4]), png[place + 4 : place + 8]
        data = png[place + 8 : place + 8 + length]
        assert struct.unpack(">I", png[place + 8 + length : place + 12 + length])[0] == zlib.crc32(
            kind + data
        )
        size = struct.unpack(">II", data[:8]) if kind == b"IHDR" else size
        body += data if kind == b"IDAT" else b""
        place += 12 + length
    raw, (width, height) = zlib.decompress(body), size
    rows, above = [], bytes(3 * width)
    for row in range(height):
        line = raw[row * (3 * width + 1) : (row + 1) * (3 * width + 1)]
        assert line[0] in {0, 2}
        plain = (
            line[1:] if line[0] == 0 else bytes((a + b) & 255 for a, b in zip(line[1:], above, strict=True))
        )
        rows.append(plain)
        above = plain
    return width, height, b"".join(rows)


def main() -> None:
    """Serve until standard input closes, so that no server outlives its test."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    sys.stdout.write(f"{server.server_address[1]}\n")
    sys.stdout.flush()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
