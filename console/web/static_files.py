"""Static files: those of the pages and of the built frontend, also when it is built while we run."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware


class StaticFilesMiddleware(WhiteNoiseMiddleware):  # type: ignore[misc]  # it has no types
    """Looks at the frontend's folder again when a file is asked for that the last look did not see.

    The shell names what Vite's manifest names now, so after a new build it names new files.
    """

    def __init__(self, get_response: Any) -> None:
        super().__init__(get_response)
        self._seen: float | None = None
        self._look()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info.startswith(self.static_prefix) and request.path_info not in self.files:
            self._look()
        reply: HttpResponseBase = super().__call__(request)
        return reply

    def _look(self) -> None:
        """Take up the frontend's files, if it was built since the last look."""
        manifest = settings.FRONTEND_DIST / ".vite" / "manifest.json"
        built = manifest.stat().st_mtime if manifest.exists() else None
        if built is not None and built != self._seen:
            self.update_files_dictionary(f"{settings.FRONTEND_DIST}/", self.static_prefix)
            self._seen = built
