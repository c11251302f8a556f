"""A real OpenID Connect provider as a process, and a browser without pictures that signs in there."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
import requests
from django.test import Client

ROOT = Path(__file__).parents[2]
FRONTEND = ROOT / "frontend"
PUBLIC = "http://testserver"
SECRET = "a-secret-of-the-client"


class RunningProvider:
    """oidc-provider on a free port of loopback. Each start has another signing key."""

    def __init__(self, folder: Path, console: str = PUBLIC) -> None:
        self._console = console
        node = shutil.which("node")
        if node is None or not (FRONTEND / "node_modules" / "oidc-provider").exists():
            pytest.skip("no Node, or no package oidc-provider: ./test setup installs both")
        self._node, self._settings = node, folder / "provider.json"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.people: dict[str, Any] = {}
        self._process: subprocess.Popen[str] | None = None

    def start(self, **settings: Any) -> None:
        self.write(**settings)
        command = [self._node, str(Path(__file__).with_name("openid_provider.mjs")), str(FRONTEND)]
        self._process = subprocess.Popen(
            [*command, str(self.port), str(self._settings)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n"

    def write(self, **settings: Any) -> None:
        """Who is who at the provider, from now on."""
        client = {
            "client_id": "lakescope",
            "client_secret": SECRET,
            "redirect_uris": [f"{self._console}/sign-in/corporate/callback"],
            "post_logout_redirect_uris": [f"{self._console}/sign-in"],
        }
        self._settings.write_text(json.dumps({"clients": [client], "people": self.people, **settings}))

    def stop(self) -> None:
        if self._process is not None:
            self._process.communicate()  # closes its input, which ends it
            self._process = None


class Person:
    """Somebody with a browser: the console by Django's client, the provider over the network."""

    def __init__(self) -> None:
        self.console = Client()
        self._provider = requests.Session()

    def sign_in(self, name: str, *, target: str = "/") -> Any:
        """All the way: what the console says when the person is back."""
        return self.console.get(self.come_back(self.leave(target), name))

    def leave(self, target: str = "/") -> str:
        """The address at the provider to which the console sends the person."""
        reply = self.console.get("/sign-in/corporate", {"next": target})
        assert reply.status_code == 302, reply.content.decode()
        return str(reply["Location"])

    def come_back(self, address: str, name: str) -> str:
        """The address at the console to which the provider sends the person after its own pages."""
        reply = self._at_provider("GET", address)
        while not reply.startswith(PUBLIC):
            page = self._provider.get(reply)
            form = dict(re.findall(r'<input[^>]*name="(\w+)"[^>]*value="([^"]*)"', page.text))
            if form.get("prompt") == "login":
                form |= {"login": name, "password": "any"}
            action = re.search(r'action="([^"]+)"', page.text)
            assert action is not None, page.text
            reply = self._at_provider("POST", urljoin(page.url, unescape(action[1])), form)
        return reply

    def _at_provider(self, method: str, address: str, form: dict[str, str] | None = None) -> str:
        """Where the redirects end: a page of the provider with a form, or an address of the console."""
        reply = self._provider.request(method, address, data=form, allow_redirects=False)
        while reply.is_redirect:
            onward = urljoin(reply.url, reply.headers["Location"])
            if onward.startswith(PUBLIC) or "/interaction/" in urlsplit(onward).path:
                return onward
            reply = self._provider.get(onward, allow_redirects=False)
        raise AssertionError(f"{reply.status_code} {reply.text}")

    def me(self) -> dict[str, Any]:
        reply = self.console.get("/api/v1/me")
        found: dict[str, Any] = reply.json() if reply.status_code == 200 else {}
        return found

    def get_at_provider(self, address: str) -> requests.Response:
        return self._provider.get(address)
