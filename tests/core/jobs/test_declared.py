"""Declared objects: what is read, and what is refused by the path of its field."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

import pytest

from core.errors import InvalidRequestError
from core.jobs.declared import AtLeast, Blank, NotEmpty, Pattern, meaning_of, members, read_object


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Square:
    side: int


@dataclass(frozen=True)
class Circle:
    radius: float


@dataclass(frozen=True)
class Picture:
    """Shapes
    on paper.

    More of it.
    """

    shapes: Annotated[tuple[Square | Circle, ...], NotEmpty(), "what is seen"]
    colour: Colour = Colour.RED
    count: Annotated[int | None, AtLeast(1)] = None
    note: Annotated[str, Blank()] = ""
    words: Mapping[Annotated[str, Pattern("[a-z]+", "small letters")], str | None] = field(
        default_factory=dict
    )
    mixed: tuple[Annotated[int, AtLeast(0)] | bool | str, ...] = ()


SHAPES = [{"side": 1}]


def test_values_arrive_as_they_are_declared():
    told = {
        "shapes": [{"side": 1}, {"radius": 2}],
        "colour": "blue",
        "words": {"a": None},
        "mixed": [1, True],
    }
    assert read_object(Picture, told, "") == Picture(
        (Square(1), Circle(2)), Colour.BLUE, words={"a": None}, mixed=(1, True)
    )


def test_null_stands_for_what_is_absent():
    assert read_object(Picture, {"shapes": SHAPES, "colour": None, "other": None}, "") == Picture(
        (Square(1),)
    )


@pytest.mark.parametrize(
    ("told", "named"),
    [
        ({}, "p.shapes"),
        ({"shapes": []}, "p.shapes"),
        ({"shapes": {}}, "p.shapes"),
        ({"shapes": [{}]}, "p.shapes[0]"),
        ({"shapes": [{"side": 1, "radius": 1}]}, "p.shapes[0]"),
        ({"shapes": [{"side": 1}, {"side": 1.5}]}, "p.shapes[1].side"),
        ({"shapes": [{"side": True}]}, "p.shapes[0].side"),
        ({"shapes": [{"side": 1, "edge": 1}]}, "p.shapes[0].edge"),
        ({"shapes": SHAPES, "colour": "green"}, "p.colour"),
        ({"shapes": SHAPES, "colour": ["red"]}, "p.colour"),
        ({"shapes": SHAPES, "count": 0}, "p.count"),
        ({"shapes": SHAPES, "count": 2**63}, "p.count"),
        ({"shapes": SHAPES, "words": {"A": "x"}}, "p.words.A"),
        ({"shapes": SHAPES, "words": {"a": " "}}, "p.words.a"),
        ({"shapes": SHAPES, "words": []}, "p.words"),
        ({"shapes": SHAPES, "mixed": [1, -1]}, "p.mixed[1]"),
        ({"shapes": SHAPES, "mixed": [1.5]}, "p.mixed[0]"),
        ({"shapes": SHAPES, "mixed": [None]}, "p.mixed[0]"),
        ({"shapes": SHAPES, "unknown": 1, "also": 2}, "p.also"),
        ([], "p"),
    ],
)
def test_a_refusal_names_the_field_by_its_path(told, named):
    with pytest.raises(InvalidRequestError) as refused:
        read_object(Picture, told, "p")
    assert refused.value.fields["field"] == named


def test_an_object_says_what_it_means():
    assert meaning_of(Picture) == "Shapes on paper."
    assert [(m.name, m.meaning, m.required) for m in members(Picture)][:2] == [
        ("shapes", "what is seen", True),
        ("colour", "", False),
    ]
