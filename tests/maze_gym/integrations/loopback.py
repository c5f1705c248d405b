"""An OpenAI-compatible server on loopback that knows what the oracle says in each situation.

The model's name says how it behaves: ``oracle``, ``nonsense``, ``broken`` (HTTP 500), ``busy`` (the first
request of each conversation gets 429);
any other name is an unknown model (404), as on a real server.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple

from maze_gym.integrations.sessions import Session, SessionSpec
from maze_gym.llm.backends import OracleChat
from maze_gym.llm.messages import Message

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

NONSENSE = "I would rather talk about the weather."


class Loopback(NamedTuple):
    """A running server.

    Attributes:
        url: the base URL for clients.
        script: what the oracle says, by fingerprint of the conversation.
        requests: bodies of all requests so far.
    """

    url: str
    script: dict[str, str]
    requests: list[dict[str, Any]]


def fingerprint(messages: Iterable[dict[str, Any]]) -> str:
    """Of roles, texts and pictures, however a client wraps them."""
    digest = hashlib.sha256()
    for message in messages:
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        digest.update(message["role"].encode())
        for part in parts:
            digest.update(part["text"].encode() if part["type"] == "text" else _url(part).encode())
    return digest.hexdigest()


def _url(part: dict[str, Any]) -> str:
    url: str = part["image_url"]["url"]
    return url


def learn(script: dict[str, str], spec: SessionSpec) -> int:
    """Play an episode with the oracle and write down what it said to what; returns its replies."""
    session = Session(spec)
    chat = OracleChat(session.game, session.config)
    is_full = str(session.config.history) == "full"
    system = Message("system", session.system)
    dialogue: list[Message] = []
    prompt, count = session.prompt, 0
    while not session.ended:
        user = Message("user", prompt.text, () if prompt.image is None else (prompt.image,))
        reply = chat(()).text
        script[fingerprint(message.to_openai() for message in (system, *dialogue, user))] = reply
        if is_full:
            dialogue += [user, Message("assistant", reply)]
        prompt, count = session.reply(reply), count + 1
    session.close()
    return count


@contextlib.contextmanager
def serving(specs: Iterable[SessionSpec] = ()) -> Iterator[Loopback]:
    """A server that knows these episodes, until the block ends."""
    loopback = Loopback("", {}, [])
    for spec in specs:
        learn(loopback.script, spec)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(loopback))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield loopback._replace(url=f"http://127.0.0.1:{server.server_address[1]}/v1")
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(loopback: Loopback) -> type[BaseHTTPRequestHandler]:
    refused: set[str] = set()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 65_536  # headers and body in one packet

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            loopback.requests.append(body)
            model, messages = body["model"], body["messages"]
            asked = fingerprint(messages)
            if model == "broken":
                self.send({"error": {"message": "boom"}}, 500)
            elif model == "busy" and asked not in refused:
                refused.add(asked)
                self.send({"error": {"message": "slow down"}}, 429)
            elif model == "nonsense":
                self.complete(NONSENSE, model)
            elif model in {"oracle", "busy"}:
                self.complete(loopback.script.get(asked, "I have never been asked this."), model)
            else:
                self.send({"error": {"message": f"The model {model!r} does not exist"}}, 404)

        def complete(self, text: str, model: str) -> None:
            message = {"role": "assistant", "content": text}
            self.send(
                {
                    "id": "c1",
                    "object": "chat.completion",
                    "created": 0,
                    "model": model,
                    "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                    "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
                }
            )

        def send(self, data: Any, status: int = 200) -> None:
            encoded = json.dumps(data).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(encoded)))
            self.end_headers()
            self.wfile.write(encoded)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    return Handler
