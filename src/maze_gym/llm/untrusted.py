"""Text from a model, made harmless: what is read, and what may reach a terminal."""

from __future__ import annotations

import re

# Sequences that steer a terminal. Each stops at the next ESC, so that reading stays linear.
_ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_LINE_BREAKS = re.compile(r"\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
# As most models mark them, Seed among them; as Magistral, Kimi, Command A and OpenThinker do. What a group
# matches makes a tag a closing one.
_THOUGHT = re.compile(
    r"<(/?)(?:seed:)?(?:think|thinking|thought|thoughts|reasoning|reflection|scratchpad)[ \t]{0,8}>"
    r"|\[(/?)THINK\]|\u25c1(/?)think\u25b7"
    r"|<\|(?:start|begin_of|(end|end_of))_(?:thinking|thought)\|>",
    re.IGNORECASE | re.ASCII,
)
_CHANNEL, _MESSAGE = "<|channel|>", "<|message|>"  # of OpenAI's harmony format
_FINAL_CHANNEL = re.compile(r"\s*final\b")
_MESSAGE_END = re.compile(r"<\|(?:end|return|call|start)\|>")
_INVISIBLE = (0x00AD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF)  # within a word they change nothing
_REORDERING = (*range(0x200E, 0x2010), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_CONTROLS = (*(code for code in range(0x20) if code not in {0x09, 0x0A}), *range(0x7F, 0xA0))
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_TYPOGRAPHY = {
    "\u3000": " ", "\u00a0": " ", "\u3001": ",", "\u3002": ".", "\u2192": ",",
    "\u300c": '"', "\u300d": '"', "\u300e": '"', "\u300f": '"', "\u3010": "[", "\u3011": "]",
    "\u201c": '"', "\u201d": '"', "\u2018": "'", "\u2019": "'", "\u00ab": '"', "\u00bb": '"',
}  # fmt: skip
_PLAIN: dict[int, int | str | None] = {
    **dict.fromkeys(_INVISIBLE),
    **dict.fromkeys((*_REORDERING, *_CONTROLS), " "),
    **_FULL_WIDTH,
    **{ord(mark): plain for mark, plain in _TYPOGRAPHY.items()},
}


def plain(text: str) -> str:
    """The text with one kind of line break, ASCII for full-width forms and no control characters.

    A control character becomes a space, so that it never joins two words into a new one.
    """
    return _LINE_BREAKS.sub("\n", _ANSI.sub("", text)).translate(_PLAIN)


def without_thoughts(text: str) -> str:
    """What is said aloud: neither inside a think-block, nor before a closing tag that nothing opened.

    A block that is never closed is thought to the end. Where there are channels, only what is in those
    called ``final`` is said aloud.
    """
    text = _final_messages(text)
    kept: list[str] = []
    position, thinking = 0, False
    for tag in _THOUGHT.finditer(text):
        if not any(tag.groups()):
            if not thinking:
                kept.append(text[position : tag.start()])
            thinking = True
        else:
            if not thinking:
                kept.clear()
            position, thinking = tag.end(), False
    if not thinking:
        kept.append(text[position:])
    return "\n".join(kept) if len(kept) > 1 else "".join(kept)


def _final_messages(text: str) -> str:
    """The messages of the channels called ``final``; the text as it is where it has no channels."""
    if _CHANNEL not in text:
        return text
    messages = (part.partition(_MESSAGE) for part in text.split(_CHANNEL)[1:])
    return "\n".join(
        _MESSAGE_END.split(body, maxsplit=1)[0]
        for header, _, body in messages
        if _FINAL_CHANNEL.match(header)
    )


def shown(text: str, longest: int = 60) -> str:
    """At most so many characters, on one line, with every control character escaped."""
    cut = text[:longest]
    safe = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in cut)
    return f"{safe}..." if len(text) > longest else safe
