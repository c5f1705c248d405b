"""Runs that go on, stop and are planned, as a user meets them."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from maze_gym.evaluation.storage import tracking
from maze_gym.evaluation.storage.run_reading import read_run

from ..llm.conftest import address  # noqa: F401 - a fixture
from .test_cli import run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Ran = Callable[..., tuple[int, str, str]]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ran:
    for name in ("MAZE_GYM_PRICE_IN", "MAZE_GYM_PRICE_OUT", "COLUMNS"):  # pytest's workers have columns
        monkeypatch.delenv(name, raising=False)
    return lambda *arguments: run(capsys, monkeypatch, *map(str, arguments))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, address: str) -> None:  # noqa: F811 - the fixture
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")


SMALL = ("evaluate", "--levels", "smoke", "--episodes", "4", "--stall-limit", "4")


def test_a_run_goes_on_when_it_is_told_to(cli: Ran, tmp_path: Path) -> None:
    call = (*SMALL, "--policy", "random", "--policy", "oracle-chat", "--out", tmp_path, "--json")
    first = cli(*call)
    assert first[0] == 0
    assert first[2] == "maze-gym: 74 calls of language models\n"
    assert cli(*call)[0] == 2
    again = cli(*call, "--resume")
    assert (again[0], again[1], again[2]) == (0, first[1], "")
    code, _, err = cli(*call, "--resume", "--seed", "1")
    assert code == 2
    assert err == (
        f"maze-gym: error: {tmp_path} holds another run: seed was 0, is 1; "
        "give the same options, or another folder\n"
    )


def test_the_table_is_the_same_at_any_concurrency(cli: Ran, tmp_path: Path) -> None:
    call = (*SMALL, "--policy", "random", "--policy", "random-chat")
    alone = cli(*call)[1]
    assert cli(*call, "--concurrency", "4")[1] == alone
    assert cli(*call, "--concurrency", "4", "--out", tmp_path)[1] == alone


def test_nothing_in_a_table_is_cut_off_or_taken_for_markup(
    cli: Ran, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = "[red]what a model said[bold].jsonl"
    (tmp_path / name).write_text("".join(json.dumps("FINAL_OUTPUT: TURN_LEFT") + "\n" for _ in range(4)))
    call = ("evaluate", "--levels", "smoke", "--episodes", "1", "--policy", f"scripted:{name}")
    assert f"  scripted:{name} " in cli(*call)[1]  # a pipe has no edge
    monkeypatch.setenv("COLUMNS", "80")
    lines = cli(*call)[1].splitlines()
    assert max(map(len, lines)) <= 80
    shown = "".join(line[2:12] for line in lines[4:]).replace(" ", "")
    assert f"scripted:{name}".replace(" ", "") in shown


@pytest.mark.extra("urllib3", "llm")
@pytest.mark.usefixtures("server")
def test_limits_end_a_run_say_so_and_leave_it_to_be_resumed(cli: Ran, tmp_path: Path) -> None:
    prices = ("--price-in", "2", "--price-out", "10")
    call = (*SMALL, "--policy", "openai:say-turn_left", "--out", tmp_path, *prices)
    code, out, err = cli(*call, "--max-cost", "0.012")
    assert code == 3
    assert "openai:say-turn_left" in out
    assert "stopped: $0.0126 of $0.012 are spent (--max-cost) after 1 of 4 episodes" in err
    assert "go on with --resume" in err
    code, _, err = cli(*call, "--max-total-tokens", "1", "--resume")
    assert code == 3
    assert "6,060 of 1 tokens are used (--max-total-tokens)" in err
    code, _, err = cli(*call, "--resume")
    assert code == 0
    assert "; 2 calls (2,020 tokens) were for episodes that did not end" in err
    assert read_run(tmp_path).is_finished
    code, _, err = cli(*SMALL, "--policy", "random", "--max-time", "0.000001")
    assert code == 3
    assert "are over (--max-time) after 0 of 4 episodes" in err


@pytest.mark.extra("urllib3", "llm")
@pytest.mark.usefixtures("server")
def test_a_refused_key_has_an_exit_code_of_its_own(cli: Ran, tmp_path: Path) -> None:
    code, _, err = cli(*SMALL, "--policy", "openai:locked", "--out", tmp_path)
    assert code == 4
    assert "stopped: openai:locked refused" in err
    assert "after 0 of 4 episodes" in err
    session = read_run(tmp_path).sessions[-1]
    assert session["why"] == "refused"


@pytest.mark.extra("urllib3", "llm")
@pytest.mark.usefixtures("server")
def test_a_model_that_does_not_exist_is_said_in_the_words_of_its_server(cli: Ran) -> None:
    code, out, err = cli("evaluate", "--levels", "smoke", "--policy", "openai:unknown")
    assert code == 4
    assert "0/0" in out
    assert "1 calls of language models" in err  # at once
    assert (
        "stopped: openai:unknown refused: error 404: The model 'unknown' does not exist after 0 of 10" in err
    )


@pytest.mark.extra("urllib3", "llm")
def test_a_server_that_is_down_is_no_result(cli: Ran, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    call = ("evaluate", "--levels", "smoke", "--policy", "openai:x", "--provider-retries", "0")
    code, out, err = cli(*call, "--policy", "random")
    assert code == 4
    assert "provider_error 10" in out
    (line,) = (line for line in err.splitlines() if "unscored" in line)
    assert line.startswith(
        "maze-gym: unscored: 10 of 10 episodes of openai:x; the last one: openai:x did not"
    )
    assert line.endswith("Connection refused")


@pytest.mark.extra("urllib3", "llm")
@pytest.mark.usefixtures("server")
def test_one_episode_without_a_verdict_is_told_and_the_others_count(cli: Ran) -> None:
    code, out, err = cli(*SMALL, "--policy", "openai:busy-1", "--provider-retries", "0", "--json")
    assert code == 0
    assert json.loads(out)["results"][0]["episodes"] == 3
    assert "unscored: 1 of 4 episodes of openai:busy-1; the last one: " in err


@pytest.mark.extra("urllib3", "llm")
@pytest.mark.usefixtures("server")
def test_what_a_provider_did_not_answer_can_be_asked_again(cli: Ran, tmp_path: Path) -> None:
    call = (*SMALL, "--policy", "openai:busy-4", "--provider-retries", "0", "--out", tmp_path)
    code, out, err = cli(*call, "--json")
    assert code == 4  # nothing was answered
    assert json.loads(out)["results"][0]["unscored"] == 4
    assert (
        "unscored: 4 of 4 episodes of openai:busy-4 (--resume --retry-unscored plays them again); "
        "the last one: openai:busy-4 did not answer in 1 attempts; the last time: error 429: slow down\n"
    ) in err
    code, out, _ = cli(*call, "--resume", "--retry-unscored", "--json")
    assert code == 0
    assert json.loads(out)["results"][0]["end_reasons"] == {"parse_failed": 4}  # it answers, with nothing


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--resume",), "--resume needs --out"),
        (("--retry-unscored",), "--retry-unscored needs --resume"),
        (("--track", "tensorboard"), "--track needs --out"),
        (("--max-cost", "1"), "--max-cost needs to know what tokens cost"),
        (("--max-cost", "0", "--price-in", "1", "--price-out", "0"), "max_cost must be more than 0"),
        (("--price-in", "2"), "--price-out is missing (0 if it is free)"),
        (("--price-out", "2"), "--price-in is missing (0 if it is free)"),
        (("--price-in", "inf", "--price-out", "1"), "--price-in must be US dollars for a million tokens"),
    ],
)
def test_options_that_need_others_say_which(cli: Ran, options: tuple[str, ...], message: str) -> None:
    code, _, err = cli(*SMALL, *options)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1


def test_a_plan_shows_what_a_run_takes(cli: Ran) -> None:
    call = ("plan", "--levels", "smoke", "--policy", "openai:x", "--policy", "random")
    code, out, err = cli(*call, "--price-in", "2", "--price-out", "8", "--concurrency", "4")
    assert (code, err) == (0, "")
    assert "10 episodes per policy, 4 at a time" in out
    assert "10 episodes were" in out
    code, out, _ = cli(*call, "--json", "--reply-tokens", "20")
    plan: dict[str, Any] = json.loads(out)
    assert plan["is_optimal"]
    model, other = plan["policies"]
    assert model["output_tokens"]["low"] == pytest.approx(20 * model["calls"]["low"])
    assert other["calls"] == {"low": 0, "high": 0}


@pytest.mark.extra("tensorboard", "rl")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of tensorboard's own imports
def test_results_appear_in_tensorboard(cli: Ran, tmp_path: Path) -> None:
    code, _, _ = cli(*SMALL, "--policy", "oracle-chat", "--out", tmp_path, "--track", "tensorboard")
    assert code == 0
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    log = EventAccumulator(str(tmp_path / tracking.FOLDER))
    log.Reload()
    points = log.Scalars("oracle-chat/success_rate")
    assert [(point.step, point.value) for point in points] == [(0, 1.0), (1, 1.0), (2, 1.0), (3, 1.0)]
    assert {"oracle-chat/steps", "oracle-chat/queries"} <= set(log.Tags()["scalars"])


class Log:
    """Stands in for TensorBoard's writer."""

    points: ClassVar[list[tuple[str, float, int]]] = []

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def add_scalar(self, name: str, value: float, step: int) -> None:
        self.points.append((name, value, step))

    def close(self) -> None:
        """Nothing to write."""


def test_the_curves_of_a_run_that_goes_on_do_so_as_well(
    cli: Ran, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tracking, "require", lambda *_: SimpleNamespace(SummaryWriter=Log))
    monkeypatch.setattr(Log, "points", [])
    played = ("evaluate", "--levels", "starter", "--episodes", "4", "--policy", "greedy")
    call = (*played, "--out", tmp_path, "--track", "tensorboard")
    assert cli(*call)[0] == 0
    whole = list(Log.points)
    assert {step for _, _, step in whole} == {0, 1, 2, 3}
    rates = [value for name, value, _ in whole if name == "greedy/success_rate"]
    assert rates == [1, 1, pytest.approx(2 / 3), 0.75]
    file = tmp_path / "episodes.jsonl"
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:2]))
    Log.points.clear()
    assert cli(*call, "--resume")[0] == 0
    assert Log.points == [point for point in whole if point[2] >= 2]
