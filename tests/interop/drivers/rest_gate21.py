"""A server that checks the signature of each request by pypaimon 2.1.0's own signers. Prints its port.

It knows one key. Whoever has it sees one database, which is called as the signer that was used.
"""

import json
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from pypaimon.api.auth.dlf_signer import DLFDefaultSigner, DLFOpenApiSigner
from pypaimon.api.token_loader import DLFToken
from pypaimon.api.typedef import RESTAuthParameter

TOKEN = DLFToken("key-id", "key-secret", "sts")
DATABASE = {"id": "1", "name": "x", "location": "/x", "options": {}}


class Gate(BaseHTTPRequestHandler):
    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        given = {name: text for name, text in self.headers.items() if name.lower() != "authorization"}
        signer = DLFOpenApiSigner() if "x-acs-version" in self.headers else DLFDefaultSigner("cn-hangzhou")
        asked = urlsplit(self.path)
        parameter = RESTAuthParameter(self.command, asked.path, body, dict(parse_qsl(asked.query)))
        # The signers look for names as they write them; on the way their letters may change.
        names = signer.sign_headers(body, datetime.now(UTC), "sts", self.headers["Host"])
        known = {name.lower(): name for name in names}
        headers = {known[n.lower()]: text for n, text in given.items() if n.lower() in known}
        expected = signer.authorization(parameter, TOKEN, self.headers["Host"], headers)
        if self.headers["Authorization"] != expected or set(headers) != set(names):
            return self.send(401, {"message": "no such signature", "code": 401})
        answers = {
            "/v1/config": {"defaults": {}, "overrides": {"prefix": "p"}},
            "/v1/p/databases": {"databases": [signer.identifier()]},
            "/v1/p/databases/x/tables": {"tables": ["t"]},
            "/v1/p/databases/x": DATABASE,
        }
        missing = {"message": "no", "code": 404, "resourceType": "DATABASE", "resourceName": "d"}
        return self.send(200, answers[asked.path]) if asked.path in answers else self.send(404, missing)

    do_GET = do_POST = do_DELETE = answer  # noqa: N815

    def send(self, code: int, body: dict) -> None:
        data = json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Gate)
print(server.server_address[1], flush=True)
server.serve_forever()
