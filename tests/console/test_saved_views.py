"""`/saved-views`: filters of a list under a name, each person's own."""

from __future__ import annotations

from console.accounts.models import SavedView
from console.accounts.saved_views import MOST_VIEWS
from tests.console.conftest import Caller

VIEW = {"page": "jobs", "name": "mine", "search": {"f.state": "failed", "sort": "-number"}}


def test_a_view_comes_back_as_it_was_saved(vera: Caller) -> None:
    made = vera.post("/saved-views", VIEW)
    assert made.status_code == 201
    assert vera.items("/saved-views?page=jobs")[0]["search"] == VIEW["search"]
    assert vera.get(made["Location"]).json() == made.json()
    assert vera.delete(made["Location"], match=None).status_code == 428
    assert vera.delete(made["Location"]).status_code == 204
    assert vera.items("/saved-views") == []


def test_a_view_is_nobody_elses_not_even_an_administrators(vera: Caller, alice: Caller) -> None:
    address = vera.post("/saved-views", VIEW)["Location"]
    assert alice.get(address).status_code == alice.delete(address).status_code == 404
    assert alice.items("/saved-views") == []
    assert alice.post("/saved-views", VIEW).status_code == 201  # of the same name


def test_a_name_is_used_once_and_a_page_is_one_that_there_is(vera: Caller) -> None:
    assert vera.post("/saved-views", VIEW).status_code == 201
    assert vera.post("/saved-views", VIEW).json()["errors"][0]["code"] == "taken"
    assert vera.post("/saved-views", VIEW | {"page": "nowhere"}).status_code == 400
    assert vera.post("/saved-views", VIEW | {"name": "long", "search": {"q": "x" * 501}}).status_code == 400


def test_a_person_keeps_so_many_views_and_no_more(vera: Caller) -> None:
    rows = (SavedView(user=vera.user, page="jobs", name=str(i)) for i in range(MOST_VIEWS))
    SavedView.objects.bulk_create(rows)
    assert vera.post("/saved-views", VIEW).json()["errors"][0]["code"] == "too-many"
