"""Lists of a REST catalog, which come in pages. Spec: 04, C4, Paging."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.arguments import is_whole_number
from core.catalog.facts import Page
from core.catalog.rest.http import RestServer
from core.catalog.rest.objects import names_from_wire
from core.errors import InvalidRequestError
from core.io.json_object import JsonObject


class RestPages:
    """Of one server."""

    _server: RestServer

    def _pages(self, path: str, query: Mapping[str, str] | None = None) -> Iterator[JsonObject]:
        asked = dict(query or {})
        while True:
            page = self._server.get(path, asked)
            yield page
            token = page.text_or_none("nextPageToken")
            if not token:
                return
            asked["pageToken"] = token

    def _names(self, path: str, member: str) -> Iterator[str]:
        for page in self._pages(path):
            names = names_from_wire(page, member).names
            if not names:  # a server without paging may give a token all the same
                return
            yield from names

    def _page(
        self, path: str, member: str, limit: int | None, token: str | None, query: Mapping[str, str | None]
    ) -> Page:
        if limit is not None and (not is_whole_number(limit) or limit < 0):
            raise InvalidRequestError("a page has at least one name", limit=repr(limit))
        asked = {key: text for key, text in query.items() if text}
        if token is not None:
            asked["pageToken"] = token
        if limit:
            return names_from_wire(self._server.get(path, asked | {"maxResults": str(limit)}), member)
        return Page(
            tuple(name for page in self._pages(path, asked) for name in names_from_wire(page, member).names)
        )
