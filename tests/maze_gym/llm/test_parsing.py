"""The parser: one right reading or none."""

from __future__ import annotations

import time
from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maze_gym.errors import InvalidArgument
from maze_gym.game import ReplyFormat
from maze_gym.llm import formats
from maze_gym.llm.config import Querying
from maze_gym.llm.parsing import NUMBERED, FailureKind, Grammar, ParsedReply, ParseFailure, parse
from maze_gym.llm.reading import marker_of
from maze_gym.llm.untrusted import plain, shown, without_thoughts

from .corpus import CORPUS, LETTERS, MEGABYTE, NAMES, ONE, PLAN, Case

WORDED = [kind for kind in ReplyFormat if kind != ReplyFormat.COORDINATES]  # for that one see test_positions
GRAMMARS = [
    Grammar(kind, NAMES, several, legal)
    for kind, several, legal in product(WORDED, (False, True), (None, (0, 2)))
]
PIECES = st.sampled_from(
    (
        *NAMES, "FINAL_OUTPUT:", "ACTIONS:", "SUB_GOAL:", "Final:", "<action>", "</action>", "<think>",
        "</think>", "```", "**", "[", "]", "{", "}", '"', ",", "\n", " ", "-1", "2", "not", "~~", "\x1b[31m",
        "\x00", "\uff1a", "\u200b", "\u202e", "1.", "- ", "#", "=", "(", ")", "[THINK]", "[/THINK]",
        "<|channel|>", "final", "<|message|>", "<|end|>",
    )
)  # fmt: skip
replies = st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=30).map("".join))


def answer(words: str, grammar: Grammar) -> str:
    """A reply that holds these words as its answer."""
    if grammar.format == ReplyFormat.ACTION_TAG:
        return f"<action>{words}</action>"
    return f"{marker_of(grammar.format)}: {words}"


@pytest.mark.parametrize(
    ("grammar", "case"),
    CORPUS,
    ids=[f"{index}-{shown(case.reply, 40)}" for index, (_, case) in enumerate(CORPUS)],
)
def test_corpus_is_read_in_the_one_right_way(grammar: Grammar, case: Case) -> None:
    reading = parse(case.reply, grammar)
    if isinstance(reading, ParseFailure):
        assert reading.kind == case.reading, reading
    else:
        assert "".join(LETTERS[action] for action in reading.actions) == case.reading


def test_corpus_is_large_and_shows_every_failure() -> None:
    assert len({case.reply for _, case in CORPUS}) >= 200
    assert {case.reading for _, case in CORPUS if isinstance(case.reading, FailureKind)} == set(FailureKind)


@given(replies)
@example("FINAL_OUTPUT: " + "\ud800")
def test_nothing_raises_and_nothing_is_invented(reply: str) -> None:
    """Whatever is read stands in the reply, as a whole word of the vocabulary or its number."""
    letters = plain(reply).upper().replace("_", "").replace(" ", "").replace("-", "")
    for grammar in GRAMMARS:
        reading = parse(reply, grammar)
        if isinstance(reading, ParsedReply):
            assert reading.actions
            assert grammar.several or len(reading.actions) == 1
            for action in reading.actions:
                name = NAMES[action].replace("_", "")
                numbered = grammar.format in NUMBERED and str(action) in plain(reply)
                assert name in letters.replace("\t", "") or numbered or "{" in reply
        else:
            assert reading.detail.isprintable()
        assert reading.evidence.isprintable()


@given(
    st.sampled_from(GRAMMARS),
    st.lists(st.sampled_from((0, 2)), min_size=1, max_size=12),
    st.sampled_from(("", "reach the door", "ACTIONS: DONE")),
)
def test_what_is_spoken_is_what_is_read(grammar: Grammar, actions: list[int], subgoal: str) -> None:
    actions = actions if grammar.several else actions[:1]
    reading = parse(formats.speak(actions, grammar, subgoal), grammar)
    assert isinstance(reading, ParsedReply)
    assert list(reading.actions) == actions
    assert reading.subgoal == (subgoal if grammar.format == ReplyFormat.ACTIONS else "")


@given(
    st.sampled_from([grammar for grammar in GRAMMARS if grammar.several]),
    st.lists(st.integers(0, 5), min_size=2, max_size=8),
    st.sampled_from((" ", "\n", "\n\n", "\n1.", "\n1. ", "\n- ", "\n[")),
    st.sampled_from((", ", "\n", "\n\n", "\n1.", "\n1. ", "\n\n1. ", "\n- ", "\n* **", ",\n\n", "\nthen\n")),
    st.sampled_from(("names", "numbers")),
)
@example(PLAN, [2, 3, 5], "\n", "\n", "names")
@example(PLAN, [2, 3], "\n1. ", "\n\n1. ", "names")
def test_a_plan_is_read_whole_or_not_at_all(
    grammar: Grammar, plan: list[int], lead: str, separator: str, spoken_in: str
) -> None:
    """However it is laid out, no part of it is played in place of the whole."""
    numbered = spoken_in == "numbers" and grammar.format in NUMBERED
    words = lead + separator.join(str(action) if numbered else NAMES[action] for action in plan)
    tagged = grammar.format == ReplyFormat.ACTION_TAG
    reply = f"<action>{words}</action>" if tagged else f"{marker_of(grammar.format)}:{words}"
    reading = parse(reply, grammar)
    assert isinstance(reading, ParseFailure) or list(reading.actions) == plan


@pytest.mark.parametrize(
    ("opening", "inner", "closing"),
    [("[", "", "]"), ('{"a":', "0", "}"), ('{"a":', "{}", "}"), ('[{"a":', "[]", "}]")],
)
def test_nesting_of_any_depth_is_refused_and_raises_nothing(opening: str, inner: str, closing: str) -> None:
    """What can just be read as JSON may be too deep to be written again."""
    for depth in range(1, 1201):
        nested = opening * depth + inner + closing * depth
        assert isinstance(parse(f'{{"FINAL_OUTPUT": {nested}}}', ONE), ParseFailure)


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_every_action_string_of_a_prompt_parses_to_itself(grammar: Grammar) -> None:
    free = grammar._replace(legal=None)
    listed = formats.action_list(NAMES, grammar.format).split(", ")
    parts = [(index, part) for index, words in enumerate(listed) for part in (words, *words.split(" = "))]
    for index, words in parts:
        reading = parse(answer(words, free), free)
        assert isinstance(reading, ParsedReply), reading
        assert reading.actions == (index,)
    several = free._replace(several=True)
    reading = parse(answer(", ".join(listed), several), several)
    assert isinstance(reading, ParsedReply), reading
    assert reading.actions == tuple(range(len(NAMES)))


@given(
    st.sampled_from([grammar for grammar in GRAMMARS if grammar.format in NUMBERED]),
    st.sampled_from(("{} = {}", "{}={}", "{}: {}", "{} ({})", "**{}** = `{}`")),
    st.integers(0, 12),
    st.sampled_from(range(len(NAMES))),
)
def test_a_number_beside_a_name_is_read_exactly_where_they_agree(
    grammar: Grammar, joined: str, number: int, action: int
) -> None:
    free = grammar._replace(legal=None)
    reading = parse(answer(joined.format(number, NAMES[action]), free), free)
    assert isinstance(reading, ParsedReply) == (number == action)
    if isinstance(reading, ParsedReply):
        assert reading.actions == (action,)


@pytest.mark.parametrize(("kind", "querying"), list(product(WORDED, Querying)))
def test_instructions_and_templates_are_no_answers(kind: ReplyFormat, querying: Querying) -> None:
    """A reply that repeats what it was asked for is asked again."""
    grammar = Grammar(kind, NAMES, querying != Querying.STEP)
    for text in (
        formats.instructions(kind, querying),
        formats.template(kind, several=grammar.several),
        f"{formats.example(grammar)}\n\n{formats.instructions(kind, querying)}",
    ):
        reading = parse(text, grammar)
        assert isinstance(reading, ParseFailure)
        assert reading.kind in {FailureKind.UNKNOWN_ACTION, FailureKind.WRONG_SHAPE}


@pytest.mark.parametrize(
    "unit",
    [
        "* ", "<think", "<think>", "</think>", "\x1b[", "\x1b]", "FINAL_OUTPUT: ", "FINAL_OUTPUT:\n",
        "ACTIONS:\n\n",
        "[", "{", "{}", "A_", "A ", "- \n", "1. ", "<action>", "<action>0</action>", "```\n", "\u200b", ",",
        "->",
        "SUB_GOAL: x\n", "ACTIONS: [\n", "DONE,\n", '{"a":', "=", ":", "\n", "\t", "\\", "0",
        "[THINK]", "[/THINK]", "\u25c1think\u25b7", "<seed:think>",
        "<|channel|>", "<|channel|>final<|message|>",
        "<|channel|>analysis<|message|><|end|>", "<|message|>", "<|end|>", "0 = ", "DONE (", "<|end_",
    ],
)  # fmt: skip
def test_time_is_linear(unit: str) -> None:
    """A megabyte of anything is read in seconds even on a busy machine; quadratic would take hours."""
    for reply in (
        unit * (MEGABYTE // len(unit)),
        "FINAL_OUTPUT: " + unit * (MEGABYTE // len(unit)),
        "ACTIONS: [" + unit * (MEGABYTE // len(unit)) + "\nACTIONS: DONE",
    ):
        begin = time.process_time()
        for grammar in (ONE, PLAN, Grammar(ReplyFormat.ACTION_TAG, NAMES), Grammar(ReplyFormat.FINAL, NAMES)):
            parse(reply, grammar)
        assert time.process_time() - begin < 12


def test_subgoal_is_kept_on_one_printable_line() -> None:
    reading = parse("SUB_GOAL: **the \x1b[31mred\x1b[0m door\x07**\nACTIONS: DONE", PLAN)
    assert isinstance(reading, ParsedReply)
    assert reading.subgoal == "the red door"
    long = parse(f"SUB_GOAL: {'x' * 5_000}\nACTIONS: DONE", PLAN)
    assert isinstance(long, ParsedReply)
    assert len(long.subgoal) < 250


def test_names_that_cannot_be_told_apart_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="differ in more than case"):
        parse("x", Grammar(ReplyFormat.FINAL, ("GO_ON", "GO ON")))
    with pytest.raises(InvalidArgument, match="plain names"):
        parse("x", Grammar(ReplyFormat.FINAL, ("GO!",)))


def test_thoughts_are_what_stands_in_blocks_or_before_a_lone_closing_tag() -> None:
    assert without_thoughts("a<think>b</think>c") == "a\nc"
    assert without_thoughts("b</think>c") == "c"
    assert without_thoughts("a<think>b") == "a"
    assert without_thoughts("<think >b</think >c") == "\nc"
    assert without_thoughts("a[THINK]b[/THINK]c") == "a\nc"
    assert without_thoughts("b\u25c1/think\u25b7c") == "c"
    assert (
        without_thoughts("a<|channel|>analysis<|message|>b<|end|><|channel|>final<|message|>c<|return|>")
        == "c"
    )
    assert without_thoughts("a<|end|>") == "a<|end|>"


@given(st.text())
def test_what_is_shown_is_printable_and_short(text: str) -> None:
    assert shown(text, 20).isprintable()
    assert len(shown(text, 20)) <= 20 * 10 + 3
