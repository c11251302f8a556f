"""What the steps of a test say, by code, in both languages. Codes are contract, words are for people.

A detail may name values of its step in braces; what core said of a failure is told beside it.
"""

from __future__ import annotations

from collections.abc import Mapping

from console.api.codes import Words
from console.api.errors import say

STEPS: dict[str, Words] = {
    # what went well
    "options-ok": Words("The address and the options are in order.", "地址和选项格式正确。"),
    "reached": Words("{address} takes connections.", "{address} 可以建立连接。"),
    "not-probed": Words("Not tried by itself: {address}.", "未单独探测：{address}。"),
    "connected": Words("The catalog is open.", "Catalog 已打开。"),
    "store-ok": Words("{place} can be listed.", "可以列出 {place}。"),
    "databases": Words("{count} databases.", "{count} 个数据库。"),
    "tables": Words("{count} tables in {database}.", "{database} 中有 {count} 个表。"),
    "table-read": Words("{table} has {count} columns.", "{table} 有 {count} 列。"),
    # what may be meant
    "path-empty": Words(
        "{place} is empty: a new warehouse, or not the one that was meant.",
        "{place} 为空：这是新仓库，或者并非所指的仓库。",
    ),
    "no-databases": Words("There is no database yet.", "还没有数据库。"),
    "no-tables": Words("There is no table yet.", "还没有表。"),
    "no-table-to-read": Words("There is no table to read.", "没有可读取的表。"),
    # the options
    "wrong-option": Words("An option or the address is wrong: {what}", "选项或地址有误：{what}"),
    "forbidden-address": Words(
        "An endpoint may not be link-local: that is where clouds hand out this machine's credentials.",
        "端点不能是链路本地地址：云平台在该地址发放本机的凭证。",
    ),
    "forbidden-path": Words(
        "This folder holds the console's own data. Choose another one.",
        "该目录保存控制台自身的数据，请另选目录。",
    ),
    "path-relative": Words(
        "A warehouse needs an absolute path, or an address such as s3://bucket/path.",
        "仓库需要绝对路径，或 s3://bucket/path 形式的地址。",
    ),
    "unsupported": Words(
        "Paimon knows this, and it is not supported here: {what}", "Paimon 支持此用法，但此处尚不支持：{what}"
    ),
    # the way there
    "host-unknown": Words(
        "No such host is known. Look at the spelling of the address, and at the name service.",
        "无法解析主机名。请检查地址拼写和域名服务。",
    ),
    "refused": Words(
        "Nothing listens on this port of the host. Does the server run? Is the port right?",
        "主机拒绝连接：该端口没有服务在监听。服务器是否在运行，端口是否正确？",
    ),
    "unreachable": Words("There is no way to the host from here.", "从此处无法到达该主机。"),
    "timeout": Words(
        "There was no answer in time. Is a firewall in between, does something else listen there?",
        "未能及时得到应答。中间是否有防火墙，该端口是否是其他服务？",
    ),
    "tls": Words(
        "TLS failed: one side speaks it and the other does not, or the certificate is not trusted here.",
        "TLS 握手失败：只有一方使用 TLS，或此处不信任该证书。",
    ),
    # a database of names
    "sign-in": Words("User name or password is wrong.", "用户名或密码错误。"),
    "database-missing": Words("The server has no database of this name.", "服务器上没有该名称的数据库。"),
    "database-denied": Words(
        "The user may not use this database, or it does not exist.",
        "该用户无权使用此数据库，或数据库不存在。",
    ),
    "tables-denied": Words(
        "The user may not read or make the catalog's tables (paimon_tables and others). Grant it that.",
        "该用户无权读取或创建 Catalog 的表（paimon_tables 等），请授予权限。",
    ),
    "file-missing": Words(
        "The file of the database cannot be opened: is its folder there, may the console write to it?",
        "无法打开数据库文件：目录是否存在，控制台是否可写？",
    ),
    "not-a-database": Words("The file is no SQLite database.", "该文件不是 SQLite 数据库。"),
    "locked": Words(
        "Somebody else holds the catalog's lock. Try again.", "其他人持有 Catalog 的锁，请稍后重试。"
    ),
    "catalog-failed": Words("The catalog's server failed.", "Catalog 的服务器出错。"),
    "catalog-denied": Words(
        "The catalog's server does not let this user do that.", "Catalog 的服务器不允许该用户执行此操作。"
    ),
    # a metastore
    "not-a-metastore": Words(
        "What answers there does not speak Thrift as a Hive metastore of a version known here does "
        "(2.3 was tested).",
        "该地址的应答不符合此处支持的 Hive Metastore 版本的 Thrift 协议（已测试 2.3）。",
    ),
    # a REST catalog
    "token": Words(
        "The server does not know the token: it is wrong, or has expired.",
        "服务器不认可该令牌：令牌错误或已过期。",
    ),
    "token-denied": Words(
        "The server knows the token, and does not let it use this warehouse.",
        "服务器认可该令牌，但不允许其使用此仓库。",
    ),
    "catalog-unknown": Words(
        "The server has no such warehouse, or no catalog at this address: look at the warehouse's name, and "
        "at what stands before /v1 in the address.",
        "服务器上没有该仓库，或该地址没有 Catalog：请检查仓库名称以及地址中 /v1 之前的部分。",
    ),
    "not-a-catalog": Words(
        "What answers there is no Paimon REST catalog.", "该地址的应答不是 Paimon REST Catalog。"
    ),
    "server-refuses": Words("The catalog's server refuses the request.", "Catalog 的服务器拒绝了请求。"),
    # a store
    "path-missing": Words(
        "There is no folder {place}. Make it first if the warehouse is to be new.",
        "目录 {place} 不存在。如需新建仓库，请先创建该目录。",
    ),
    "path-no-folder": Words("{place} is a file, not a folder.", "{place} 是文件，不是目录。"),
    "path-denied": Words(
        "The console's user of the system may not list {place}.", "控制台的系统用户无权列出 {place}。"
    ),
    "not-a-warehouse": Words(
        "{place} holds {count} other things, and no folder <database>.db: it is no warehouse, or a folder "
        "above or below one.",
        "{place} 中有 {count} 个其他对象，但没有 <数据库>.db 目录：它不是仓库，或是仓库的上级或下级目录。",
    ),
    "bucket-missing": Words("The store has no bucket of this name.", "存储中没有该名称的 bucket。"),
    "key-unknown": Words("The store does not know the access key.", "存储不认可该 Access Key。"),
    "key-wrong": Words(
        "The secret key does not belong to the access key.", "Secret Key 与 Access Key 不匹配。"
    ),
    "store-denied": Words(
        "The store does not let these credentials list {place}.", "存储不允许以这些凭证列出 {place}。"
    ),
    "store-failed": Words("The store failed.", "存储出错。"),
    # what is in it
    "unreadable": Words("A file of the metadata is damaged.", "元数据文件已损坏。"),
    "gone": Words("What was listed a moment ago is not there.", "刚才列出的对象已不存在。"),
    "busy": Words(
        "Too many tests wait for servers that do not answer. Try again in a minute.",
        "正在等待无应答服务器的测试过多，请一分钟后重试。",
    ),
    "failed": Words("It failed.", "失败。"),
}


def detail_of(code: str, values: Mapping[str, object]) -> str:
    """What a code says, in the language of the request."""
    return say(STEPS[code], values)
