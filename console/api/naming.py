"""What operations of the API are called: in its OpenAPI document and in the audit log alike."""

from __future__ import annotations

import re

from rest_framework.views import APIView

METHODS = {
    "GET": "get",
    "HEAD": "get",
    "POST": "create",
    "PUT": "replace",
    "PATCH": "update",
    "DELETE": "delete",
}


def operation_id(view: type[APIView], method: str) -> str:
    """Such as `get_warehouse_list`; of the same view, whose POST adds one to the list, `create_warehouse`."""
    words = re.findall(r"[A-Z][a-z0-9]*", view.__name__.removesuffix("View"))
    if METHODS.get(method) != "get" and words[-1] == "List":
        words.pop()
    return "_".join([METHODS.get(method, method.lower()), *(word.lower() for word in words)])
