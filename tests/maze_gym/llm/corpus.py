"""Replies as models give them, each with its one right reading: actions, or why there is none.

An action is written by its first letters: L, R (turns), F (forward), P, T, D.
"""

from __future__ import annotations

from typing import NamedTuple

from maze_gym.game import ReplyFormat
from maze_gym.llm.parsing import FailureKind, Grammar

NAMES = ("TURN_LEFT", "TURN_RIGHT", "MOVE_FORWARD", "PICKUP", "TOGGLE", "DONE")
LETTERS = "LRFPTD"

ONE = Grammar(ReplyFormat.FINAL_OUTPUT, NAMES)
PLAN = Grammar(ReplyFormat.ACTIONS, NAMES, several=True)
TAG = Grammar(ReplyFormat.ACTION_TAG, NAMES)
TAGS = Grammar(ReplyFormat.ACTION_TAG, NAMES, several=True)
FINAL = Grammar(ReplyFormat.FINAL, NAMES)
FINALS = Grammar(ReplyFormat.FINAL, NAMES, several=True)
LISTED = Grammar(ReplyFormat.FINAL_OUTPUT, NAMES, legal=(0, 1))

EMPTY, NO_MARKER = FailureKind.EMPTY, FailureKind.NO_MARKER
UNKNOWN, SHAPE, ILLEGAL = FailureKind.UNKNOWN_ACTION, FailureKind.WRONG_SHAPE, FailureKind.ILLEGAL

BOARD = "#########\n#S..#...#\n#r..R.=*#\n#########"
MEGABYTE = 1_000_000


class Case(NamedTuple):
    """A reply and its reading."""

    reply: str
    reading: str | FailureKind


_ONE = [
    # The format as asked.
    Case("FINAL_OUTPUT: MOVE_FORWARD", "F"),
    Case("FINAL_OUTPUT: TURN_LEFT\n", "L"),
    Case("  FINAL_OUTPUT:   TURN_RIGHT  ", "R"),
    Case("FINAL_OUTPUT:PICKUP", "P"),
    Case("The key is here.\n\nFINAL_OUTPUT: PICKUP", "P"),
    Case("I face the switch.\r\nFINAL_OUTPUT: TOGGLE\r\n", "T"),
    Case("FINAL_OUTPUT: DONE", "D"),
    # Case and joints.
    Case("final_output: move_forward", "F"),
    Case("Final Output: Move Forward", "F"),
    Case("FINAL-OUTPUT: move-forward", "F"),
    Case("FINAL_OUTPUT: MoveForward", "F"),
    Case("FINAL_OUTPUT: turn  left", "L"),
    Case("FINAL_OUTPUT: pick up", "P"),
    Case("FINAL_OUTPUT: PICK_UP", "P"),
    Case("FINALOUTPUT: TOGGLE", "T"),
    Case("FINAL_OUTPUT: TOG GLE", UNKNOWN),
    Case("FINAL_OUTPUT: MOVE FOR WARD", UNKNOWN),
    Case("FINAL_OUTPUT = TURN_LEFT", "L"),
    Case("FINAL_OUTPUT : TURN_LEFT", "L"),
    # Markdown.
    Case("**FINAL_OUTPUT: MOVE_FORWARD**", "F"),
    Case("**FINAL_OUTPUT:** MOVE_FORWARD", "F"),
    Case("**FINAL_OUTPUT**: **MOVE_FORWARD**", "F"),
    Case("FINAL_OUTPUT: `TURN_LEFT`", "L"),
    Case("`FINAL_OUTPUT: TURN_LEFT`", "L"),
    Case("*FINAL_OUTPUT: _TURN_LEFT_*", "L"),
    Case("FINAL_OUTPUT: __TURN_RIGHT__", "R"),
    Case("# FINAL_OUTPUT: TOGGLE", "T"),
    Case("### **FINAL_OUTPUT:** TOGGLE", "T"),
    Case("> FINAL_OUTPUT: TOGGLE", "T"),
    Case("- FINAL_OUTPUT: PICKUP", "P"),
    Case("* **FINAL_OUTPUT:** PICKUP", "P"),
    Case("3. FINAL_OUTPUT: PICKUP", "P"),
    Case("```\nFINAL_OUTPUT: DONE\n```", "D"),
    Case("```text\nFINAL_OUTPUT: DONE\n```\nGood luck!", "D"),
    Case("```FINAL_OUTPUT: DONE```", "D"),
    Case("FINAL_OUTPUT:\n```\nMOVE_FORWARD\n```", "F"),
    Case("FINAL_OUTPUT:\n\n    MOVE_FORWARD", "F"),
    Case("FINAL_OUTPUT:\n- MOVE_FORWARD", "F"),
    # Quotes, brackets, full stops.
    Case('FINAL_OUTPUT: "MOVE_FORWARD"', "F"),
    Case("FINAL_OUTPUT: 'MOVE_FORWARD'", "F"),
    Case("FINAL_OUTPUT: \u201cMOVE_FORWARD\u201d", "F"),
    Case("FINAL_OUTPUT: \u00abTURN_LEFT\u00bb", "L"),
    Case("FINAL_OUTPUT: [MOVE_FORWARD]", "F"),
    Case("FINAL_OUTPUT: <MOVE_FORWARD>", "F"),
    Case("FINAL_OUTPUT: (DONE)", "D"),
    Case("FINAL_OUTPUT: MOVE_FORWARD.", "F"),
    Case("FINAL_OUTPUT: MOVE_FORWARD!", "F"),
    Case("FINAL_OUTPUT: **MOVE_FORWARD**.", "F"),
    Case("FINAL_OUTPUT: MOVE_FORWARD,", "F"),
    Case("FINAL_OUTPUT: ['TURN_LEFT']", "L"),
    # Several markers: the last one wins, whatever it says.
    Case("FINAL_OUTPUT: TURN_LEFT\nNo, wait.\nFINAL_OUTPUT: TURN_RIGHT", "R"),
    Case("FINAL_OUTPUT: <action>\nFINAL_OUTPUT: DONE", "D"),
    Case("FINAL_OUTPUT: DONE\nFINAL_OUTPUT: <action>", UNKNOWN),
    Case("FINAL_OUTPUT: DONE\nFINAL_OUTPUT:", SHAPE),
    Case("FINAL_OUTPUT: TURN_LEFT\nFINAL_OUTPUT: JUMP", UNKNOWN),
    Case("FINAL_OUTPUT:\nFINAL_OUTPUT: TURN_LEFT", "L"),
    Case("~~FINAL_OUTPUT: DONE~~\nFINAL_OUTPUT: TOGGLE", "T"),
    Case("FINAL_OUTPUT: TOGGLE\n~~FINAL_OUTPUT: DONE~~", "T"),
    Case("FINAL_OUTPUT: PICKUP\nThen I would use FINAL_OUTPUT: DONE next turn.", "P"),
    # Prose after the answer's line is talk; on it, it is not.
    Case("FINAL_OUTPUT: MOVE_FORWARD\nThis brings me closer to the goal. Then I will TURN_LEFT.", "F"),
    Case("FINAL_OUTPUT: MOVE_FORWARD because the way is free", SHAPE),
    Case("FINAL_OUTPUT: MOVE_FORWARD (the way is free)", SHAPE),
    Case("FINAL_OUTPUT: TURN_LEFT or TURN_RIGHT", SHAPE),
    Case("FINAL_OUTPUT: TURN_LEFT then MOVE_FORWARD", SHAPE),
    Case("FINAL_OUTPUT: TURN_LEFT, MOVE_FORWARD", SHAPE),
    Case("FINAL_OUTPUT: TURN_LEFT MOVE_FORWARD", SHAPE),
    Case("FINAL_OUTPUT: turn left and walk", SHAPE),
    Case("FINAL_OUTPUT: TURN_LEFT -> MOVE_FORWARD", SHAPE),
    Case("FINAL_OUTPUT: MOVE_FORWARD x3", SHAPE),
    Case("FINAL_OUTPUT: MOVE_FORWARD \u00d73", SHAPE),
    Case("FINAL_OUTPUT: MOVE_FORWARD (3)", SHAPE),
    Case("FINAL_OUTPUT: MOVE_FORWARD, MOVE_FORWARD", SHAPE),
    Case("FINAL_OUTPUT: DONE # finished", SHAPE),
    Case("FINAL_OUTPUT: [TURN_LEFT,\nMOVE_FORWARD]", SHAPE),
    Case("FINAL_OUTPUT:", SHAPE),
    Case("FINAL_OUTPUT: **", SHAPE),
    Case("FINAL_OUTPUT: ...", UNKNOWN),
    Case("FINAL_OUTPUT: ...\nMOVE_FORWARD", UNKNOWN),
    Case("FINAL_OUTPUT: MOVE_FORWARD ...", SHAPE),
    Case("FINAL_OUTPUT: MOVE_FORWARD...", UNKNOWN),
    Case("FINAL_OUTPUT: MOVE_FORWARD .", "F"),
    Case("I think.\nFINAL_OUTPUT:\n\n", SHAPE),
    # Negation and doubt.
    Case("FINAL_OUTPUT: not DONE", UNKNOWN),
    Case("FINAL_OUTPUT: Do not turn right", UNKNOWN),
    Case("FINAL_OUTPUT: ~~TURN_LEFT~~", UNKNOWN),
    Case("FINAL_OUTPUT: TURN_LEFT?", UNKNOWN),
    Case("FINAL_OUTPUT: !DONE", UNKNOWN),
    Case("FINAL_OUTPUT: -DONE", UNKNOWN),
    Case("FINAL_OUTPUT: no TOGGLE", UNKNOWN),
    Case("I abandoned that plan.", NO_MARKER),
    Case("Do not turn right.", NO_MARKER),
    # Words that are no actions here.
    Case("FINAL_OUTPUT: JUMP", UNKNOWN),
    Case("FINAL_OUTPUT: FORWARD", UNKNOWN),
    Case("FINAL_OUTPUT: LEFT", UNKNOWN),
    Case("FINAL_OUTPUT: MOVE_NORTH", UNKNOWN),
    Case("FINAL_OUTPUT: MOVE_FORWARDS", UNKNOWN),
    Case("FINAL_OUTPUT: PICKUP_KEY", UNKNOWN),
    Case("FINAL_OUTPUT: TURN", UNKNOWN),
    Case("FINAL_OUTPUT: abandoned", UNKNOWN),
    Case("FINAL_OUTPUT: 2", UNKNOWN),
    Case("FINAL_OUTPUT: -1", UNKNOWN),
    Case("FINAL_OUTPUT: 2x MOVE_FORWARD", UNKNOWN),
    Case("FINAL_OUTPUT: action: DONE", UNKNOWN),
    Case("FINAL_OUTPUT: <action>", UNKNOWN),
    Case("FINAL_OUTPUT: M0VE_FORWARD", UNKNOWN),
    Case("FINAL_OUTPUT: \u041cOVE_FORWARD", UNKNOWN),
    Case("FINAL_OUTPUT: \u524d\u8fdb", UNKNOWN),
    Case("FINAL_OUTPUT: vorw\u00e4rts", UNKNOWN),
    Case("FINAL_OUTPUT: \U0001f6b6", UNKNOWN),
    Case("FINAL_OUTPUT:\nThat is my answer.", UNKNOWN),
    # No marker at the beginning of a line.
    Case("MOVE_FORWARD", NO_MARKER),
    Case("I go forward. **TURN_LEFT**", NO_MARKER),
    Case("My answer is FINAL_OUTPUT: MOVE_FORWARD", NO_MARKER),
    Case("I must end with FINAL_OUTPUT: <action>.", NO_MARKER),
    Case("FINAL_OUTPUT MOVE_FORWARD", NO_MARKER),
    Case("FINAL: MOVE_FORWARD", NO_MARKER),
    Case("ACTION: MOVE_FORWARD", NO_MARKER),
    Case("ACTIONS: MOVE_FORWARD", NO_MARKER),
    Case("<action>MOVE_FORWARD</action>", NO_MARKER),
    Case("MY_FINAL_OUTPUT: DONE", NO_MARKER),
    Case("Sortie finale : MOVE_FORWARD", NO_MARKER),
    Case("\u6700\u7ec8\u8f93\u51fa\uff1aMOVE_FORWARD", NO_MARKER),
    Case("I cannot help with that.", NO_MARKER),
    Case(BOARD, NO_MARKER),
    Case(f"```\n{BOARD}\n```\nI see the board.", NO_MARKER),
    Case("You can do TURN_LEFT, TURN_RIGHT, MOVE_FORWARD, PICKUP, TOGGLE, DONE.", NO_MARKER),
    Case("...", NO_MARKER),
    Case("<b>FINAL_OUTPUT: DONE</b>", NO_MARKER),
    # Thinking aloud and silently.
    Case("<think>FINAL_OUTPUT: TURN_LEFT</think>\nFINAL_OUTPUT: DONE", "D"),
    Case("FINAL_OUTPUT: DONE\n<think>or FINAL_OUTPUT: TOGGLE?</think>", "D"),
    Case("<think>FINAL_OUTPUT: TURN_LEFT</think>", EMPTY),
    Case("<think>I am still thinking. FINAL_OUTPUT: TURN_LEFT", EMPTY),
    Case("I begin in thought.\nFINAL_OUTPUT: DONE</think>\nFINAL_OUTPUT: PICKUP", "P"),
    Case("<thinking>\n# plan\n</thinking>\n\nFINAL_OUTPUT: TOGGLE", "T"),
    Case("<THINK>x</THINK>FINAL_OUTPUT: TOGGLE", "T"),
    Case("<think>a</think>\nFINAL_OUTPUT: DONE\n<think>b", "D"),
    Case("<think>a<think>b</think>c</think>\nFINAL_OUTPUT: DONE", "D"),
    Case("<reasoning>FINAL_OUTPUT: PICKUP</reasoning>Nothing.", NO_MARKER),
    # JSON.
    Case('{"FINAL_OUTPUT": "MOVE_FORWARD"}', "F"),
    Case('```json\n{"thought": "go", "FINAL_OUTPUT": "MOVE_FORWARD"}\n```', "F"),
    Case('{\n  "thought": "FINAL_OUTPUT: DONE",\n  "final_output": ["TURN_LEFT"]\n}', "L"),
    Case('{"FINAL_OUTPUT": "TURN_LEFT", "FINAL_OUTPUT": "TURN_RIGHT"}', "R"),
    Case('{"FINAL_OUTPUT": ["TURN_LEFT", "MOVE_FORWARD"]}', SHAPE),
    Case('{"FINAL_OUTPUT": null}', UNKNOWN),
    Case('{"FINAL_OUTPUT": {"name": "DONE"}}', UNKNOWN),
    Case('{"FINAL_OUTPUT": ""}', SHAPE),
    Case('{"action": "MOVE_FORWARD"}', NO_MARKER),
    Case('{"thought": "FINAL_OUTPUT: DONE"}', NO_MARKER),
    Case("[" * 2_000, NO_MARKER),
    # Full-width forms, invisible and control characters.
    Case("FINAL_OUTPUT\uff1a MOVE_FORWARD\u3002", "F"),
    Case(
        "\uff26\uff29\uff2e\uff21\uff2c\uff3f\uff2f\uff35\uff34\uff30\uff35\uff34\uff1a\uff24\uff2f\uff2e\uff25",
        "D",
    ),
    Case("FINAL_OUTPUT: \u300cTURN_LEFT\u300d", "L"),
    Case("\ufeffFINAL_OUTPUT: TURN_LEFT", "L"),
    Case("FINAL_OUTPUT: MOVE_\u200bFORWARD", "F"),
    Case("FINAL_OUTPUT:\u00a0TURN_LEFT", "L"),
    Case("\x1b[1mFINAL_OUTPUT: \x1b[31mTURN_LEFT\x1b[0m", "L"),
    Case("\x1b]8;;http://x\x07FINAL_OUTPUT: DONE\x1b]8;;\x07", "D"),
    Case("FINAL_OUTPUT: TURN\x00LEFT", "L"),
    Case("FINAL_OUTPUT: DO\x08NE", UNKNOWN),
    Case("FINAL_OUTPUT: \u202eTFEL_NRUT", UNKNOWN),
    Case("x\x0bFINAL_OUTPUT: TOGGLE\u2028bye", "T"),
    # Nothing.
    Case("", EMPTY),
    Case(" \n\t \n", EMPTY),
    Case("\x00\x01\x1b[0m", EMPTY),
    Case("\u200b\ufeff", EMPTY),
    # Large.
    Case("blah " * 20_000 + "\nFINAL_OUTPUT: DONE", "D"),
    Case("FINAL_OUTPUT: DONE\n" + "blah " * 20_000, "D"),
    Case("A" * MEGABYTE, NO_MARKER),
    Case("FINAL_OUTPUT: " + "A" * MEGABYTE, UNKNOWN),
    Case("FINAL_OUTPUT: DONE\n" * 10_000, "D"),
]
_PLAN = [
    Case("SUB_GOAL: fetch the key\nACTIONS: TURN_LEFT, MOVE_FORWARD, PICKUP", "LFP"),
    Case("ACTIONS: MOVE_FORWARD", "F"),
    Case("actions: turn left, move forward", "LF"),
    Case("ACTIONS: [TURN_LEFT, MOVE_FORWARD, DONE]", "LFD"),
    Case('ACTIONS: ["TURN_LEFT", "MOVE_FORWARD"]', "LF"),
    Case("ACTIONS: [\n  'TURN_LEFT',\n  'DONE'\n]\nThat is all.", "LD"),
    Case("ACTIONS: [TURN_LEFT,\nDONE", "LD"),
    Case("**ACTIONS:** PICKUP, DONE", "PD"),
    Case("**SUB_GOAL:** the door\n**ACTIONS:** `TURN_LEFT`, `TURN_LEFT`", "LL"),
    Case("ACTIONS:\n1. TURN_LEFT\n2. MOVE_FORWARD\n3. DONE\n\nThen I stop.", "LFD"),
    Case("ACTIONS:\n- TURN_LEFT\n- MOVE_FORWARD", "LF"),
    Case("ACTIONS:\n* `TURN_LEFT`\n* `MOVE_FORWARD`\nThat is all.", "LF"),
    # Where the list ends is not guessed: actions below it may belong to it.
    Case("ACTIONS:\n* `TURN_LEFT`\n* `MOVE_FORWARD`\nDone.", SHAPE),
    Case("ACTIONS:\nTURN_LEFT, MOVE_FORWARD\nDONE", SHAPE),
    Case("ACTIONS:\nTURN_LEFT\nMOVE_FORWARD\nDONE", SHAPE),
    Case("ACTIONS: TURN_LEFT\nMOVE_FORWARD, DONE", SHAPE),
    Case("ACTIONS: TURN_LEFT,\n\nDONE", SHAPE),
    Case("ACTIONS: TURN_LEFT\n-> MOVE_FORWARD\n-> DONE", SHAPE),
    Case("ACTIONS: [TURN_LEFT]\n[DONE]", SHAPE),
    Case("ACTIONS:\n1. TURN_LEFT\n\n2. MOVE_FORWARD\n\n3. DONE", SHAPE),
    Case("ACTIONS:\n1.TURN_LEFT\n2.MOVE_FORWARD", SHAPE),
    Case("ACTIONS:\n1. MOVE_FORWARD\n   to reach the key\n2. PICKUP\n3. DONE", SHAPE),
    Case("ACTIONS: TURN_LEFT, DONE\n- TURN_LEFT to face the door\n- DONE at the goal", "LD"),
    Case("ACTIONS: TURN_LEFT,\nMOVE_FORWARD,\nDONE\nbye", "LFD"),
    Case("ACTIONS: TURN_LEFT; MOVE_FORWARD; DONE", "LFD"),
    Case("ACTIONS: TURN_LEFT -> MOVE_FORWARD -> DONE", "LFD"),
    Case("ACTIONS: TURN_LEFT \u2192 MOVE_FORWARD", "LF"),
    Case("ACTIONS\uff1aTURN_LEFT\uff0cMOVE_FORWARD\u3001DONE", "LFD"),
    Case("ACTIONS: 1. TURN_LEFT, 2. DONE", "LD"),
    Case("ACTIONS: TURN_LEFT,, DONE,", "LD"),
    Case("Valid ACTIONS: none\nACTIONS: DONE", "D"),
    Case("ACTIONS: TURN_LEFT\nSUB_GOAL: again\nACTIONS: TURN_RIGHT", "R"),
    Case('{"SUB_GOAL": "key", "ACTIONS": ["TURN_LEFT", "PICKUP"]}', "LP"),
    Case('{"ACTIONS": "TURN_LEFT, PICKUP"}', "LP"),
    Case("ACTIONS: TURN_LEFT, JUMP, DONE", UNKNOWN),
    Case("ACTIONS: TURN_LEFT, MOVE_FORWARD x2", SHAPE),
    Case("ACTIONS: TURN_LEFT MOVE_FORWARD", SHAPE),
    Case("ACTIONS: TURN_LEFT, then MOVE_FORWARD", UNKNOWN),
    Case("ACTIONS: [TURN_LEFT, DONE] and so on", SHAPE),
    Case("ACTIONS: <action>, <action>, ...", UNKNOWN),
    Case("ACTIONS: MOVE_FORWARD, ..., TURN_LEFT", UNKNOWN),
    Case("ACTIONS: MOVE_FORWARD, TURN_LEFT, ...", UNKNOWN),
    Case("ACTIONS:\n1. MOVE_FORWARD\n2. ...\n3. DONE", UNKNOWN),
    Case('{"ACTIONS": ["MOVE_FORWARD", "...", "DONE"]}', UNKNOWN),
    Case("ACTIONS: []", SHAPE),
    Case("ACTIONS: none", UNKNOWN),
    Case("ACTIONS:\nSUB_GOAL: the key", SHAPE),
    Case("SUB_GOAL: the key", NO_MARKER),
    Case("FINAL_OUTPUT: DONE", NO_MARKER),
    Case("Available actions: TURN_LEFT, TURN_RIGHT", NO_MARKER),
    Case("ACTIONS: " + "MOVE_FORWARD, " * 5_000 + "DONE", "F" * 5_000 + "D"),
]
_TAG = [
    Case("<action>2</action>", "F"),
    Case("I go on. <action> 2 </action> Good.", "F"),
    Case("<ACTION>MOVE_FORWARD</ACTION>", "F"),
    Case("<action>`move forward`</action>", "F"),
    Case("<action>\n5\n</action>", "D"),
    Case("<action>1</action> no: <action>0</action>", "L"),
    Case("<think><action>1</action></think><action>0</action>", "L"),
    Case("<action>\uff12</action>", "F"),
    Case("<action>-1</action>", UNKNOWN),
    Case("<action>6</action>", UNKNOWN),
    Case("<action>2.0</action>", UNKNOWN),
    Case("<action>\u00b2</action>", UNKNOWN),
    Case("<action>number</action>", UNKNOWN),
    Case("<action>3. MOVE_FORWARD</action>", UNKNOWN),
    Case("<action>0, 2</action>", SHAPE),
    Case("<action></action>", SHAPE),
    Case("<action>2", SHAPE),
    Case("<action>1</action> <action>2", SHAPE),
    Case("2</action>", NO_MARKER),
    Case("2", NO_MARKER),
    Case("&lt;action&gt;2&lt;/action&gt;", NO_MARKER),
]
_TAGS = [
    Case("<action>0, 2, 5</action>", "LFD"),
    Case("<action>[0, 2]</action>", "LF"),
    Case("<action>TURN_LEFT, 2</action>", "LF"),
    Case("<action>0 2</action>", UNKNOWN),
    Case("<action>\n- 0\n- 2\n</action>", UNKNOWN),
    Case("<action>1. MOVE_FORWARD, 2. DONE</action>", UNKNOWN),
]
_FINAL = [
    Case("Final: 2", "F"),
    Case("**Final:** MOVE_FORWARD", "F"),
    Case("Final: <2>", "F"),
    Case("Final: 1. no wait\nFinal: 3", "P"),
    # As models have answered Spatial-Gym.
    Case("**Final:** 2", "F"),
    Case("Final: **2**", "F"),
    Case("**Final: 2**", "F"),
    Case("### Final: `MOVE_FORWARD`.", "F"),
    Case("final: done", "D"),
    Case("Final: 0\nFinal: DONE", "D"),
    Case("Final: DONE\nFinal: 0", "L"),
    Case("<think>Final: 1</think>\nFinal: 2", "F"),
    Case("Final: -2", UNKNOWN),
    Case("Final: 2=MOVE_FORWARD", UNKNOWN),
    Case("Final: <action>", UNKNOWN),
    Case("Final: 3.", "P"),
    Case("Final:\n- 3", "P"),
    # A number before an action may be the answer itself.
    Case("Final: 3. MOVE_FORWARD", UNKNOWN),
    Case("Final: 2. MOVE_FORWARD", UNKNOWN),
    Case("Final:\n3. 1", UNKNOWN),
    Case("Final:\n3. MOVE_FORWARD", UNKNOWN),
    Case('{"Final": "3. MOVE_FORWARD"}', UNKNOWN),
    Case('{"Final": 3}', "P"),
    Case("Final: 2 or 3", UNKNOWN),
    Case("Final: 2, 3", SHAPE),
    Case("Final:", SHAPE),
    Case("I go down.", NO_MARKER),
    Case("So I move forward: 2", NO_MARKER),
    Case("2", NO_MARKER),
    Case("Final: 10", UNKNOWN),
    Case("Final answer: 2", NO_MARKER),
    Case("FINAL_OUTPUT: 2", NO_MARKER),
]
_FINALS = [
    Case("Final: 0, 2, 5", "LFD"),
    Case("Final:\n- 0\n- 2", "LF"),
    Case("Final:\n1. 0\n2. 2", UNKNOWN),
    Case("Final:\n0\n2", SHAPE),
    Case("Final: 0\n2.", SHAPE),
    Case("Final: TURN_LEFT\n2. MOVE_FORWARD", SHAPE),
    Case("Final: 0, 2\n2 steps are enough.", "LF"),
]
_LISTED = [
    Case("FINAL_OUTPUT: TURN_LEFT", "L"),
    Case("FINAL_OUTPUT: MOVE_FORWARD", ILLEGAL),
    Case("FINAL_OUTPUT: TURN_LEFT\nFINAL_OUTPUT: MOVE_FORWARD", ILLEGAL),
    Case("FINAL_OUTPUT: JUMP", UNKNOWN),
]
CORPUS: list[tuple[Grammar, Case]] = [
    (grammar, case)
    for grammar, cases in (
        (ONE, _ONE), (PLAN, _PLAN), (TAG, _TAG), (TAGS, _TAGS), (FINAL, _FINAL), (FINALS, _FINALS),
        (LISTED, _LISTED),
    )
    for case in cases
]  # fmt: skip
