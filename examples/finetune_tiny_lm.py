"""The whole loop on one CPU: levels, the solver's chats, a tiny language model, its score on new levels.

``python examples/finetune_tiny_lm.py --out runs/tiny`` (needs ``maze-gym[transformers]``, and torch 2.9
or newer) takes twelve minutes on one free core, eight of them for training:

1. ``maze-gym generate`` makes small mazes with some loops, split by the hash of the puzzle;
2. ``maze-gym export chat`` writes what the solver would say in the training mazes, wherever a player comes
   who errs in every fourth turn: so the model learns to find back from its own mistakes;
3. a GPT of a million weights, with a tokenizer of its own, learns the answers from scratch;
4. ``maze-gym evaluate`` lets the backend ``transformers`` play the test mazes, which nobody has seen.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import torch
import transformers
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

IGNORED = -100  # the label of a token that is not to be learned
UNKNOWN, PADDING, END, ANSWER = "<|unknown|>", "<|padding|>", "<|end|>", "<|answer|>"
TEMPLATE = (
    "{% for said in messages %}{% if said.role == 'assistant' %}<|answer|>{{ said.content }}<|end|>"
    "{% else %}{{ said.content + '\n\n' }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|answer|>{% endif %}"
)
CONTEXT = 256  # tokens; a prompt of this world has about thirty
# What stands between two of these is one token: the walls of a row, a pose, a rule.
BETWEEN = Regex(r"[;.]?\n+|[;.] |Walls inside: ")
# What tells nothing about the next action is not read: the clock, and sentences that stand in every turn.
SILENT = Regex(r"Steps taken: \d+\. Steps left: \d+\.|You hold no keys\.|Which action do you take\?")
BATCH, TURNS = 4, 32  # mazes in a step, and situations of each
WARM_UP = 50  # steps
CHECKED = 50  # mazes that are not learned from, to see how often the answers are right


class Maze(NamedTuple):
    """What a maze's chats begin with, and how each goes on: tokens of the turn, and of the answer."""

    begin: list[int]
    turns: list[tuple[list[int], list[int]]]


def maze_gym(*words: str | Path) -> None:
    """Run the command line of this package, as a user would."""
    print("$ maze-gym", *words, flush=True)
    command = [str(Path(sys.executable).with_name("maze-gym")), *map(str, words)]
    subprocess.run(command, check=True)


def make_tokenizer(texts: list[str]) -> Any:
    """Every clause of the chats is a token."""
    words = Tokenizer(models.WordLevel(unk_token=UNKNOWN))
    words.normalizer = normalizers.Replace(SILENT, "")
    words.pre_tokenizer = pre_tokenizers.Split(BETWEEN, behavior="removed")
    words.decoder = decoders.Fuse()
    special = [UNKNOWN, PADDING, END, ANSWER]
    words.train_from_iterator(texts, trainers.WordLevelTrainer(special_tokens=special, show_progress=False))
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=words, unk_token=UNKNOWN, pad_token=PADDING, eos_token=END,
        additional_special_tokens=[ANSWER],
    )  # fmt: skip
    tokenizer.chat_template = TEMPLATE
    return tokenizer


def encode(tokenizer: Any, chats: list[list[dict[str, str]]]) -> list[Maze]:
    """The chats of each maze, whose common beginning is kept once."""
    mazes = []
    for begin, same in groupby(chats, key=lambda chat: chat[0]):
        several = list(same)
        shared = tokenizer.apply_chat_template([begin])["input_ids"]
        asked = tokenizer.apply_chat_template([chat[:-1] for chat in several], add_generation_prompt=True)
        said = tokenizer([chat[-1]["content"] + END for chat in several])["input_ids"]
        turns = {
            tuple(ids[len(shared) :]): answer for ids, answer in zip(asked["input_ids"], said, strict=True)
        }
        mazes.append(Maze(shared, [(list(turn), answer) for turn, answer in turns.items()]))
    return mazes


def make_model(tokenizer: Any, width: int, layers: int) -> Any:
    """A GPT-2 with random weights."""
    config = transformers.GPT2Config(
        vocab_size=len(tokenizer), n_positions=CONTEXT, n_embd=width, n_layer=layers, n_head=4,
        activation_function="gelu", resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
        bos_token_id=None, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    return transformers.GPT2LMHeadModel(config)


class Batch(NamedTuple):
    """Mazes side by side, each with several turns behind its one beginning.

    Attributes:
        ids: (mazes, longest) tokens.
        places: (mazes, longest) positions: every turn goes on where the beginning ends.
        sees: (mazes, 1, longest, longest) 0 where a token may look, else a large negative number: a turn sees
            the beginning and itself, as if it stood alone.
        labels: (mazes, longest) the next token, ``IGNORED`` outside of answers.
    """

    ids: torch.Tensor
    places: torch.Tensor
    sees: torch.Tensor
    labels: torch.Tensor


def put_together(mazes: list[Maze], padding: int) -> Batch:
    """A batch of these mazes with all of their turns, where each beginning is computed only once."""
    rows = []
    for begin, turns in mazes:
        row = [(token, place, 0, IGNORED) for place, token in enumerate(begin)]
        for number, (asked, answer) in enumerate(turns, 1):
            labels = [*[IGNORED] * (len(asked) - 1), *answer, IGNORED]
            for place, (token, label) in enumerate(zip(asked + answer, labels, strict=True), len(begin)):
                row.append((token, place, number, label))
        rows.append(row)
    longest = max(map(len, rows))
    filler = (padding, 0, -1, IGNORED)
    table = torch.tensor([row + [filler] * (longest - len(row)) for row in rows])
    ids, places, numbers, labels = table.unbind(-1)
    same = (numbers[:, None, :] == numbers[:, :, None]) | (numbers[:, None, :] == 0)
    hidden = ~(same & torch.ones(longest, longest, dtype=torch.bool).tril())
    return Batch(ids, places, torch.zeros(hidden.shape).masked_fill(hidden, -1e9)[:, None], labels)


def answers(model: Any, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """(answer tokens, vocabulary) logits, and the right tokens."""
    inner = model.transformer(batch.ids, position_ids=batch.places, attention_mask=batch.sees)
    asked = batch.labels != IGNORED
    return model.lm_head(inner.last_hidden_state[asked]), batch.labels[asked]


def make_optimizers(model: Any, steps: int, rate: float) -> tuple[list[Any], list[Any]]:
    """Muon for the matrices of the layers, which halves the steps that are needed; AdamW for the rest."""
    named = list(model.named_parameters())
    matrices = [weights for name, weights in named if ".h." in name and weights.ndim > 1]
    rest = [weights for name, weights in named if ".h." not in name or weights.ndim == 1]
    optimizers = [
        torch.optim.Muon(matrices, lr=5 * rate, weight_decay=0.1, adjust_lr_fn="match_rms_adamw"),
        torch.optim.AdamW(rest, lr=rate, weight_decay=0.0, betas=(0.9, 0.95)),
    ]
    scheduled = torch.optim.lr_scheduler.LambdaLR
    schedules = [scheduled(each, lambda step: min(step / WARM_UP, 1 - step / steps)) for each in optimizers]
    return optimizers, schedules


def train(model: Any, mazes: list[Maze], steps: int, rate: float, seed: int) -> None:
    """Tells now and then how often answers in mazes that are kept back are right."""
    generator = torch.Generator().manual_seed(seed)
    optimizers, schedules = make_optimizers(model, steps, rate)
    begin, padding = time.perf_counter(), model.config.pad_token_id
    back = min(CHECKED, len(mazes) // 2)
    checked = [put_together([Maze(first, turns[:TURNS])], padding) for first, turns in mazes[:back]]
    for step in range(1, steps + 1):
        picked = []
        for index in torch.randint(back, len(mazes), (BATCH,), generator=generator).tolist():
            first, turns = mazes[index]
            order = torch.randperm(len(turns), generator=generator)[:TURNS].tolist()
            picked.append(Maze(first, [turns[place] for place in order]))
        loss = torch.nn.functional.cross_entropy(*answers(model, put_together(picked, padding)))
        model.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for each in (*optimizers, *schedules):
            each.step()
        if step % 250 == 0 or step == steps:
            right = exact(model, checked)
            spent = time.perf_counter() - begin
            print(
                f"step {step}: loss {loss.item():.3f}, {right:.1%} of answers right, {spent:.0f} s",
                flush=True,
            )


def exact(model: Any, batches: list[Batch]) -> float:
    """The share of tokens of answers, their ends left out, that are the most likely ones."""
    hits = []
    with torch.no_grad():
        for batch in batches:
            logits, right = answers(model, batch)
            hits.append((logits.argmax(-1) == right)[right != model.config.eos_token_id])
    return float(torch.cat(hits).float().mean())


def main() -> None:
    """Make, export, train, evaluate."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True, help="a new folder for everything")
    parser.add_argument("--mazes", type=int, default=4000, help="of which four in five are for training")
    parser.add_argument("--rows", type=int, default=9)
    parser.add_argument("--cols", type=int, default=9)
    parser.add_argument("--loops", type=int, default=4, help="second ways that each maze has")
    parser.add_argument("--steps", type=int, default=4000, help="of the optimizer")
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--episodes", type=int, default=200, help="of the evaluation")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.set_num_threads(1)  # its matrices are too small to be shared out
    torch.manual_seed(options.seed)
    mazes, model_folder = options.out / "mazes", options.out / "model"
    spec = {"topology": "dense_maze", "rows": options.rows, "cols": options.cols}
    spec["params"] = {"loops": options.loops}
    told = ("--prompting", "minimal", "--show-legal-actions")
    player = ("--policy", "noisy:0.25", "--answers", "solver", "--keep", "all", "--splits", "1,0,0")
    maze_gym("generate", "--count", str(options.mazes), "--spec", json.dumps(spec), "--out", mazes)
    training = mazes / "train-00000.jsonl"
    maze_gym("export", "chat", "--levels", training, *told, *player, "--out", options.out / "chats")
    lines = (options.out / "chats" / "train.jsonl").read_text("utf-8").splitlines()
    chats = [json.loads(line)["messages"] for line in lines]
    tokenizer = make_tokenizer([message["content"] for chat in chats for message in chat])
    model = make_model(tokenizer, options.width, options.layers)
    print(
        f"{len(chats):,} chats, {len(tokenizer):,} kinds of tokens, {model.num_parameters():,} weights",
        flush=True,
    )
    train(model, encode(tokenizer, chats), options.steps, options.rate, options.seed)
    tokenizer.save_pretrained(model_folder)
    model.save_pretrained(model_folder)
    players = ("random", "random-chat", "greedy", f"transformers:{model_folder}", "oracle-chat")
    policies = [word for name in players for word in ("--policy", name)]
    # The likeliest replies alone can lead round in a circle until time is up; drawn ones come out of it.
    drawn = ("--max-tokens", "4", "--temperature", "0.5")
    score = ("evaluate", "--levels", mazes / "test-00000.jsonl", *told, *drawn)
    maze_gym(*score, *policies, "--episodes", str(options.episodes), "--out", options.out / "evaluation")


if __name__ == "__main__":
    main()
