"""Pictures for people: they show themselves, can be saved, and need no library as SVG."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import mazegen
from mazegen.rendering.canvas import PictureError, Rectangle, Scene, Text, paint
from mazegen.rendering.canvas.svg import as_svg

if TYPE_CHECKING:
    from pathlib import Path

SVG = "{http://www.w3.org/2000/svg}"
MAZE = mazegen.parse("########\n#>rR0=.#\n#.bB...#\n#..#..*#\n########")


def test_text_is_read_back_as_the_same_maze() -> None:
    again = mazegen.parse(mazegen.picture(MAZE))
    assert again.content_hash == MAZE.content_hash


def test_text_and_picture_show_the_state_that_is_given() -> None:
    board = mazegen.compile_board(MAZE)
    moved = mazegen.step(board, board.start, mazegen.Action.MOVE_FORWARD).state
    taken = mazegen.step(board, moved, mazegen.Action.PICKUP).state
    assert mazegen.picture(MAZE, taken).splitlines()[1] == "#.>R0=.#"
    assert mazegen.draw(MAZE, taken) != mazegen.draw(MAZE)


def test_a_path_and_numbers_are_drawn_on_request() -> None:
    plain = mazegen.draw(MAZE)
    assert mazegen.draw(MAZE, path=mazegen.solve(MAZE).path) != plain
    numbered = mazegen.draw(MAZE, numbered=True)
    assert numbered.scene.height == plain.scene.height + 1
    texts = [each.text for each in ET.fromstring(numbered._repr_svg_()).iter(f"{SVG}text")]  # noqa: S314 - our own
    assert {"0", "7"} <= set(texts)


def test_the_svg_holds_every_shape_of_the_scene_in_order() -> None:
    drawing = mazegen.draw(MAZE)
    root = ET.fromstring(drawing._repr_svg_())  # noqa: S314 - our own
    ground, *shapes = root
    assert ground.get("fill") == drawing.scene.background
    assert len(shapes) == len(drawing.scene.shapes)
    colors = [each.get("fill") for each in shapes if each.tag != f"{SVG}polyline"]
    assert colors == [
        getattr(shape, "fill", getattr(shape, "color", None))
        for shape in drawing.scene.shapes
        if type(shape).__name__ != "Line"
    ]


def test_letters_that_mean_something_in_xml_are_written_safely() -> None:
    scene = Scene(1, 1, "#ffffff", (Text(0.5, 0.5, "<&>", 0.5, "#000000"),))
    assert ET.fromstring(as_svg(scene))[1].text == "<&>"  # noqa: S314 - our own


def test_an_svg_as_large_as_no_picture_may_be_is_refused() -> None:
    with pytest.raises(PictureError, match="more than 4096 a side"):
        as_svg(Scene(1000, 1000, "#ffffff", (Rectangle(0, 0, 1, 1, "#000000"),)))


def test_a_drawing_is_saved_as_its_suffix_says(tmp_path: Path) -> None:
    drawing = mazegen.draw(MAZE)
    drawing.save(tmp_path / "maze.svg", cell_px=24)
    assert (tmp_path / "maze.svg").read_text() == drawing._repr_svg_()
    with pytest.raises(PictureError, match=r"ends in \.png, \.svg or \.pdf"):
        drawing.save(tmp_path / "maze.jpg")


@pytest.mark.extra("matplotlib", "plot")
def test_a_drawing_is_saved_as_png(tmp_path: Path) -> None:
    mazegen.draw(MAZE).save(tmp_path / "maze.png")
    assert (tmp_path / "maze.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.extra("pygame", "render")
def test_a_drawing_is_an_array_of_pixels() -> None:
    drawing = mazegen.draw(MAZE)
    pixels = drawing.to_array(cell_px=8)
    assert np.array_equal(pixels, paint(drawing.scene, 8))
    turned = mazegen.draw(replace(MAZE, start_facing=mazegen.Facing.SOUTH))
    assert not np.array_equal(pixels, turned.to_array(cell_px=8))
