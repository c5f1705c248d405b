"""The whole loop on one CPU core: levels, oracle chats, a tiny language model, its score on new levels.

``python examples/finetune_tiny_lm.py --out runs/tiny`` (needs ``maze-gym[transformers]``) takes ten minutes:

1. ``maze-gym generate`` makes small mazes, split by their symmetry-aware hash;
2. ``maze-gym export chat`` writes what the oracle says in the training mazes, along its own way and
   wherever a random walk came to;
3. a Llama of under a million weights, with a tokenizer of its own, learns the answers from scratch;
4. ``maze-gym evaluate`` lets the backend ``transformers`` play the test mazes, which nobody has seen.

With the budget below it answers most single situations rightly and still wins hardly any maze.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

IGNORED = -100  # the label of a token that is not to be learned
END, PADDING, ROLES = "<|end|>", "<|padding|>", ("<|system|>", "<|user|>", "<|assistant|>")
TEMPLATE = (
    "{% for message in messages %}{{ '<|' + message.role + '|>' + message.content + '<|end|>' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)
CONTEXT = 512  # tokens; a prompt of this world has about thirty
# A clause is what ends in one of these: the walls of a row, a pose, a rule. Most become one token.
CLAUSE = Regex(r"[^;.\n]*[;.\n]+ ?")
CHECKED = 500  # held-out answers on which the loss is measured


def maze_gym(*words: str | Path) -> None:
    """Run the command line of this package, as a user would."""
    print("$ maze-gym", *words, flush=True)
    command = [str(Path(sys.executable).with_name("maze-gym")), *map(str, words)]
    subprocess.run(command, check=True)


def chats(folder: Path) -> list[list[dict[str, str]]]:
    """The messages of every row of an export."""
    lines = [line for file in sorted(folder.glob("*.jsonl")) for line in file.open(encoding="utf-8")]
    return [json.loads(line)["messages"] for line in lines]


def make_tokenizer(texts: list[str], size: int) -> Any:
    """Bytes, and merges of them within a clause."""
    bpe = Tokenizer(models.BPE())
    clauses = pre_tokenizers.Split(CLAUSE, behavior="isolated")
    bpe.pre_tokenizer = pre_tokenizers.Sequence(
        [clauses, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=[PADDING, END, *ROLES],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    bpe.train_from_iterator(texts, trainer)
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=bpe, eos_token=END, pad_token=PADDING, additional_special_tokens=list(ROLES)
    )
    tokenizer.chat_template = TEMPLATE
    return tokenizer


def encode(tokenizer: Any, rows: list[list[dict[str, str]]]) -> tuple[torch.Tensor, torch.Tensor]:
    """(rows, longest) token ids, and the same as labels with ``IGNORED`` on all but the answers."""
    asked = tokenizer.apply_chat_template([row[:-1] for row in rows], add_generation_prompt=True)["input_ids"]
    answers = tokenizer([row[-1]["content"] + END for row in rows])["input_ids"]
    longest = max(len(left) + len(right) for left, right in zip(asked, answers, strict=True))
    if longest > CONTEXT:
        sys.exit(f"a chat has {longest} tokens, and the model's context is {CONTEXT}")
    ids = torch.full((len(rows), longest), tokenizer.pad_token_id)
    labels = torch.full((len(rows), longest), IGNORED)
    for place, (left, right) in enumerate(zip(asked, answers, strict=True)):
        ids[place, : len(left) + len(right)] = torch.tensor(left + right)
        labels[place, len(left) : len(left) + len(right)] = torch.tensor(right)
    return ids, labels


def make_model(tokenizer: Any, width: int, layers: int) -> Any:
    """A Llama with random weights."""
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=width,
        intermediate_size=3 * width,
        num_hidden_layers=layers,
        num_attention_heads=4,
        max_position_embeddings=CONTEXT,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    return transformers.LlamaForCausalLM(config)


def train(
    model: Any,
    ids: torch.Tensor,
    labels: torch.Tensor,
    steps: int,
    batch: int,
    seed: int,
) -> None:
    """AdamW with a warm-up and a decay to zero; tells how often held-out answers are right to the letter."""
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.1, betas=(0.9, 0.95))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=3e-3, total_steps=steps, pct_start=0.1)
    begin, held_out = time.perf_counter(), CHECKED if len(ids) > 2 * CHECKED else 0
    order = torch.randperm(len(ids), generator=generator)
    checked, learned = order[:held_out], order[held_out:]
    for step in range(1, steps + 1):
        picked = learned[torch.randint(len(learned), (batch,), generator=generator)]
        loss = model(input_ids=ids[picked], labels=labels[picked]).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 100 == 0 or step == steps:
            right = (
                f", {exact(model, ids[checked], labels[checked]):.1%} of answers right" if held_out else ""
            )
            print(
                f"step {step}: loss {loss.item():.3f}{right}, {time.perf_counter() - begin:.0f} s", flush=True
            )


def exact(model: Any, ids: torch.Tensor, labels: torch.Tensor) -> float:
    """The share of answers of which every token is the most likely one."""
    with torch.no_grad():
        guessed = model(input_ids=ids).logits[:, :-1].argmax(-1)
    wanted = labels[:, 1:]
    right = ((guessed == wanted) | (wanted == IGNORED)).all(1)
    return float(right.float().mean())


def main() -> None:
    """Make, export, train, evaluate."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True, help="a new folder for everything")
    parser.add_argument(
        "--mazes", type=int, default=1000, help="how many, of which four in five are for training"
    )
    parser.add_argument("--topology", default="winding_corridor")
    parser.add_argument("--rows", type=int, default=9)
    parser.add_argument("--cols", type=int, default=9)
    parser.add_argument("--steps", type=int, default=600, help="of the optimizer")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--vocabulary", type=int, default=2500)
    parser.add_argument("--episodes", type=int, default=50, help="of the evaluation")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    mazes, told = options.out / "mazes", ("--prompting", "minimal", "--show-legal-actions")
    size = ("--rows", str(options.rows), "--cols", str(options.cols))
    maze_gym("generate", "--count", str(options.mazes), "--topology", options.topology, *size, "--out", mazes)
    training = mazes / "train-00000.jsonl"
    export = ("export", "chat", "--levels", training, *told, "--splits", "1,0,0")
    maze_gym(*export, "--out", options.out / "oracle")
    walk = ("--policy", "random", "--failure-limit", "4", "--answers", "solver", "--keep", "all")
    maze_gym(*export, *walk, "--out", options.out / "corrected")
    rows = chats(options.out / "oracle") + chats(options.out / "corrected")
    tokenizer = make_tokenizer([message["content"] for row in rows for message in row], options.vocabulary)
    ids, labels = encode(tokenizer, rows)
    model = make_model(tokenizer, options.width, options.layers)
    print(
        f"{len(rows):,} chats of up to {ids.shape[1]} tokens, {model.num_parameters():,} weights", flush=True
    )
    train(model, ids, labels, options.steps, options.batch, options.seed)
    tokenizer.save_pretrained(options.out / "model")
    model.save_pretrained(options.out / "model")
    players = ("random-chat", f"transformers:{options.out / 'model'}", "oracle-chat")
    policies = [word for name in players for word in ("--policy", name)]
    score = ("evaluate", "--levels", mazes / "test-00000.jsonl", *told, "--max-tokens", "16")
    maze_gym(*score, *policies, "--episodes", str(options.episodes), "--out", options.out / "evaluation")


if __name__ == "__main__":
    main()
