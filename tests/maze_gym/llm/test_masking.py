"""Whatever a server echoes, no secret reaches a file, the terminal or an error; words stay as they are."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
import traceback
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maze_gym.errors import InvalidArgument, ProviderError
from maze_gym.llm.backends.endpoint import Endpoint
from maze_gym.llm.backends.hugging_face import HuggingFaceChat
from maze_gym.llm.backends.masking import MASK, Secrets, secrets_of, without_secrets
from maze_gym.llm.backends.openai_compatible import OpenAIChat
from maze_gym.llm.messages import Message

if TYPE_CHECKING:
    from pathlib import Path

HELLO = (Message("user", "Hello."),)
USER, PASSWORD, QUERY, KEY, ORGANIZATION = (
    "m\u00e9chant",
    "p@ss+w/rd",
    "q&ery=42",
    "sk-0123456789abc",
    "org-7351",
)
PROXY_USER, PROXY_PASSWORD, IN_PATH = "proxyman", "pr0xy:word", "sk-inthepath77"
SECRETS = (USER, PASSWORD, QUERY, KEY, ORGANIZATION, PROXY_USER, PROXY_PASSWORD, IN_PATH)
PLACES = ("reply", "model", "names", "page", "moved", "400", "401", "429", "500")
letters = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=8, max_size=40)


def forms(secret: str) -> set[str]:
    """How a secret may be spelt; by hand, without the code that is tried."""
    data = secret.encode()
    codes = {base64.b64encode(data).decode(), base64.urlsafe_b64encode(data).decode()}
    return {secret, quote(secret, safe=""), quote_plus(secret), data.hex(), *codes} | {
        code.rstrip("=") for code in codes
    }


def all_forms() -> set[str]:
    pairs = (f"{USER}:{PASSWORD}", f"{PROXY_USER}:{PROXY_PASSWORD}", f"Bearer {KEY}")
    return set().union(*(forms(each) for each in (*SECRETS, *pairs)))


def loaded(address: str) -> str:
    """The address with a secret in each part."""
    user = f"{quote(USER, safe='')}:{quote(PASSWORD, safe='')}"
    return f"{address.replace('://', f'://{user}@')}/{IN_PATH}?token={quote(QUERY, safe='')}"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "OPENAI_BASE_URL", "HF_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ORG_ID", ORGANIZATION)
    monkeypatch.setenv("HF_TOKEN", "hf_0123456789abc")
    monkeypatch.setenv("HTTPS_PROXY", f"http://{PROXY_USER}:{quote(PROXY_PASSWORD, safe='')}@127.0.0.1:9")


@pytest.mark.slow
@pytest.mark.extra("urllib3", "llm")
@pytest.mark.parametrize("place", PLACES)
def test_no_form_of_a_secret_is_in_a_run_folder_or_on_the_terminal(
    place: str, address: str, tmp_path: Path
) -> None:
    ended = subprocess.run(
        [
            *(
                sys.executable,
                "-c",
                "from maze_gym.cli import main; main()",
                "evaluate",
                "--levels",
                "smoke",
                "--episodes",
                "1",
            ),
            *("--policy", f"openai:mirror-{place}", "--out", str(tmp_path / "run")),
            *("--failure-limit", "1", "--retries", "0", "--stall-limit", "2", "--provider-retries", "1"),
        ],
        env=os.environ | {"OPENAI_BASE_URL": loaded(address)},
        capture_output=True,
        check=False,
        timeout=120,
    )
    files = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert {"episodes.jsonl", "calls.jsonl"} <= {path.name for path in files}, ended.stderr.decode()
    texts = [path.read_bytes().decode() for path in files] + [ended.stdout.decode(), ended.stderr.decode()]
    kept = "".join(texts) + "".join(text.encode().decode("unicode_escape") for text in texts)
    assert MASK in kept
    assert [form for form in all_forms() if form in kept] == []


@pytest.mark.extra("urllib3", "llm")
@pytest.mark.parametrize("place", PLACES)
def test_no_traceback_shows_a_secret(place: str, address: str) -> None:
    chat = OpenAIChat(f"mirror-{place}", base_url=loaded(address), max_retries=1, sleep=lambda _: None)
    try:
        told = repr(chat(HELLO)) + repr(chat.settings)
    except ProviderError as error:
        told = "".join(traceback.format_exception(error)) + repr(chat.settings)
    assert MASK in told
    assert [form for form in all_forms() if form in told] == []


@pytest.mark.extra("urllib3", "llm")
@pytest.mark.parametrize("place", ["reply", "names", "401"])
def test_what_a_proxy_echoes_shows_no_secret(
    place: str, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = f"{PROXY_USER}:{quote(PROXY_PASSWORD, safe='')}"
    monkeypatch.setenv("HTTP_PROXY", address.removesuffix("/v1").replace("://", f"://{user}@"))
    monkeypatch.setenv("NO_PROXY", "")
    chat = OpenAIChat(f"mirror-{place}", base_url="http://server.invalid/v1?a=b", max_retries=0)
    try:
        told = repr(chat(HELLO))
    except ProviderError as error:
        told = "".join(traceback.format_exception(error))
    assert "server.invalid" in told
    assert [form for form in all_forms() if form in told] == []


@pytest.mark.extra("huggingface_hub", "hf")
@pytest.mark.parametrize("place", ["reply", "model", "401", "429"])
def test_no_traceback_of_the_hub_shows_a_token(
    place: str, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HTTPS_PROXY")
    base_url = f"{address}?token={quote(QUERY, safe='')}"
    chat = HuggingFaceChat(f"mirror-{place}", base_url=base_url, max_retries=0, sleep=lambda _: None)
    try:
        told = repr(chat(HELLO)) + repr(chat.settings)
    except ProviderError as error:
        told = "".join(traceback.format_exception(error)) + repr(chat.settings)
    hidden = forms("hf_0123456789abc") | forms(QUERY)
    assert [form for form in hidden if form in told] == []


@pytest.mark.extra("urllib3", "llm")
@pytest.mark.parametrize(
    "url",
    [
        "ftp://me:hidden/word@h/v1?a=hidden",
        "http://me:hidden@h:99999/v1",
        "http://me:hidden/word@h/v1",
        "me:hidden@h/v1",
        "sk-hidden0123",
        "http://h:0/key/hidden?hidden",
    ],
)
def test_a_broken_address_is_refused_without_its_secrets(url: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        Endpoint(url, "chat", {}, 1.0)
    assert "hidden" not in "".join(traceback.format_exception(caught.value)).split("Error")[-1]
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize("key", ["a", "e", "t", "T", "max", "to", "LE"])
def test_a_short_key_blots_out_no_letters_of_words(key: str) -> None:
    secrets = secrets_of("http://localhost/v1", key)
    for text in ("max_tokens must be at most 8192", "FINAL_OUTPUT: LEFT", "take a key to the gate at (0, 1)"):
        assert secrets.mask(text) == text
    for text in ("bad key Bearer {}", "the key: '{}'", '{{"token": "{}"}}', "no such place: /v1?k={}"):
        assert secrets.mask(text.format(key)) == text.format(MASK)


def test_a_password_of_a_few_letters_is_masked_as_a_whole_token() -> None:
    secrets = secrets_of("http://me:pass@h/v1")
    assert secrets.mask("pass is wrong, as in http://me:pass@h, not passage, by-pass or the passed") == (
        f"{MASK} is wrong, as in http://{MASK}@h, not passage, by-pass or the passed"
    )
    assert secrets.mask("Basic bWU6cGFzcw== or bWU6cGFzcw") == f"Basic {MASK} or {MASK}"


@given(letters, st.text(), st.text())
def test_no_form_of_a_long_secret_is_left_wherever_it_stands(secret: str, before: str, after: str) -> None:
    secrets = Secrets([secret])
    for form in forms(secret):
        assert form not in secrets.mask(before + form + after)
    amid = base64.b64encode(before.encode() + secret.encode() + after.encode()).decode()
    assert secrets.mask(amid) != amid


@given(st.text(st.characters(codec="ascii", categories=("L", "N"))))
def test_without_secrets_no_text_is_changed(text: str) -> None:
    assert Secrets([]).mask(text) == text


def test_an_address_is_told_without_what_is_secret_in_it() -> None:
    assert (
        without_secrets("https://u:p@h:8443/v1/token/abc/chat?x=1#y")
        == f"https://h:8443/v1/token/{MASK}/chat"
    )
    assert without_secrets("http://[::1]:8080/v1/models/gpt-4o-2024-08-06") == (
        "http://[::1]:8080/v1/models/gpt-4o-2024-08-06"
    )
