"""The published JSON Schema of job specs."""

import json
from pathlib import Path

import jsonschema
import pytest

from core.errors import InvalidRequestError
from core.jobs import KINDS, decode_job_spec, job_spec_from_json, spec_schema
from core.jobs.json_schema import DRAFT
from tests.core.jobs.test_spec import WORKS, refusals, spec, spec_of

PUBLISHED = Path(__file__).parents[3] / "docs" / "jobs.schema.json"
VALIDATOR = jsonschema.Draft202012Validator(spec_schema())
BETWEEN_MEMBERS = ("give", "a range of buckets", "a static partition", "an order needs")
"""How refusals begin that the schema leaves to words: rules between members."""


def test_the_published_file_is_what_the_dataclasses_say():
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == spec_schema(), (
        "run: python -m spark_jobs schema > docs/jobs.schema.json"
    )


def test_it_is_a_schema_of_its_draft_with_a_part_for_each_kind():
    jsonschema.Draft202012Validator.check_schema(spec_schema())
    assert spec_schema()["$schema"] == DRAFT
    assert [part["title"] for part in spec_schema()["oneOf"]] == list(KINDS)


def test_every_member_is_described():
    def without(schema, path):
        for name, member in schema.get("properties", {}).items():
            if not {"description", "const", "$ref"} & member.keys():
                yield f"{path}.{name}"

    definitions = spec_schema()["$defs"]
    assert [gap for name, part in definitions.items() for gap in without(part, name)] == []


@pytest.mark.parametrize("work", WORKS, ids=lambda work: type(work).__name__)
def test_what_we_write_is_valid(work):
    VALIDATOR.validate(spec_of(work))


@pytest.mark.parametrize(("changes", "named"), refusals())
def test_what_is_refused_is_not_valid(changes, named):
    told = spec(**changes)
    with pytest.raises(InvalidRequestError) as refused:
        job_spec_from_json(told)
    if not refused.value.what.startswith(BETWEEN_MEMBERS):
        assert not VALIDATOR.is_valid({name: v for name, v in told.items() if v is not None})


def test_the_defaults_of_the_schema_are_those_that_are_read():
    told = spec(kind="compact", compact={"strategy": "full"})
    assert decode_job_spec(json.dumps(told)) == decode_job_spec(json.dumps(spec()))
