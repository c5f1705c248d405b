"""One address on the web that takes JSON and answers: certificates, proxies, limits on time and size.

urllib3 carries the requests: it asks less of the processor than richer clients do, and that decides how many
episodes one machine plays at a time (``benchmarks/bench_evaluation.py``).
"""

from __future__ import annotations

import contextlib
import json
import os
import ssl
import time
import urllib.request
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

from maze_gym.errors import InvalidArgument
from maze_gym.extras import require
from maze_gym.llm.backends.masking import without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

EXTRA = "llm"
MOST_BYTES = 64 << 20  # of an answer: no model says so much
_CHUNK = 1 << 16
_TRUST = ("SSL_CERT_FILE", "SSL_CERT_DIR")  # OpenSSL's own
_READING = Lock()  # many threads begin at once, and each would read the same certificates


class NoAnswer(Exception):
    """The server was not reached, or its answer did not arrive whole."""


class Answer(NamedTuple):
    """What a server answered.

    Attributes:
        status_code: of HTTP.
        headers: by name, in any case.
        content: the body.
    """

    status_code: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def text(self) -> str:
        """The body, whatever is in it."""
        return self.content.decode("utf-8", "replace")


class Endpoint:
    """Posts JSON to an address, over a connection that is kept; to be used by one thread at a time.

    Proxies come from the environment (``HTTP_PROXY``, ``HTTPS_PROXY``, ``ALL_PROXY``, ``NO_PROXY``). Trusted
    is what ``SSL_CERT_FILE`` or ``SSL_CERT_DIR`` names, or else what the system and certifi do. Nothing is
    sent twice and no redirection is followed, so that the headers go nowhere else.

    Args:
        base_url: address of the server; a user and password in it are sent instead of another authorization.
        path: what is appended to the path of that address.
        headers: sent each time.
        timeout_s: for the connection, for the answer to begin, and for it to be complete.

    Raises:
        InvalidArgument: this is no address of the web, or the proxy cannot be used.
        MissingExtra: urllib3 or certifi is not installed.
    """

    def __init__(self, base_url: str, path: str, headers: Mapping[str, str], timeout_s: float) -> None:
        """Nothing is sent yet."""
        self._http = require("urllib3", EXTRA)
        self._timeout_s = timeout_s
        parts = address_parts(base_url)
        path = f"{parts.path.rstrip('/')}/{path}"
        self._url = parts._replace(netloc=_host(parts), path=path).geturl()
        self._headers = {"User-Agent": "maze_gym", **headers, "Content-Type": "application/json"}
        if user := _user(parts):
            self._headers["Authorization"] = self._http.make_headers(basic_auth=user)["authorization"]
        self._manager = self._reach(parts)

    def _reach(self, parts: SplitResult) -> Any:  # noqa: ANN401 - of an optional package
        with _READING:
            trust = _trust()
        timeout = self._http.Timeout(connect=self._timeout_s, read=self._timeout_s)
        options = {"maxsize": 1, "retries": False, "timeout": timeout, "ssl_context": trust}
        proxy = _proxy(parts)
        if proxy is None:
            return self._http.PoolManager(**options)
        try:
            headers = self._http.make_headers(proxy_basic_auth=_user(urlsplit(proxy)))
            return self._http.ProxyManager(proxy, proxy_headers=headers, **options)
        except (self._http.exceptions.LocationValueError, ValueError):
            shown = without_secrets(proxy)
            msg = f"the proxy in the environment must be http://HOST:PORT or https://..., got {shown!r}"
            raise InvalidArgument(msg) from None  # the cause quotes the address with its password

    def post(self, fields: Mapping[str, Any]) -> Answer:
        """Send JSON and wait for the whole answer, whatever its status is.

        Raises:
            NoAnswer: none came, or not all of it, in time.
        """
        body = json.dumps(fields).encode()
        until = time.monotonic() + self._timeout_s
        try:
            response = self._manager.urlopen(
                "POST", self._url, body=body, headers=self._headers, preload_content=False, redirect=False
            )
            with contextlib.closing(response):  # in mid-answer it closes the connection, too
                content = b"".join(self._read(response, until))
        except self._http.exceptions.HTTPError as error:
            raise NoAnswer(_words(error)) from error
        return Answer(response.status, response.headers, content)

    def _read(self, response: Any, until: float) -> Iterator[bytes]:  # noqa: ANN401 - of an optional package
        size = 0
        while part := response.read1(_CHUNK):
            size += len(part)
            if size > MOST_BYTES:
                msg = f"the answer is longer than {MOST_BYTES:,} bytes"
                raise NoAnswer(msg)
            if time.monotonic() > until:
                msg = f"timed out: {size:,} bytes came in {self._timeout_s:g} s, and more were to follow"
                raise NoAnswer(msg)
            yield part

    def close(self) -> None:
        """Close the connection; safe to call again."""
        self._manager.clear()


def address_parts(url: str) -> SplitResult:
    """The parts of an address of the web.

    Raises:
        InvalidArgument: it is none; what may be secret in it is not quoted.
    """
    try:
        parts = urlsplit(url)
        if parts.scheme in {"http", "https"} and parts.hostname and (parts.port is None or parts.port > 0):
            return parts
    except ValueError:  # no port, no address of IPv6
        pass
    msg = f"the address of a server looks like http://localhost:8000/v1, not like {without_secrets(url)!r}"
    raise InvalidArgument(msg)


def _host(parts: SplitResult) -> str:
    """Host and port."""
    return parts.netloc.rpartition("@")[2]


def _user(parts: SplitResult) -> str | None:
    """User and password, if there are any."""
    return unquote(parts.netloc.rpartition("@")[0]) or None


def _proxy(parts: SplitResult) -> str | None:
    """The proxy that the environment, or on some systems its settings, wants for this address."""
    known = urllib.request.getproxies()
    proxy = known.get(parts.scheme) or known.get("all")
    if not proxy or urllib.request.proxy_bypass(_host(parts)):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


@cache
def _trust() -> ssl.SSLContext:
    """Whom to trust, read once: it is a long list."""
    context = ssl.create_default_context()
    if not any(os.environ.get(name) for name in _TRUST):  # not every system has a list of its own
        context.load_verify_locations(require("certifi", EXTRA).where())
    return context


def _words(error: Exception) -> str:
    """The kind of failure, and what the system said at its root."""
    root: BaseException = error
    while (deeper := root.__cause__ or root.__context__) is not None:
        root = deeper
    return f"{type(error).__name__}: {root}"
