"""What we say to an identity provider: the authorization code flow with PKCE, state and nonce.

Authlib speaks the protocol. A client is made for each sign-in, so that the provider's document and
keys are always those of now: who changes a key there changes nothing here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import requests
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.django_client import DjangoOAuth2App, OAuth, OAuthError
from cryptography.fernet import InvalidToken
from django.conf import settings
from django.http import HttpRequest, HttpResponseRedirect
from joserfc.errors import JoseError

from console.openid.models import Provider

TIMEOUT = 10  # seconds, for each answer of a provider
# A key that only the provider has signs: with an HMAC the client could sign, too, and "none" is nobody.
SIGNATURES = frozenset(
    f"{family}{bits}" for family in ("RS", "PS", "ES") for bits in (256, 384, 512)
) | {"EdDSA", "Ed25519"}  # fmt: skip
DISCOVERY = "/.well-known/openid-configuration"


# Why somebody is not signed in; the pages have words for each.
PROBLEMS = frozenset({
    "openid.unreachable", "openid.document", "openid.secret",  # the provider, or its registration here
    "openid.state", "openid.refused", "openid.token",  # the answer
    "openid.nameless", "openid.bad-name", "openid.unknown", "openid.deactivated",  # the person
})  # fmt: skip


class SignInError(Exception):
    """Nobody is signed in. `code` is one of PROBLEMS, `found` says what was met."""

    def __init__(self, code: str, found: object = "") -> None:
        assert code in PROBLEMS, code
        super().__init__(code, str(found)[:500])
        self.code, self.found = code, str(found)[:500]


@dataclass(frozen=True, slots=True)
class Claims:
    """What the provider says of the person who has just signed in there."""

    subject: str
    username: str  # empty: it said none
    display_name: str
    email: str
    groups: frozenset[str]
    sign_out_address: (
        str | None
    )  # where the person signs out of the provider, too; None: it has no such place


def begin(request: HttpRequest, provider: Provider) -> HttpResponseRedirect:
    """The way to the provider's own sign-in; state, nonce and verifier stay in the session.

    Raises:
        SignInError: the provider does not answer, or is not the one that it was registered as.
    """
    with _told(provider):
        app = discovered(provider)
        redirect: HttpResponseRedirect = app.authorize_redirect(request, provider.redirect_uri)
        return redirect


def finish(request: HttpRequest, provider: Provider) -> Claims:
    """Who came back from the provider, proved by its signature over our nonce.

    Raises:
        SignInError: the person or the provider said no, the answer is not for this browser, or a
            token is not what it has to be.
    """
    with _told(provider):
        app = discovered(provider)
        _check_answer(request, app)
        token = app.authorize_access_token(request)
        if not token.get("userinfo"):
            raise SignInError("openid.token", "there is no id_token")
        claims = dict(token["userinfo"])
        return _read(provider, claims | _more(app, token, claims), _sign_out_address(app, token))


def discovered(provider: Provider) -> DjangoOAuth2App:
    """A client that knows the provider's document.

    Raises:
        SignInError: `openid.document`: it is not that of this issuer, or lacks what we need.
        requests.RequestException: it could not be had.
    """
    public = not provider.encrypted_client_secret
    app = OAuth().register(
        provider.name,
        client_id=provider.client_id,
        client_secret=provider.client_secret or None,
        server_metadata_url=provider.issuer.rstrip("/") + DISCOVERY,
        client_kwargs={
            "scope": provider.scopes,
            "code_challenge_method": "S256",
            "token_endpoint_auth_method": "none" if public else None,
            "default_timeout": TIMEOUT,
        },
    )
    document = app.load_server_metadata()
    if not public:
        app.client_kwargs["token_endpoint_auth_method"] = _authentication(document)
    if document.get("issuer") != provider.issuer:
        raise SignInError("openid.document", f"issuer {document.get('issuer')!r}, not {provider.issuer!r}")
    for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
        if not document.get(name):
            raise SignInError("openid.document", f"no {name}")
    told = document.get("id_token_signing_alg_values_supported") or ["RS256"]
    document["id_token_signing_alg_values_supported"] = sorted(SIGNATURES.intersection(told))
    return app


def _authentication(document: dict[str, Any]) -> str:
    """How we show our secret: the first of ours that the provider takes."""
    offered = document.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
    for method in ("client_secret_basic", "client_secret_post"):
        if method in offered:
            return method
    raise SignInError("openid.document", f"token_endpoint_auth_methods_supported {offered}")


def _check_answer(request: HttpRequest, app: DjangoOAuth2App) -> None:
    """The answer, yes or no, is to a question of this browser, and by whom it was asked (RFC 9207)."""
    state = request.GET.get("state")
    if app.framework.get_state_data(request.session, state) is None:
        raise SignInError("openid.state")
    document = app.server_metadata
    sender = request.GET.get("iss")
    promised = document.get("authorization_response_iss_parameter_supported")
    if (promised or sender is not None) and sender != document["issuer"]:
        raise SignInError("openid.state", f"iss {sender!r}")


def _more(app: DjangoOAuth2App, token: dict[str, Any], claims: dict[str, Any]) -> dict[str, Any]:
    """What the provider tells only at its userinfo endpoint, if it is of the same person."""
    if not app.server_metadata.get("userinfo_endpoint"):
        return {}
    more = dict(app.userinfo(token=token))
    if more.get("sub") != claims["sub"]:
        raise SignInError("openid.token", f"userinfo of {more.get('sub')!r}, not of {claims['sub']!r}")
    return more


def _sign_out_address(app: DjangoOAuth2App, token: dict[str, Any]) -> str | None:
    if not app.server_metadata.get("end_session_endpoint"):
        return None
    address: str = app.create_logout_url(
        post_logout_redirect_uri=f"{settings.PUBLIC_URL}/sign-in",
        id_token_hint=token["id_token"],
        client_id=app.client_id,
    )["url"]
    return address


def _read(provider: Provider, claims: dict[str, Any], sign_out_address: str | None) -> Claims:
    groups = claims.get(provider.groups_claim) or []
    return Claims(
        subject=str(claims["sub"]),
        username=str(claims.get(provider.username_claim) or ""),
        display_name=str(claims.get("name") or "")[:150],
        email=str(claims.get("email") or "")[:254],
        groups=frozenset([groups] if isinstance(groups, str) else map(str, groups)),
        sign_out_address=sign_out_address,
    )


@contextmanager
def _told(provider: Provider) -> Iterator[None]:
    """Every way in which the protocol fails, as a SignInError."""
    try:
        yield
    except requests.RequestException as error:
        raise SignInError("openid.unreachable", f"{provider.issuer}: {error}") from error
    except InvalidToken as error:
        raise SignInError("openid.secret", provider.name) from error
    except OAuthError as error:
        raise SignInError("openid.refused", error) from error
    except (AuthlibBaseError, JoseError, ValueError, KeyError, TypeError) as error:
        raise SignInError("openid.token", f"{type(error).__name__}: {error}") from error


def problem_of(provider: Provider) -> SignInError | None:
    """What keeps people from signing in by the provider, asked of it now; None: nothing that shows."""
    try:
        with _told(provider):
            discovered(provider).fetch_jwk_set()
    except SignInError as error:
        return error
    return None
