"""Secrets kept out of what a server says: servers echo what they were sent, and what they say is kept.

A secret is found in every form in which it travels: as it is, percent-encoded, escaped for JSON or HTML, in
hexadecimal, and in base64, alone or amid other text. What is long enough to be nothing else is masked
wherever it stands. What is shorter is masked as a whole token, so that the key ``sk`` leaves ``task`` as it
is. What is so short that it may be a word of its own is masked only where credentials stand: behind
``Bearer``, ``key:`` or ``?k=``, and in ``user:password@``.
"""

from __future__ import annotations

import base64
import html
import json
import os
import re
import urllib.request
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, quote_plus, unquote, unquote_plus

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

MASK = "***"
LONG = 8  # letters from which on a secret is taken for one even within a word
SHORT = 4  # below that, and where it is a plain word, it is one only where credentials stand
_WORDS = frozenset({"true", "false", "none", "null", "user", "default", "latest"})
# Of the path of an address: what follows these is a key, and so is what looks like one.
_MARKERS = frozenset({"key", "keys", "apikey", "api-key", "api_key", "token", "tokens", "secret"})
_LOOKS_SECRET = re.compile(
    r"(?:sk|pk|hf|gsk|xai|key|token)[-_][\w-]{6,}"
    r"|(?=[A-Za-z_]*[0-9])(?=[0-9_]*[A-Za-z])\w{24,}"
    r"|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    re.ASCII | re.IGNORECASE,
)
_NAMED_SECRET = re.compile(r"key|token|secret|passw|auth", re.IGNORECASE)
_VARIABLES = ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")
# No letter, digit, "_" or "-" of another word stands before it; what ends an escape is no letter of a word.
_BEGIN = r"(?:(?<![\w-])|(?<=%[0-9A-Fa-f]{2})|(?<=\\[nrtbf])|(?<=\\u[0-9A-Fa-f]{4})|(?<=\\x[0-9A-Fa-f]{2}))"
_END = r"(?![\w-])"
_CREDENTIAL = (
    r"(?P<before>\b(?:bearer|basic)\s{{1,2}}"
    r"|(?:{names}key|token|secret|pass|password|user|username|authorization|organization|project|provided)"
    r"[\"'\\]{{0,3}}\s{{0,2}}[:=]\s{{0,2}}[\"'\\]{{0,3}}"
    r"|://|[?&;][\w.-]{{0,40}}=)"
)
_USER = (r"(?<=[:/])", r"(?=@)")


class Secrets:
    """What must not be told.

    Args:
        values: secrets, as they were given; empty ones and None are none.
        names: how texts may call them, such as the parameters of a query.
    """

    def __init__(self, values: Iterable[str | None], names: Iterable[str] = ()) -> None:
        """Think of all their forms."""
        credential = _CREDENTIAL.format(names="".join(f"{re.escape(name)}|" for name in names if name))
        long: set[str] = set()
        tokens: set[str] = set()
        words: set[str] = set()
        for value in {value for value in values if value}:
            for form in (*_spellings(value), *_encoded(value)):
                bare = form.rstrip("=")
                kind = long if len(bare) >= LONG else words if _is_word(bare) else tokens
                kind.add(form)
        self._forms = tuple({form.lower() for form in (*long, *tokens, *words) if form})
        self._passes = tuple(
            (_any_of(forms, begin, end, flags), replacement)
            for forms, begin, end, flags, replacement in (
                (long, "", "", re.IGNORECASE, MASK),
                (tokens, _BEGIN, _END, re.NOFLAG, MASK),
                (words, *_USER, re.NOFLAG, MASK),
                (words, credential, _END, re.IGNORECASE, rf"\g<before>{MASK}"),
            )
            if forms
        )

    def mask(self, text: str) -> str:
        """The text with each secret masked."""
        lower = text.lower()
        if any(form in lower for form in self._forms):  # far quicker than to look for all at each letter
            for pattern, replacement in self._passes:
                text = pattern.sub(replacement, text)
        return text

    def mask_all(self, value: Any) -> Any:  # noqa: ANN401 - any JSON value
        """A JSON value with each secret masked in its texts and names."""
        if isinstance(value, str):
            return self.mask(value)
        if isinstance(value, dict):
            return {self.mask(str(name)): self.mask_all(each) for name, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.mask_all(each) for each in value]
        return value


def secrets_of(base_url: str | None, key: str = "", further: Mapping[str, Any] | None = None) -> Secrets:
    """All that a chat with a server sends, or passes on its way there, and that others must not see.

    Args:
        base_url: address of the server; its user, password, query, and keys in its path are secrets.
        key: sent to it.
        further: fields of the request; what is called a key or token there is one.
    """
    values: list[str] = [key, *(os.environ.get(name, "").strip() for name in _VARIABLES)]
    for url in (base_url or "", *urllib.request.getproxies().values()):
        values += in_address(url)
    values += [
        value
        for name, value in (further or {}).items()
        if isinstance(value, str) and _NAMED_SECRET.search(name)
    ]
    query = (base_url or "").partition("?")[2].partition("#")[0]
    return Secrets(values, [part.partition("=")[0] for part in query.split("&") if "=" in part])


def in_address(url: str) -> Iterator[str]:
    """What is secret in an address: user, password, query, fragment, and keys in its path.

    Read by hand, since a broken one is quoted in the error about it.
    """
    rest = url.partition("://")[2] or url
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    user = authority.rpartition("@")[0]
    if not user and re.search(r":[^0-9\]]", authority):  # no port: a password with a slash in it
        user = rest.rpartition("@")[0]
    if user:
        name, _, password = user.partition(":")
        yield from (user, name, password)
        rest = rest[len(user) + 1 :]
    rest, _, fragment = rest.partition("#")
    path, _, query = rest.partition("?")
    yield from (fragment, query)
    for part in query.split("&"):
        name, _, value = part.partition("=")
        yield value or name
    segments = path.split("/")
    for before, segment in zip(["", *segments], segments, strict=False):
        if _is_key(before, segment):
            yield segment


def without_secrets(url: str) -> str:
    """An address, whole or broken, without what may be secret in it."""
    scheme, slashes, rest = url.partition("://") if "://" in url else ("", "", url)
    user = next(iter(in_address(url)), "")
    if user and rest.startswith(f"{user}@"):
        rest = rest[len(user) + 1 :]
    segments = re.split(r"[?#]", rest, maxsplit=1)[0].split("/")
    kept = [
        MASK if _is_key(before, segment) else segment
        for before, segment in zip(["", *segments], segments, strict=False)
    ]
    return scheme + slashes + "/".join(kept)


def _is_key(before: str, segment: str) -> bool:
    return bool(segment) and (before.lower() in _MARKERS or _LOOKS_SECRET.fullmatch(segment) is not None)


def _is_word(value: str) -> bool:
    """Whether a secret is so plain that it also stands in texts that tell nothing."""
    return len(value) < SHORT or value.lower() in _WORDS


def _spellings(value: str) -> Iterator[str]:
    """A secret as texts spell it: as it is, percent-encoded or not, escaped or not."""
    for plain in {value, unquote(value), unquote_plus(value)}:
        once = {plain, quote(plain, safe=""), quote(plain), quote_plus(plain)}
        once |= {quote(each, safe="") for each in once}  # an encoded one that was encoded again
        once |= {plain.encode().decode("latin-1"), html.escape(plain)}
        for each in once:
            yield each
            yield json.dumps(each)[1:-1]
            yield json.dumps(each, ensure_ascii=False)[1:-1]
            yield repr(each)[1:-1]
            yield json.dumps(json.dumps(each))[3:-3]


def _encoded(value: str) -> Iterator[str]:
    """A secret in forms that no longer look like it."""
    for plain in {value, unquote(value), unquote_plus(value)}:
        data = plain.encode()
        for text in {base64.b64encode(data).decode(), base64.urlsafe_b64encode(data).decode()}:
            yield from {text, text.rstrip("="), quote(text, safe=""), quote(text.rstrip("="), safe="")}
        if len(data) >= SHORT:
            yield data.hex()
            yield "".join(f"%{byte:02X}" for byte in data)
        if len(data) >= LONG:
            for before in range(3):  # amid other text: the digits that no neighbour has a part in
                digits = base64.b64encode(bytes(before) + data).decode()
                core = digits[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]
                yield core
                yield core.replace("+", "-").replace("/", "_")


def _any_of(forms: set[str], begin: str, end: str, flags: re.RegexFlag) -> re.Pattern[str]:
    """What matches any of the forms, the longest first."""
    inner = "|".join(map(re.escape, sorted(filter(None, forms), key=lambda form: (-len(form), form))))
    return re.compile(f"{begin}(?:{inner}){end}", flags)
