"""What pypaimon 2.1.0 puts on the wire of a REST catalog: signatures of requests, and bodies.

Reads `{"sign": [{...}]}` from standard input; prints `{"signed": [headers], "bodies": {name: body}}`.
"""

import json
import sys
from datetime import UTC, datetime

from pypaimon.api import api_request as requests
from pypaimon.api.auth.dlf_signer import DLFDefaultSigner, DLFOpenApiSigner
from pypaimon.api.rest_util import RESTUtil
from pypaimon.api.token_loader import DLFToken
from pypaimon.api.typedef import RESTAuthParameter
from pypaimon.common.identifier import Identifier
from pypaimon.common.json_util import JSON
from pypaimon.schema.data_types import AtomicType, DataField
from pypaimon.schema.schema import Schema
from pypaimon.schema.schema_change import SchemaChange
from pypaimon.snapshot.snapshot import Snapshot
from pypaimon.snapshot.snapshot_commit import PartitionStatistics
from pypaimon.table.instant import Instant


def signed(case):
    signer = DLFDefaultSigner(case["region"])
    token = DLFToken(case["id"], case["secret"], case["token"])
    body = case["body"]
    headers = signer.sign_headers(body, datetime.fromtimestamp(case["at"], UTC), case["token"], "h")
    asked = RESTAuthParameter(case["method"], case["path"], body, case["query"])
    headers["Authorization"] = signer.authorization(asked, token, "h", headers)
    return headers


def openly_signed(case):
    """The same by the signer of the public gateway, with the nonce that the case gives."""
    signer = DLFOpenApiSigner()
    signer._generate_unique_nonce = lambda: case["nonce"]
    at = datetime.fromtimestamp(case["at"], UTC)
    headers = signer.sign_headers(case["body"], at, case["token"], case["host"])
    asked = RESTAuthParameter(case["method"], case["path"], case["body"], case["query"])
    token = DLFToken(case["id"], case["secret"], case["token"])
    headers["Authorization"] = signer.authorization(asked, token, case["host"], headers)
    return headers


def bodies():
    table = Identifier.create("db", "t$branch_b")
    fields = [DataField(0, "id", AtomicType("BIGINT", False)), DataField(1, "a", AtomicType("STRING"))]
    schema = Schema(fields, ["id"], ["id"], {"bucket": "1"}, "words")
    snapshot = Snapshot(
        version=3, id=2, schema_id=0, base_manifest_list="b", delta_manifest_list="d", total_record_count=5,
        delta_record_count=1, commit_user="u", commit_identifier=2**63 - 1, commit_kind="APPEND",
        time_millis=7, uuid="u2", base_manifest_list_size=3,
    )  # fmt: skip
    changes = [
        SchemaChange.set_option("k", "v"),
        SchemaChange.remove_option("k"),
        SchemaChange.update_comment("c"),
        SchemaChange.add_column("c", AtomicType("INT"), "words"),
        SchemaChange.rename_column(["r", "a"], "b"),
        SchemaChange.drop_column("c"),
        SchemaChange.update_column_type("c", AtomicType("BIGINT"), True),
        SchemaChange.update_column_nullability("c", False),
        SchemaChange.update_column_comment("c", "w"),
        SchemaChange.update_column_default_value(["c"], "1"),
    ]
    statistics = PartitionStatistics.create({"dt": "1"}, 1, 1, 9, 7, 4)
    return {
        "CreateDatabase": requests.CreateDatabaseRequest("db", {"a": "b"}),
        "AlterDatabase": requests.AlterDatabaseRequest(["x"], {"a": "b"}),
        "CreateTable": requests.CreateTableRequest(table, schema),
        "AlterTable": requests.AlterTableRequest(changes),
        "Rename": requests.RenameTableRequest(table, Identifier.create("db", "s")),
        "CommitTable": requests.CommitTableRequest("id", snapshot, [statistics], "u1"),
        "RollbackTable": requests.RollbackTableRequest(Instant.snapshot(4), 6),
        "CreateBranch": requests.CreateBranchRequest("b", "v1"),
        "CreateTag": requests.CreateTagRequest("v1", 3, "1d"),
    }


asked = json.load(sys.stdin)
print(
    json.dumps(
        {
            "signed": [signed(case) for case in asked["sign"]],
            "openly_signed": [openly_signed(case) for case in asked["sign"]],
            "names": {name: RESTUtil.encode_string(name) for name in asked["names"]},
            "bodies": {name: json.loads(JSON.to_json(body)) for name, body in bodies().items()},
        }
    )
)
