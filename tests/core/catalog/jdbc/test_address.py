from __future__ import annotations

import pytest

from core.catalog.jdbc.address import address_of
from core.errors import InvalidRequestError, PaimonError, UnsupportedError


@pytest.mark.parametrize(
    ("uri", "url"),
    [
        ("jdbc:sqlite:/data/c.db", "sqlite:////data/c.db"),
        ("jdbc:sqlite:file:/data/c.db?cache=shared", "sqlite:////data/c.db"),
        ("jdbc:postgresql://h:5433/lake", "postgresql+psycopg://h:5433/lake"),
        ("jdbc:postgresql:lake", "postgresql+psycopg://localhost/lake"),
        ("jdbc:mysql://h/lake", "mysql+pymysql://h/lake?charset=utf8mb4"),
        ("jdbc:mariadb://h:3307/lake?useSSL=false", "mysql+pymysql://h:3307/lake?charset=utf8mb4"),
    ],
)
def test_an_address_of_java_is_one_of_the_python_driver(uri: str, url: str) -> None:
    assert address_of(uri, {}).url.render_as_string(hide_password=False) == url


@pytest.mark.parametrize(
    ("uri", "options"),
    [
        ("jdbc:postgresql://h/lake", {"jdbc.user": "u", "jdbc.password": "p@/ß"}),
        ("jdbc:postgresql://h/lake?user=u&password=p%40%2F%C3%9F", {}),
        ("jdbc:postgresql://h/lake?user=x&password=y", {"jdbc.user": "u", "jdbc.password": "p@/ß"}),
    ],
)
def test_who_signs_in_is_said_by_options_or_the_address_and_never_shown(
    uri: str, options: dict[str, str]
) -> None:
    address = address_of(uri, options)
    assert (address.url.username, address.url.password) == ("u", "p@/ß")
    assert "ß" not in f"{address} {address!r}"
    assert str(address) == "jdbc:postgresql://h/lake"


@pytest.mark.parametrize(
    ("uri", "arguments"),
    [
        (
            "jdbc:postgresql://h/l?sslmode=require&connectTimeout=5",
            {"sslmode": "require", "connect_timeout": "5"},
        ),
        ("jdbc:postgresql://h/l?ssl=true", {"sslmode": "verify-full"}),
        ("jdbc:postgresql://h/l?currentSchema=s", {"options": "-csearch_path=s"}),
        ("jdbc:mysql://h/l?connectTimeout=5000&characterEncoding=utf8", {"connect_timeout": 5}),
    ],
)
def test_settings_of_java_drivers_are_followed(uri: str, arguments: dict[str, object]) -> None:
    patience: dict[str, object] = {"connect_timeout": 20}
    if "mysql" in uri:
        patience |= {"read_timeout": 600, "write_timeout": 600}
    assert dict(address_of(uri, {}).arguments) == patience | arguments


def test_how_long_an_answer_may_take_is_said_in_the_units_of_each_driver() -> None:
    assert address_of("jdbc:postgresql://h/l?socketTimeout=7", {}).answer_seconds == 7
    assert address_of("jdbc:mysql://h/l?socketTimeout=7000", {}).arguments["read_timeout"] == 7


@pytest.mark.parametrize(
    ("uri", "found"),
    [
        ("jdbc:oracle:thin:@h:1521/x", "jdbc:oracle"),
        ("jdbc:sqlite::memory:", "memory"),
        ("jdbc:sqlite:file::memory:?ic", "memory"),
        ("jdbc:postgresql://a,b/l", "several hosts"),
        ("jdbc:postgresql://h/l?socketFactory=x", "socketFactory"),
    ],
)
def test_what_we_cannot_follow_is_refused_by_name(uri: str, found: str) -> None:
    with pytest.raises(UnsupportedError, match=found):
        address_of(uri, {})


@pytest.mark.parametrize("uri", ["", "jdbc:", "sqlite:/x", "jdbc:postgresql://h:port/l", "jdbc:mysql:"])
def test_no_address_is_refused(uri: str) -> None:
    with pytest.raises(InvalidRequestError):
        address_of(uri, {})


def test_an_address_that_is_refused_shows_no_password() -> None:
    with pytest.raises(PaimonError) as refused:
        address_of("postgresql://u:secret@h/l?password=secret", {})
    assert "secret" not in str(refused.value)
