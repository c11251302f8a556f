"""Files of the built frontend: packed ones go to who can unpack them."""

from __future__ import annotations

import gzip
from contextlib import closing
from pathlib import Path
from typing import Any

from django.http import HttpResponse
from django.test import RequestFactory

from console.web.static_files import StaticFilesMiddleware


def test_a_script_goes_out_as_the_build_packed_it_and_is_kept_for_ever(
    settings: Any, tmp_path: Path, db: None
) -> None:
    script, packed = b"'a page';" * 500, tmp_path / "assets" / "main-AbCd1234.js.gz"
    (tmp_path / ".vite").mkdir()
    (tmp_path / ".vite" / "manifest.json").write_text("{}")
    packed.parent.mkdir()
    packed.with_suffix("").write_bytes(script)
    packed.write_bytes(gzip.compress(script))
    settings.FRONTEND_DIST = tmp_path
    files = StaticFilesMiddleware(lambda request: HttpResponse(status=404))
    address = "/static/assets/main-AbCd1234.js"
    with closing(files(RequestFactory().get(address, HTTP_ACCEPT_ENCODING="gzip"))) as reply:
        assert reply["Content-Encoding"] == "gzip"
        assert "immutable" in reply["Cache-Control"]
        assert gzip.decompress(b"".join(reply)) == script
    with closing(files(RequestFactory().get(address))) as reply:
        assert b"".join(reply) == script
