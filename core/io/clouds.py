"""Options of Paimon for Google's, Azure's and Alibaba's stores as obstore's settings.

Nobody has run these against a real server yet: docs/catalogs.md says so.
"""

from __future__ import annotations

from collections.abc import Mapping

from core.errors import InvalidRequestError, UnsupportedError

GCS_SCHEMES = ("gs", "gcs")
OSS_SCHEMES = ("oss",)
AZURE_SCHEMES = ("abfs", "abfss", "wasb", "wasbs")

_GCS_PREFIXES = ("fs.gs.", "gs.")
_OSS_PREFIX = "fs.oss."
_OSS_OPTIONS = {
    "accessKeyId": "access_key_id",
    "accessKeySecret": "secret_access_key",
    "securityToken": "session_token",
    "region": "region",
}
_AZURE_PREFIXES = ("fs.azure.", "fs.wasb.", "azure.")
_GCS_SIGN_IN = ("SERVICE_ACCOUNT_JSON_KEYFILE", "APPLICATION_DEFAULT", "COMPUTE_ENGINE")
_AZURE_SIGN_IN = ("SharedKey", "OAuth", "SAS")


def gcs_settings(options: Mapping[str, str]) -> dict[str, str]:
    """For `gs://bucket/path`: a key file of a service account, or what the machine signs in by.

    Raises:
        UnsupportedError: another way to sign in.
    """
    settings: dict[str, str] = {}
    for name, value in _without_prefix(options, _GCS_PREFIXES):
        if name == "auth.type" and value.upper() not in _GCS_SIGN_IN:
            raise UnsupportedError("no such way to sign in", feature=f"gs.auth.type={value}", where="gs://")
        if name == "auth.service.account.json.keyfile":
            settings["service_account"] = value
        if name == "storage.root.url":
            settings["base_url"] = value
    return settings


def azure_settings(options: Mapping[str, str]) -> dict[str, str]:
    """For `abfss://container@account.dfs.core.windows.net/path`: a key, a signature, or an application.

    Raises:
        UnsupportedError: another way to sign in.
    """
    settings: dict[str, str] = {}
    for name, value in _without_prefix(options, _AZURE_PREFIXES):
        # Of one account: `account.key.NAME.dfs.core.windows.net`.
        if name.startswith("account.auth.type"):
            if value not in _AZURE_SIGN_IN:
                raise UnsupportedError("no such way to sign in", feature=f"{name}={value}", where="abfs://")
        elif name.startswith("account.oauth2.client.id"):
            settings["client_id"] = value
        elif name.startswith("account.oauth2.client.secret"):
            settings["client_secret"] = value
        elif name.startswith("account.oauth2.client.endpoint"):
            # https://login.microsoftonline.com/<tenant>/oauth2/token
            settings["tenant_id"] = value.removeprefix("https://").split("/")[1] if "/" in value else value
        elif name.startswith("sas."):
            settings["sas_token"] = value
        elif name.startswith("account.key"):
            settings["account_key"] = value
    return settings


def oss_settings(options: Mapping[str, str]) -> dict[str, str]:
    """For `oss://bucket/path`, which is spoken to as S3: an endpoint, which names the region, and a key.

    Raises:
        InvalidRequestError: no endpoint.
    """
    given = dict(_without_prefix(options, (_OSS_PREFIX,)))
    settings = {_OSS_OPTIONS[name]: value for name, value in given.items() if name in _OSS_OPTIONS}
    endpoint = given.get("endpoint", "")
    if not endpoint:
        raise InvalidRequestError(
            "a warehouse of oss:// needs its endpoint",
            option="fs.oss.endpoint",
            expected="oss-<region>.aliyuncs.com",
        )
    scheme, separator, host = endpoint.rpartition("://")
    host = host.rstrip("/")
    if host.startswith("oss-") and host.endswith(".aliyuncs.com"):  # where it speaks S3
        region = host.removeprefix("oss-").partition(".")[0].removesuffix("-internal")
        settings.setdefault("region", region)
        host = f"s3.{host}"
    return {
        "region": "us-east-1",
        **settings,
        "endpoint": f"{scheme}{separator}{host}" if separator else f"https://{host}",
        "virtual_hosted_style_request": "true",  # it knows no other way
    }


def endpoint_of_bucket(settings: Mapping[str, str], root: str) -> dict[str, str]:
    """The settings for one bucket: what is asked for by host has the bucket in the name of the host."""
    endpoint = settings.get("endpoint")
    if endpoint is None or settings.get("virtual_hosted_style_request") != "true":
        return dict(settings)
    scheme, separator, host = endpoint.rpartition("://")
    bucket = root.partition("://")[2]
    is_there = host.startswith(f"{bucket}.")
    return {**settings, "endpoint": endpoint if is_there else f"{scheme}{separator}{bucket}.{host}"}


def azure_root(root: str) -> str:
    """The address of a container as obstore knows it: the older `wasb` is the same place as `abfs`."""
    scheme, separator, place = root.partition("://")
    if not scheme.startswith("wasb"):
        return root
    return f"{scheme.replace('wasb', 'abfs')}{separator}{place.replace('.blob.', '.dfs.')}"


def _without_prefix(options: Mapping[str, str], prefixes: tuple[str, ...]) -> list[tuple[str, str]]:
    return [
        (key.removeprefix(prefix), str(value))
        for key, value in options.items()
        for prefix in prefixes
        if key.startswith(prefix)
    ]
