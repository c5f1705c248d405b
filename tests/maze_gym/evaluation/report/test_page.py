"""The page: what stands in it, what may not happen in it, and what a browser makes of it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import replace
from importlib import resources
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maze_gym.evaluation.report import examine, page
from maze_gym.evaluation.report.page import as_script_data
from maze_gym.evaluation.report.replays import MAX_TEXT, unpacked
from maze_gym.llm.config import ExperimentConfig

from ...levels import ALL_KINDS, CORRIDOR, TALL
from ..played_runs import level_folder, play

if TYPE_CHECKING:
    from pathlib import Path

    from maze_gym.evaluation.report import Material
    from maze_gym.evaluation.storage.run_reading import Run

ATTEMPTS = 5
LARGEST = 2_500_000  # characters of a page of 1,000 episodes; it has 1.2 million now
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
MARK = "document.documentElement.dataset.hacked='yes'"
ATTACKS = (
    f"</script><script>{MARK}</script>",
    f"<script>{MARK}</script>",
    f'<img src=x onerror="{MARK}">',
    f'"\'><svg onload="{MARK}">',
    "<!-- <script>",
    f"</pre></title></style><script>{MARK}</script>",
    f"\\u003c/script>\u2028\u2029]]>{{{{script}}}}${{{MARK}}}",
    f'<iframe srcdoc="<script>parent.{MARK}</script>"></iframe>',
    f'<a href="javascript:{MARK}">here</a>',
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Three levels, three policies, one of them a model that talks."""
    root = tmp_path_factory.mktemp("report")
    levels = level_folder(root / "levels", [ALL_KINDS, CORRIDOR, TALL])
    return play(root / "run", ["random", "oracle", "oracle-chat"], levels)


@pytest.fixture(scope="module")
def material(run: Run) -> Material:
    return examine([run], cell_px=16)


def data_of(text: str, name: str) -> object:
    found = re.search(rf'<script type="application/json" id="{name}">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_the_same_runs_are_the_same_page(run: Run, material: Material) -> None:
    assert page(material) == page(examine([run], cell_px=16))


def test_generated_levels_have_no_hash(tmp_path: Path, material: Material) -> None:
    generated = play(tmp_path / "run", ["greedy"], tier=1, episodes=1)
    hashed, text = str(generated.config["level_set"]), page(examine([generated], cell_px=16))
    assert "generated levels" in text
    assert hashed[:12] not in text
    assert str(material.runs[0].config["level_set"])[:12] in page(material)


def test_the_page_needs_no_network(material: Material) -> None:
    text = page(material)
    assert "default-src 'none'" in text
    outside = re.findall(r"""\b(?:src|href)=["']?([^"'\s>]+)""", text.split("<script type=")[0])
    assert outside
    assert all(each.startswith(("#", "data:")) for each in outside)
    assert "://" not in text.replace("http://www.w3.org", "")
    assert "@import" not in text
    assert "url(" not in text


def test_every_episode_is_listed_and_can_be_stepped_through(run: Run, material: Material) -> None:
    text = page(material)
    index, replays = data_of(text, "index"), data_of(text, "replays")
    assert isinstance(index, dict)
    assert isinstance(replays, list)
    assert len(index["episodes"]) == len(replays) == len(run.episodes) == 9
    for row, packed in zip(index["episodes"], replays, strict=True):
        replay = unpacked(packed)
        assert len(replay["steps"]) == len(replay["changes"]) == row[7]
        assert len(replay["first"]) == replay["size"][0] * replay["size"][1]
    names = [contender["actions"][0] for contender in index["contenders"]]
    assert names == ["TURN_LEFT"] * 3


def test_what_a_model_saw_and_said_and_how_it_was_read_is_there(material: Material) -> None:
    replay = unpacked(material.replays[2, 1])
    query = replay["queries"][0]
    strings = replay["strings"]
    assert [strings[role] for role, _ in query["asked"]] == ["system", "user"]
    assert "FINAL_OUTPUT" in strings[query["reply"]]
    assert query["actions"] == [replay["steps"][0][0]]
    assert [step[6] for step in replay["steps"]] == [0] * len(
        replay["steps"]
    )  # the oracle's words are optimal


def test_a_cap_on_replays_keeps_the_same_levels_of_everybody(run: Run) -> None:
    material = examine([run], replays=4, cell_px=16)
    assert sorted(material.replays) == [(0, 0), (0, 1), (1, 0), (2, 0)]
    assert all(each.diagnosis is not None for contender in material.contenders for each in contender.episodes)
    assert "5 episodes have no replay here" in page(material)


@pytest.mark.slow
@pytest.mark.no_cover  # nothing that the others do not run, but much of it
def test_a_page_of_a_thousand_episodes_is_whole_and_small(tmp_path: Path) -> None:
    """How fast it opens is ``benchmarks/bench_report.py``'s to say; it could not if it were large."""
    run = play(tmp_path, ["random", "greedy", "oracle", "oracle-chat"], "starter", episodes=250)
    text = page(examine([run]))
    index, replays = data_of(text, "index"), data_of(text, "replays")
    assert isinstance(index, dict)
    assert isinstance(replays, list)
    assert len(index["episodes"]) == len(replays) == 1_000
    assert sorted(row[12] for row in index["episodes"]) == list(range(1_000))  # each has a replay of its own
    assert [len(unpacked(each)["steps"]) for each in replays] == [row[7] for row in index["episodes"]]
    assert len(text) < LARGEST


def test_endless_texts_are_cut_and_say_so(run: Run) -> None:
    from maze_gym.evaluation.report.replays import packed

    material = examine([run], replays=1, cell_px=16)
    diagnosis = material.contenders[0].episodes[0].diagnosis
    assert diagnosis is not None
    from maze_gym.evaluation.report.frames import Atlas, Film

    query = {"step": 0, "attempt": 0, "messages": [], "reply": "x" * (MAX_TEXT + 5)}
    strings = unpacked(packed(diagnosis, Film(Atlas()), [query]))["strings"]
    assert strings[-1].endswith("[5 more characters are not shown]")


def test_unfinished_runs_and_unscored_episodes_are_announced(tmp_path: Path) -> None:
    levels = level_folder(tmp_path / "levels", [CORRIDOR])
    script = tmp_path / "script.jsonl"
    script.write_text(json.dumps("FINAL_OUTPUT: TURN_LEFT") + "\n")  # then the provider fails
    run = play(tmp_path / "run", [f"scripted:{script}"], levels)
    text = page(examine([replace(run, config={**run.config, "episodes": 5})], cell_px=16))
    assert "run is unfinished: 1 of 5 episodes ended" in text
    assert "1 of 1 episodes ended without a verdict" in text


@given(st.recursive(st.text() | st.sampled_from(ATTACKS), st.lists, max_leaves=5))
def test_data_in_a_script_never_ends_it(data: object) -> None:
    text = as_script_data(data)
    assert json.loads(text) == data
    assert not set(text) & set("<>&\u2028\u2029")


@pytest.fixture(scope="module")
def hostile_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which whatever can be chosen by others is an attack."""
    root = tmp_path_factory.mktemp("hostile")
    mazes = [
        replace(CORRIDOR, level_id=ATTACKS[0]),
        replace(TALL, level_id=ATTACKS[3]),
    ]
    levels = root / "levels"
    levels.mkdir()
    from mazegen import codec

    for number, maze in enumerate(mazes):
        codec.dump(maze, levels / f"{number}.json")
    script = root / "<img src=x onerror=document.documentElement.dataset.hacked='yes'>.jsonl"
    replies = [f"{attack}\nFINAL_OUTPUT: {attack}" for attack in ATTACKS]
    replies += [f"{attack}\nFINAL_OUTPUT: TURN_LEFT" for attack in ATTACKS]
    script.write_text("".join(json.dumps(reply) + "\n" for reply in replies))
    run = play(root / "<script>run", [f"scripted:{script}"], levels, config=ExperimentConfig(retries=9))
    attacked = replace(run, config={**run.config, "version": ATTACKS[1], "level_set": ATTACKS[2]})
    file = root / "report.html"
    file.write_text(page(examine([attacked], cell_px=16), title=ATTACKS[5]), encoding="utf-8")
    return file


def test_the_script_makes_no_html_of_text() -> None:
    script = resources.files("maze_gym.evaluation.report").joinpath("assets", "page.js").read_text()
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", script)


def test_attacks_are_in_the_page_as_text_only(hostile_page: Path) -> None:
    text = hostile_page.read_text(encoding="utf-8")
    assert len(re.findall(r"<script\b", text)) == 3
    assert len(re.findall(r"<img\b", text)) == 1
    assert not re.search(r"<(?:svg onload|iframe|a href=.javascript)", text)


def dom(file: Path, profile: Path, fragment: str) -> str:
    """The page after its script has run and an episode is shown, with all that is open in it."""
    for attempt in range(ATTEMPTS):
        text = dumped(file, profile.with_name(f"{profile.name}{attempt}"), fragment)
        if 'data-shown="yes"' in text:  # unpacking takes real time, and the browser counts its own
            return text
    pytest.fail(f"no episode was shown in {ATTEMPTS} attempts")


def dumped(file: Path, profile: Path, fragment: str) -> str:
    """What the browser makes of a page, told to run it for eight seconds of its own time."""
    assert CHROMIUM is not None
    command = [
        CHROMIUM,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
        f"--user-data-dir={profile}",
        "--virtual-time-budget=8000",
        "--dump-dom",
        f"{file.as_uri()}#{fragment}",
    ]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=100).stdout


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
def test_no_attack_runs_in_a_browser_and_all_of_them_are_shown(hostile_page: Path, tmp_path: Path) -> None:
    shown = dom(hostile_page, tmp_path / "profile", "e0.1.open")
    assert 'data-ready="yes"' in shown
    assert 'data-shown="yes"' in shown
    assert "data-hacked" not in shown
    assert "&lt;img src=x onerror=" in shown
    assert "not usable: unknown action" in shown
    assert shown.count('class="query"') >= len(ATTACKS)
    assert 'class="role">user' in shown


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
def test_a_link_to_a_frame_opens_it(material: Material, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(page(material), encoding="utf-8")
    shown = dom(file, tmp_path / "profile", "e7.2")  # the second episode of the third policy
    assert "step 2 of 2" in shown
    assert "FINAL_OUTPUT: MOVE_FORWARD" in shown
    assert "read as MOVE_FORWARD" in shown
    assert "optimal; 0 actions remain" in shown
