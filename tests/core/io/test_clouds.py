"""Google's, Azure's and Alibaba's stores: what can be said of them without a server."""

from __future__ import annotations

import pickle

import pytest

from core.errors import InvalidRequestError, UnsupportedError
from core.io.clouds import azure_root, azure_settings, endpoint_of_bucket, gcs_settings, oss_settings
from core.io.file_io import FileIO
from core.io.obstore_io import AzureFileIO, GcsFileIO, OssFileIO
from core.io.open import file_io_for

ACCOUNT = "abfss://c@account.dfs.core.windows.net"


@pytest.mark.parametrize("prefix", ["gs.", "fs.gs."])
def test_a_service_account_of_google_is_named_by_its_key_file(prefix: str) -> None:
    given = {
        f"{prefix}auth.type": "SERVICE_ACCOUNT_JSON_KEYFILE",
        f"{prefix}auth.service.account.json.keyfile": "/k.json",
    }
    assert gcs_settings(given) == {"service_account": "/k.json"}


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        ({"azure.account.key": "k"}, {"account_key": "k"}),
        ({"fs.azure.account.key.a.blob.core.windows.net": "k"}, {"account_key": "k"}),
        (
            {
                "fs.azure.account.auth.type": "OAuth",
                "fs.azure.account.oauth2.client.id": "i",
                "fs.azure.account.oauth2.client.secret": "s",
                "fs.azure.account.oauth2.client.endpoint": "https://login.microsoftonline.com/t/oauth2/token",
            },
            {"client_id": "i", "client_secret": "s", "tenant_id": "t"},
        ),
    ],
)
def test_azure_lets_in_by_a_key_or_an_application(options: dict[str, str], settings: dict[str, str]) -> None:
    assert azure_settings(options) == settings


def test_other_ways_to_sign_in_are_refused_by_name() -> None:
    with pytest.raises(UnsupportedError, match="USER_CREDENTIALS"):
        gcs_settings({"fs.gs.auth.type": "USER_CREDENTIALS"})
    with pytest.raises(UnsupportedError, match="Custom"):
        azure_settings({"fs.azure.account.auth.type": "Custom"})


def test_the_older_address_of_a_container_is_the_same_place() -> None:
    assert azure_root("wasbs://c@account.blob.core.windows.net") == ACCOUNT
    assert azure_root(ACCOUNT) == ACCOUNT


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("gs://b/wh", GcsFileIO),
        (f"{ACCOUNT}/wh", AzureFileIO),
        ("wasb://c@a.blob.core.windows.net/x", AzureFileIO),
        ("oss://b/wh", OssFileIO),
    ],
)
def test_the_scheme_of_a_path_says_the_store_and_no_secret_is_shown(path: str, kind: type[FileIO]) -> None:
    keys = {"azure.account.key": "c2VjcmV0", "fs.oss.endpoint": "e", "fs.oss.accessKeySecret": "c2VjcmV0"}
    io = file_io_for(path, {**keys, "gs.auth.service.account.json.keyfile": "/secret"})
    assert type(io) is kind
    assert "c2VjcmV0" not in repr(io)
    assert pickle.loads(pickle.dumps(io)).settings == io.settings


def test_oss_is_asked_where_it_speaks_s3_with_the_bucket_in_the_name_of_the_host() -> None:
    keys = {"fs.oss.accessKeyId": "i", "fs.oss.accessKeySecret": "s", "fs.oss.securityToken": "t"}
    found = oss_settings({**keys, "fs.oss.endpoint": "oss-cn-hangzhou-internal.aliyuncs.com"})
    assert found["region"] == "cn-hangzhou"
    assert (found["access_key_id"], found["secret_access_key"], found["session_token"]) == ("i", "s", "t")
    host = "https://lake.s3.oss-cn-hangzhou-internal.aliyuncs.com"
    assert endpoint_of_bucket(found, "s3://lake")["endpoint"] == host
    assert endpoint_of_bucket({"endpoint": "http://h:1"}, "s3://lake")["endpoint"] == "http://h:1"
    with pytest.raises(InvalidRequestError, match=r"fs\.oss\.endpoint"):
        oss_settings(keys)
