"""`me/tree`: what of the tree a person has left open."""

from __future__ import annotations

from console.audit.models import AuditEvent
from tests.console.conftest import Caller


def test_a_person_finds_the_tree_as_it_was_left(alice: Caller, bob: Caller) -> None:
    assert alice.json("/me/tree") == {"open": []}
    kept = alice.ask("PUT", "/me/tree", {}, {"open": ["lake", "lake/db", "lake"]})
    assert (kept.status_code, kept.json()) == (200, {"open": ["lake", "lake/db"]})
    assert alice.ask("PUT", "/me/tree", {}, {"open": ["lake"]}).status_code == 200
    assert (alice.json("/me/tree"), bob.json("/me/tree")) == ({"open": ["lake"]}, {"open": []})
    assert not AuditEvent.objects.exists()


def test_a_tree_that_is_too_large_is_refused(alice: Caller) -> None:
    for nodes in (["n"] * 501, ["n" * 601], "n", [1, None]):
        assert alice.ask("PUT", "/me/tree", {}, {"open": nodes}).status_code == 400
    assert alice.json("/me/tree") == {"open": []}
