"""What each kind of warehouse is asked for: a form is a kind of catalog, and a store where its tables lie.

A field is one option of `core.open_catalog`; whether it is stored as a secret follows from its name. What no
field has a place for can be given as an option all the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from console.api.codes import Words
from core.io.clouds import AZURE_SCHEMES, GCS_SCHEMES, OSS_SCHEMES
from core.io.open import scheme_of

LOCATION = "warehouse"  # the one field that is not an option


@dataclass(frozen=True, slots=True)
class Field:
    key: str  # the option; LOCATION for the place itself
    label: Words
    hint: Words | None = None
    example: str = ""
    required: bool = False
    choices: tuple[str, ...] = ()  # the first is taken where nothing is said
    secret: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """The fields of a kind of catalog, or of a store."""

    name: str
    label: Words
    fields: tuple[Field, ...]
    fixed: Mapping[str, str]  # options that make it this kind
    stores: tuple[str, ...] = ()  # of a catalog: where its tables may lie
    note: Words | None = None  # what to know before
    tested: bool = True  # a real server was seen with it
    supported: bool = True


def _place(example: str) -> Field:
    return Field(
        LOCATION,
        Words("Location", "位置"),
        Words("The folder with the databases.", "包含各数据库的目录。"),
        example,
        required=True,
    )


_BOOLEAN = ("true", "false")
_NOT_TESTED = Words("Not tested here: no real server ran.", "此处未测试：没有真实服务器运行过。")

_KEY = Field("s3.access-key", Words("Access key", "Access Key"), secret=True)
_SECRET = Field("s3.secret-key", Words("Secret key", "Secret Key"), secret=True)
_S3 = (
    Field(
        "s3.endpoint",
        Words("Endpoint", "端点"),
        Words("Empty for AWS.", "AWS 可留空。"),
        "https://s3.example.org",
    ),
    Field("s3.region", Words("Region", "区域"), example="us-east-1"),
    Field("s3.path.style.access", Words("Bucket in the path", "路径中包含 bucket"), choices=_BOOLEAN),
    _KEY,
    _SECRET,
    Field("s3.session.token", Words("Session token", "会话令牌"), secret=True),
)

STORES: tuple[Form, ...] = (
    Form("disk", Words("Local disk", "本地磁盘"), (_place("/data/warehouse"),), {}),
    Form("s3", Words("S3", "S3"), (_place("s3://bucket/warehouse"), *_S3), {}),
    Form(
        "gcs",
        Words("Google Cloud Storage", "Google Cloud Storage"),
        (
            _place("gs://bucket/warehouse"),
            Field(
                "gs.auth.type",
                Words("Signs in by", "登录方式"),
                choices=("APPLICATION_DEFAULT", "SERVICE_ACCOUNT_JSON_KEYFILE", "COMPUTE_ENGINE"),
            ),
            Field(
                "gs.auth.service.account.json.keyfile",
                Words("Key file", "密钥文件"),
                Words("A path on the console's machine.", "控制台所在机器上的路径。"),
            ),
        ),
        {},
        note=_NOT_TESTED,
        tested=False,
    ),
    Form(
        "azure",
        Words("Azure", "Azure"),
        (
            _place("abfss://container@account.dfs.core.windows.net/warehouse"),
            Field("fs.azure.account.key", Words("Account key", "账户密钥"), secret=True),
            Field("fs.azure.sas.fixed.token", Words("Shared access signature", "共享访问签名"), secret=True),
            Field("fs.azure.account.oauth2.client.id", Words("Client id", "客户端 ID")),
            Field("fs.azure.account.oauth2.client.secret", Words("Client secret", "客户端密钥"), secret=True),
            Field(
                "fs.azure.account.oauth2.client.endpoint",
                Words("Token endpoint", "令牌端点"),
                example="https://login.microsoftonline.com/tenant/oauth2/token",
            ),
        ),
        {},
        note=_NOT_TESTED,
        tested=False,
    ),
    Form(
        "oss",
        Words("OSS", "OSS"),
        (
            _place("oss://bucket/warehouse"),
            Field(
                "fs.oss.endpoint",
                Words("Endpoint", "端点"),
                example="oss-cn-hangzhou.aliyuncs.com",
                required=True,
            ),
            Field("fs.oss.accessKeyId", Words("Access key", "Access Key"), secret=True),
            Field("fs.oss.accessKeySecret", Words("Secret key", "Secret Key"), secret=True),
            Field("fs.oss.securityToken", Words("Session token", "会话令牌"), secret=True),
        ),
        {},
        note=Words(
            "Not tested here: no real server ran. OSS is asked in the words of S3; whether it "
            "honours the condition of a commit is not known, so take a catalog with a lock (JDBC or Hive).",
            "此处未测试：没有真实服务器运行过。以 S3 协议访问 OSS；"
            "提交所需的条件写入是否生效未知，因此请使用带锁的 Catalog（JDBC 或 Hive）。",
        ),
        tested=False,
    ),
    Form(
        "hdfs",
        Words("HDFS", "HDFS"),
        (
            _place("hdfs://namenode:8020/warehouse"),
            Field(
                "hadoop.dfs.namenode.http-address",
                Words("HTTP of the namenode", "NameNode 的 HTTP 地址"),
                Words("Empty for port 9870 of its host.", "留空则使用该主机的 9870 端口。"),
                "namenode:9870",
            ),
        ),
        {},
        note=Words(
            "Spoken to by WebHDFS, under the name of the console's user; Kerberos is refused by name.",
            "通过 WebHDFS 访问，使用控制台进程的用户名；不支持 Kerberos。",
        ),
    ),
)

_ALL_STORES = tuple(store.name for store in STORES)
_CATALOG_KEY = Field(
    "catalog-key",
    Words("Catalog key", "Catalog 键"),
    Words("One database holds several catalogs. Empty: jdbc.", "一个数据库可保存多个 Catalog。留空为 jdbc。"),
    "jdbc",
)
_LOCK = Field(
    "lock.enabled",
    Words("Commits take the catalog's lock", "提交时使用 Catalog 的锁"),
    Words("By itself: on object stores.", "自动：在对象存储上启用。"),
    choices=("", "true", "false"),
)


def _database(example: str, secure: Field) -> tuple[Field, ...]:
    return (
        Field("uri", Words("Address of the database", "数据库地址"), example=example, required=True),
        Field("jdbc.user", Words("User", "用户"), required=True),
        Field("jdbc.password", Words("Password", "密码"), secret=True),
        secure,
        _CATALOG_KEY,
        _LOCK,
    )


_SERVER = Field(
    "uri",
    Words("Address of the server", "服务器地址"),
    Words("What stands before /v1.", "/v1 之前的部分。"),
    "https://catalog.example.org",
    required=True,
)
_NAMED = Field(
    LOCATION,
    Words("Warehouse", "仓库"),
    Words("Its name at the server.", "服务器上的名称。"),
    "lake",
    required=True,
)
_OF_SERVER = Words(
    "Tables lie where the server says; the store's credentials are given here.",
    "表的位置由服务器决定；存储的凭证在此处填写。",
)

CATALOGS: tuple[Form, ...] = (
    Form("filesystem", Words("Files alone", "仅文件系统"), (), {}, _ALL_STORES),
    Form(
        "jdbc-sqlite",
        Words("JDBC: SQLite", "JDBC：SQLite"),
        (
            Field(
                "uri",
                Words("File of the database", "数据库文件"),
                Words(
                    "A path on the console's machine; made if it is missing.",
                    "控制台所在机器上的路径；不存在时会创建。",
                ),
                "jdbc:sqlite:/data/names.db",
                required=True,
            ),
            _CATALOG_KEY,
            _LOCK,
        ),
        {"metastore": "jdbc"},
        _ALL_STORES,
    ),
    Form(
        "jdbc-postgresql",
        Words("JDBC: PostgreSQL", "JDBC：PostgreSQL"),
        _database(
            "jdbc:postgresql://db.example.org:5432/lake",
            Field(
                "jdbc.sslmode",
                Words("TLS", "TLS"),
                choices=("", "disable", "require", "verify-ca", "verify-full"),
            ),
        ),
        {"metastore": "jdbc"},
        _ALL_STORES,
    ),
    Form(
        "jdbc-mysql",
        Words("JDBC: MariaDB, MySQL", "JDBC：MariaDB、MySQL"),
        _database(
            "jdbc:mysql://db.example.org:3306/lake",
            Field("jdbc.useSSL", Words("TLS", "TLS"), choices=("", "true", "false")),
        ),
        {"metastore": "jdbc"},
        _ALL_STORES,
    ),
    Form(
        "hive",
        Words("Hive metastore", "Hive Metastore"),
        (
            Field(
                "uri",
                Words("Address of the metastore", "Metastore 地址"),
                Words("Several with commas between.", "多个地址以逗号分隔。"),
                "thrift://metastore.example.org:9083",
                required=True,
            ),
            Field(
                "location-in-properties",
                Words("Places stand in parameters", "位置保存在参数中"),
                Words("For stores that the metastore cannot reach.", "用于 Metastore 无法访问的存储。"),
                choices=("false", "true"),
            ),
            _LOCK,
        ),
        {"metastore": "hive"},
        _ALL_STORES,
        note=Words(
            "Tested with Hive 2.3; not with Kerberos, Hive 3 and 4.",
            "已测试 Hive 2.3；未测试 Kerberos、Hive 3 和 4。",
        ),
    ),
    Form(
        "rest",
        Words("REST, by token", "REST，令牌"),
        (_SERVER, _NAMED, Field("token", Words("Token", "令牌"), secret=True, required=True)),
        {"metastore": "rest", "token.provider": "bear"},
        ("disk", "s3", "gcs", "azure"),
        note=_OF_SERVER,
    ),
    Form(
        "rest-dlf",
        Words("REST, by DLF's signature", "REST，DLF 签名"),
        (
            _SERVER,
            _NAMED,
            Field("dlf.region", Words("Region", "区域"), example="cn-hangzhou", required=True),
            Field("dlf.access-key-id", Words("Access key id", "Access Key ID"), secret=True, required=True),
            Field(
                "dlf.access-key-secret",
                Words("Access key secret", "Access Key Secret"),
                secret=True,
                required=True,
            ),
            Field("dlf.security-token", Words("Security token", "安全令牌"), secret=True),
        ),
        {"metastore": "rest", "token.provider": "dlf"},
        ("disk", "s3", "gcs", "azure"),
        note=Words(
            "Signatures are those of Paimon's client; DLF itself was not tested here. Tables lie where the "
            "server says; the store's credentials are given here.",
            "签名与 Paimon 客户端一致；未在此处测试 DLF 服务本身。"
            "表的位置由服务器决定；存储的凭证在此处填写。",
        ),
        tested=False,
    ),
)


def kind_of(options: Mapping[str, str]) -> str | None:
    """Which of the catalogs options make; None for one that has no form."""
    metastore = options.get("metastore", "filesystem")
    if metastore == "jdbc":
        backend = options.get("uri", "").removeprefix("jdbc:").partition(":")[0]
        backend = {"mariadb": "mysql"}.get(backend, backend)
        found = f"jdbc-{backend}"
    elif metastore == "rest":
        found = "rest-dlf" if options.get("token.provider") == "dlf" else "rest"
    else:
        found = metastore
    return found if any(form.name == found for form in CATALOGS) else None


def store_of(location: str, options: Mapping[str, str]) -> str | None:
    """Which of the stores the tables lie in; None for one that has no form."""
    if options.get("metastore") == "rest":
        prefixes = (("s3.", "s3"), ("gs.", "gcs"), ("fs.azure.", "azure"), ("fs.oss.", "oss"))
        return next((s for p, s in prefixes if any(key.startswith(p) for key in options)), "disk")
    scheme = scheme_of(location)
    if scheme in ("s3", "s3a", "s3n"):
        return "s3"
    if scheme in OSS_SCHEMES:
        return "oss"
    if scheme in GCS_SCHEMES:
        return "gcs"
    if scheme in AZURE_SCHEMES:
        return "azure"
    return {"file": "disk", "hdfs": "hdfs"}.get(scheme)
