"""Request bodies: JSON that every later step can take, or a problem."""

from __future__ import annotations

import json
from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser


class StrictJsonParser(JSONParser):
    """JSON that is not nested beyond what can be read, and whose texts are Unicode."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        """The value of the body.

        Raises:
            ParseError: no JSON, too deep, or half of a surrogate pair in a text.
        """
        try:
            value = super().parse(stream, media_type, parser_context)
            json.dumps(value, ensure_ascii=False).encode()
        except RecursionError:
            raise ParseError("the body is nested too deeply") from None
        except UnicodeEncodeError:
            raise ParseError("a text holds half of a surrogate pair") from None
        return value
