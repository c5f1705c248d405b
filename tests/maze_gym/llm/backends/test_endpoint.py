"""One address on the web: what is sent to it, what counts as an answer, and what does not."""

from __future__ import annotations

import gzip
import json
import shutil
import socket
import ssl
import subprocess
import time
from contextlib import contextmanager, suppress
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from maze_gym.errors import InvalidArgument
from maze_gym.llm.backends import endpoint
from maze_gym.llm.backends.endpoint import Endpoint, NoAnswer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.extra("urllib3", "llm")

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
ZIPPED = gzip.compress(b"whole", mtime=0)
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in (*PROXIES, *map(str.upper, PROXIES), "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
    endpoint._trust.cache_clear()
    yield
    endpoint._trust.cache_clear()


class Server:
    """Answers each request with the next of some raw bytes; a function gets the connection to itself."""

    def __init__(self, *answers: bytes | Callable[[socket.socket], None], context: Any = None) -> None:
        self.requests: list[bytes] = []
        self.connections = 0
        self._answers = list(answers)
        self._context = context
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._thread = Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while self._answers:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                self.connections += 1
                with suppress(OSError):  # a client that trusts nobody hangs up
                    if self._context is None:
                        self._talk(connection)
                    else:
                        with self._context.wrap_socket(connection, server_side=True) as secure:
                            self._talk(secure)

    def _talk(self, connection: socket.socket) -> None:
        while self._answers:
            request = self._read(connection)
            if not request:
                return
            self.requests.append(request)
            answer = self._answers.pop(0)
            if callable(answer):
                answer(connection)
                return
            connection.sendall(answer)

    @staticmethod
    def _read(connection: socket.socket) -> bytes:
        data = b""
        while b"\r\n\r\n" not in data:
            more = connection.recv(65_536)
            if not more:
                return b""
            data += more
        head, _, body = data.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0] or 0)
        while len(body) < length:
            body += connection.recv(65_536)
        return head + b"\r\n\r\n" + body

    def close(self) -> None:
        self._answers.clear()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread
        self._listener.close()
        self._thread.join(5)


@contextmanager
def serving(*answers: bytes | Callable[[socket.socket], None], context: Any = None) -> Iterator[Server]:
    server = Server(*answers, context=context)
    try:
        yield server
    finally:
        server.close()


def reach(server: Server, base: str = "http://127.0.0.1:{}/v1", timeout_s: float = 5.0) -> Endpoint:
    return Endpoint(base.format(server.port), "chat", {"Authorization": "Bearer k"}, timeout_s)


def test_json_is_posted_over_one_connection() -> None:
    with serving(OK, b"HTTP/1.1 404 Not Here\r\nRetry-AFTER: 3\r\nContent-Length: 0\r\n\r\n") as server:
        there = reach(server)
        first, second = there.post({"a": "ü\ud800"}), there.post({})
        there.close()
        assert (first.status_code, first.content, first.text) == (200, b"ok", "ok")
        assert (second.status_code, second.headers.get("retry-after")) == (404, "3")
        assert server.connections == 1
        head, _, body = server.requests[0].partition(b"\r\n\r\n")
        assert head.startswith(b"POST /v1/chat HTTP/1.1\r\n")
        assert {b"Authorization: Bearer k", b"Content-Type: application/json"} <= set(head.split(b"\r\n"))
        assert json.loads(body) == {"a": "ü\ud800"}


def test_a_connection_that_the_server_has_closed_meanwhile_is_made_anew() -> None:
    def last(connection: socket.socket) -> None:
        connection.sendall(OK)

    with serving(last, last) as server:
        there = reach(server)
        there.post({})
        time.sleep(0.05)  # so that its end has arrived
        assert there.post({}).content == b"ok"
        there.close()
        assert server.connections == 2


@pytest.mark.parametrize(
    "answer",
    [
        b"Transfer-Encoding: chunked\r\n\r\n3\r\nwho\r\n2\r\nle\r\n0\r\n\r\n",
        b"Connection: close\r\nContent-Length: 5\r\n\r\nwhole",
        b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%b" % (len(ZIPPED), ZIPPED),
    ],
    ids=["chunked", "plain", "gzip"],
)
def test_bodies_in_any_form_are_read_whole(answer: bytes) -> None:
    def talk(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n" + answer)

    with serving(talk) as server:
        there = reach(server)
        assert there.post({}).content == b"whole"
        there.close()


def drip(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    for _ in range(20):
        connection.sendall(b" ")
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ncut", r"ProtocolError: IncompleteRead\(3 bytes read"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\ncut", "ProtocolError: IncompleteRead"),
        (b"", "ProtocolError: Remote end closed connection without response"),
        (b"nonsense\r\n\r\n", "ProtocolError: nonsense"),
        (drip, "timed out: .* bytes came in 0.1 s, and more were to follow"),
        (lambda _: time.sleep(0.3), "ReadTimeoutError: timed out"),
    ],
)
def test_what_is_no_whole_answer_in_time_is_none(
    answer: bytes | Callable[[socket.socket], None], said: str
) -> None:
    def talk(connection: socket.socket) -> None:
        connection.sendall(answer) if isinstance(answer, bytes) else answer(connection)

    with serving(talk, OK) as server:
        there = reach(server, timeout_s=0.1)
        with pytest.raises(NoAnswer, match=said):
            there.post({})
        there.close()


def test_after_a_failure_the_next_request_gets_its_own_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest of an answer that was given up must never be taken for the next one."""
    monkeypatch.setattr(endpoint, "MOST_BYTES", 3)
    with serving(b"HTTP/1.1 200 OK\r\nContent-Length: 600\r\n\r\nlonger", OK) as server:
        there = reach(server)
        with pytest.raises(NoAnswer, match="longer than 3 bytes"):
            there.post({})
        assert there.post({}).content == b"ok"
        there.close()
        assert server.connections == 2


def test_no_redirection_is_followed() -> None:
    with serving(
        b"HTTP/1.1 308 Moved\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n"
    ) as server:
        there = reach(server)
        answer = there.post({})
        there.close()
        assert (answer.status_code, answer.headers.get("Location")) == (308, "http://127.0.0.1:9/")


def test_user_and_query_of_an_address_are_kept() -> None:
    with serving(OK) as server:
        there = reach(server, "http://me:p%40ss@127.0.0.1:{}/deep/?version=3")
        there.post({})
        there.close()
        head = server.requests[0].partition(b"\r\n\r\n")[0].split(b"\r\n")
        assert head[0] == b"POST /deep/chat?version=3 HTTP/1.1"
        assert b"Authorization: Basic bWU6cEBzcw==" in head
        assert not any(b"Bearer" in line for line in head)


@pytest.mark.parametrize(
    "url", ["localhost:8000/v1", "ftp://h", "http://", "http://h:0", "http://h:x", "http://[::1", ""]
)
def test_what_is_no_address_is_refused_at_once(url: str) -> None:
    with pytest.raises(InvalidArgument, match="looks like http://localhost:8000/v1, not like"):
        Endpoint(url, "chat", {}, 1.0)


def test_refusals_tell_no_secret() -> None:
    with pytest.raises(InvalidArgument) as caught:
        Endpoint("ftp://me:secret@h/v1?token=secret", "chat", {}, 1.0)
    assert "'ftp://h/v1'" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_proxies_of_the_environment_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(OK, OK) as server, serving(OK) as proxy:
        monkeypatch.setenv(
            "HTTP_PROXY", f"me:word@127.0.0.1:{proxy.port}"
        )  # without a scheme, as some write it
        there = Endpoint("http://server.invalid/v1", "chat", {}, 5.0)
        assert there.post({}).content == b"ok"
        there.close()
        head = proxy.requests[0].split(b"\r\n")
        assert head[0] == b"POST http://server.invalid/v1/chat HTTP/1.1"
        assert b"proxy-authorization: Basic bWU6d29yZA==" in {line.lower()[:21] + line[21:] for line in head}
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        direct = reach(server)
        assert direct.post({}).content == b"ok"
        direct.close()


def test_secure_addresses_are_reached_through_a_proxy_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n") as proxy:
        monkeypatch.setenv("ALL_PROXY", f"http://127.0.0.1:{proxy.port}")
        there = Endpoint("https://server.invalid/v1", "chat", {"Authorization": "Bearer k"}, 5.0)
        with pytest.raises(NoAnswer, match="ProxyError: Tunnel connection failed: 403"):
            there.post({"a": "secret"})
        there.close()
        assert proxy.requests[0].startswith(b"CONNECT server.invalid:443 ")
        assert not any(word in proxy.requests[0] for word in (b"Bearer", b"secret"))


def test_proxies_of_another_kind_are_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "socks5://me:secret@h:1080")
    with pytest.raises(InvalidArgument, match=r"must be http://.*, got 'socks5://h:1080'") as caught:
        Endpoint("http://h", "chat", {}, 1.0)
    assert "secret" not in str(caught.value)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl to make a certificate")
def test_only_servers_that_are_trusted_are_talked_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    request = (
        "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    )
    command = ["openssl", *request.split(), "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with serving(OK, context=context) as server:
        stranger = reach(server, "https://localhost:{}/v1")
        with pytest.raises(NoAnswer, match=r"SSLError: .*CERTIFICATE_VERIFY_FAILED"):
            stranger.post({})
        stranger.close()
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        endpoint._trust.cache_clear()
        for base, expected in (("https://127.0.0.1:{}/v1", None), ("https://localhost:{}/v1", b"ok")):
            there = reach(server, base)
            if expected is None:  # the certificate is for another name
                with pytest.raises(NoAnswer, match="SSLError"):
                    there.post({})
            else:
                assert there.post({}).content == expected
            there.close()
        assert len(server.requests) == 1
