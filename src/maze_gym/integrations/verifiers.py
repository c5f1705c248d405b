"""Any world of this suite as a `verifiers` environment (0.4): Taskset, Env, and a harness within the process.

A thin package per world (see ``environments/``) names its options, rewards and metrics; everything that
they have in common stands here. Nothing is uploaded and no sandbox is started: the game runs beside the
evaluation, and the model is reached through the endpoint that verifiers hands to every harness.

Raises ``MissingExtra`` on import where verifiers is not installed.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar

from pydantic import Field, model_validator  # typer brings it, and so does verifiers

from maze_gym.extras import require
from maze_gym.integrations.sessions import Session, SessionSpec, is_solvable
from maze_gym.llm.backends.masking import Secrets
from maze_gym.llm.config import ExperimentConfig
from maze_gym.llm.messages import base64_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import verifiers.v1 as vf

    from maze_gym.integrations.sessions import Prompt
else:  # pydantic and verifiers read the annotations of the classes below
    vf = require("verifiers.v1", "verifiers")

ATTEMPTS = 4  # of one call: a provider that is busy is asked again, as the harnesses of verifiers do
FIRST_WAIT_S = 0.5  # before the second attempt; doubled for each one after it
TRY_AGAIN = frozenset({408, 409, 429, 500, 502, 503, 504})


class GameTasksetConfig(vf.TasksetConfig):
    """What every game can be told with ``--env.taskset.NAME``; the texts below are those of ``--help``."""

    history: Literal["full", "current"] = "full"
    """One growing conversation, or each turn as a request of its own."""
    prompting: Literal["minimal", "standard", "verbose"] = "standard"
    """How much is explained."""
    observation: Literal["text", "text_image", "image_first"] = "text"
    """Text, text and picture, or picture with minimal text."""
    max_invalid_retries: int = Field(2, ge=0)
    """How often to ask again when a reply has no action."""
    example: bool = False
    """Show one example of a reply."""

    @model_validator(mode="after")
    def _is_playable(self) -> Self:
        """What cannot be put into words is refused here, where the command line says so in one line."""
        self.experiment()
        return self

    def experiment(self, **more: Any) -> ExperimentConfig:  # noqa: ANN401 - fields of the config
        """How episodes are put into words.

        Raises:
            InvalidArgument: a field is out of range.
        """
        return ExperimentConfig(
            history="full" if self.history == "full" else "window",  # type: ignore[arg-type]  # plain strings are taken
            prompting=self.prompting,  # type: ignore[arg-type]  # the same
            observation=self.observation,  # type: ignore[arg-type]  # the same
            retries=self.max_invalid_retries,
            example=self.example,
            **more,
        )


class GameData(vf.TaskData):
    """One episode; JSON data that brings it back on any machine.

    Attributes:
        episode: the fields of ``SessionSpec``.
    """

    episode: dict[str, Any]

    @property
    def spec(self) -> SessionSpec:
        """The episode."""
        return SessionSpec.from_dict(self.episode)


class GameTask(vf.Task[GameData, vf.State, vf.TaskConfig]):
    """An episode as verifiers knows it; rewards and metrics are those of each world's own task.

    They read ``outcome(trace)``, which ``GameEnv`` writes when the episode is over.
    """

    @property
    def key(self) -> str:
        """The same in every set and order, so that ``--resume`` and joins find it again."""
        return self.data.spec.key  # type: ignore[no-any-return]  # see above

    async def validate(self, runtime: vf.Runtime) -> bool:  # noqa: ARG002 - no sandbox is needed
        """Prove that the episode can be won, by winning it."""
        return await asyncio.to_thread(is_solvable, self.data.spec)


TaskT = TypeVar("TaskT", bound=GameTask)


def outcome(trace: vf.Trace) -> Mapping[str, Any]:
    """``Session.outcome`` of the episode of a trace."""
    played: Mapping[str, Any] = trace.info["outcome"]
    return played


def game_tasks(kind: type[TaskT], specs: Iterator[SessionSpec], config: GameTasksetConfig) -> Iterator[TaskT]:
    """Episodes as tasks of a kind, each with the system prompt that its episode has."""
    for spec in specs:
        session = Session(spec)
        data = GameData(name=spec.key, system_prompt=session.system, episode=spec.to_dict())
        session.close()
        yield kind(data, config.task)


class GameEnvConfig(vf.EnvConfig):
    """The one seat, in this process: no sandbox, no login."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class GameEnv(vf.Env[GameEnvConfig]):
    """Plays one episode with the agent; the game is the user of the conversation."""

    async def run(self, task: GameTask, agents: vf.Agents) -> None:
        """Begin the episode, let the agent play it, and leave the outcome in the trace."""
        # Off the event loop: a level is searched, and the first search of a process is compiled.
        session = await asyncio.to_thread(Session, task.data.spec)
        try:
            if str(session.config.history) == "full":
                await _converse(session, task, agents)
            else:
                await _ask_afresh(session, task, agents)
        finally:
            session.close()


async def _converse(session: Session, task: GameTask, agents: vf.Agents) -> None:
    """One growing conversation: a trace for the episode."""
    async with agents.agent.interaction(task) as exchange:
        prompt = session.prompt
        while not session.ended:
            segment = await exchange.turn([_user(prompt)])
            if segment.terminated:  # a limit, or a provider that failed: the trace says which
                break
            prompt = session.reply(segment.last_reply)
        exchange.trace.info["outcome"] = session.outcome()
        if session.ended:
            exchange.trace.stop(str(session.reason))


async def _ask_afresh(session: Session, task: GameTask, agents: vf.Agents) -> None:
    """Each turn a request of its own: a trace for the turn, each with the episode's rewards."""
    traces: list[vf.Trace] = []
    prompt = session.prompt
    while not session.ended:
        data = vf.TaskData(
            idx=task.data.idx,
            name=task.data.name,
            system_prompt=task.data.system_prompt,
            prompt=[_user(prompt)],
        )
        trace = await agents.agent.run(vf.Task(data))
        traces.append(trace)
        if not trace.ok or trace.num_turns == 0:
            break
        prompt = session.reply(trace.last_reply)
    if all(trace.ok for trace in traces):
        for trace in traces:
            trace.info["outcome"] = session.outcome()
            await task.score(trace)


def _user(prompt: Prompt) -> vf.UserMessage:
    if prompt.image is None:
        return vf.UserMessage(content=prompt.text)
    url = f"data:image/png;base64,{base64_of(prompt.image)}"
    image = vf.ImageUrlContentPart(image_url=vf.ImageUrlSource(url=url))
    return vf.UserMessage(content=[image, vf.TextContentPart(text=prompt.text)])


class ChatHarness(vf.Harness[vf.HarnessConfig]):
    """Plain chat, within this process: no ``uv``, no program, no tools.

    Every call goes to the endpoint that verifiers hands over, so traces, limits and training see it.
    """

    APPENDS_SYSTEM_PROMPT: ClassVar[bool] = True
    SUPPORTS_RESUME: ClassVar[bool] = True
    EXECUTES_CODE: ClassVar[bool] = False
    NEEDS_CONTAINER: ClassVar[bool] = False

    async def launch(  # noqa: PLR0917 - the signature is verifiers'
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,  # noqa: ARG002 - the endpoint writes it
        runtime: vf.Runtime,  # noqa: ARG002 - nothing runs in it
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],  # noqa: ARG002 - games have no tools
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Send the conversation once; a busy provider is asked again a few times."""
        from verifiers.v1.dialects.chat import message_to_wire

        system, prompt = self.resolve_prompt(data)
        messages = [vf.UserMessage(content=prompt)] if isinstance(prompt, str) else list(prompt or [])
        if system is not None:
            messages.insert(0, vf.SystemMessage(content=system))
        body = {"model": ctx.model, "messages": [message_to_wire(message) for message in messages]}
        return await _post(f"{endpoint}/chat/completions", secret, body)


async def _post(url: str, secret: str, body: Mapping[str, Any]) -> vf.ProgramResult:
    import httpx  # verifiers needs it too

    # The endpoint is on this machine: no proxy, and no certificates to load for each turn.
    options: dict[str, Any] = {"timeout": None, "trust_env": False, "verify": url.startswith("https:")}
    failure = ""
    async with httpx.AsyncClient(**options) as client:
        for attempt in range(ATTEMPTS):
            if attempt:
                await asyncio.sleep(FIRST_WAIT_S * 2 ** (attempt - 1))
            try:
                answer = await client.post(url, json=body, headers={"Authorization": f"Bearer {secret}"})
            except httpx.TransportError as error:
                failure = f"{type(error).__name__}: {error}"
                continue
            if answer.is_success:
                return vf.ProgramResult(0, "", "")
            failure = f"HTTP {answer.status_code}: {Secrets([secret]).mask(answer.text)[:500]}"
            if answer.status_code not in TRY_AGAIN:
                break
    return vf.ProgramResult(1, "", failure)
