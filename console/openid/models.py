"""Identity providers, the roles that their groups get, and the people who sign in by them."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models

from console.accounts.models import RoleInScope, User
from console.api.secrets import decrypt, encrypt

NAME = RegexValidator(r"^[a-z0-9][a-z0-9-]{0,39}\Z", "small letters, digits and -; at most 40")
EVERYBODY = "*"  # in place of a group: all who sign in


class Provider(models.Model):
    """An OpenID Connect provider by which people sign in; we are registered with it as a client."""

    name = models.CharField(max_length=40, unique=True, validators=[NAME], help_text="In addresses.")
    label = models.CharField(max_length=60, help_text="On the button of the sign-in page.")
    issuer = models.CharField(max_length=500, help_text="Its address, as its discovery document has it.")
    client_id = models.CharField(max_length=200)
    encrypted_client_secret = models.TextField(blank=True)  # empty: a public client, which has none
    scopes = models.CharField(max_length=200, default="openid profile email")
    username_claim = models.CharField(max_length=100, default="preferred_username")
    groups_claim = models.CharField(max_length=100, default="groups")
    creates_people = models.BooleanField(
        default=True, help_text="Who signs in for the first time gets an account."
    )
    links_by_username = models.BooleanField(
        default=False,
        help_text="Whoever the provider calls NAME is the account NAME here, without asking for its "
        "password. Only for a provider that gives nobody another person's name.",
    )
    is_enabled = models.BooleanField(default=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @property
    def client_secret(self) -> str:
        """The secret, or nothing for a public client.

        Raises:
            cryptography.fernet.InvalidToken: it was encrypted with another key.
        """
        return str(decrypt(self.encrypted_client_secret)) if self.encrypted_client_secret else ""

    @client_secret.setter
    def client_secret(self, value: str) -> None:
        self.encrypted_client_secret = encrypt(value) if value else ""

    @property
    def redirect_uri(self) -> str:
        """What has to be registered with the provider as the place to come back to."""
        return f"{settings.PUBLIC_URL}/sign-in/{self.name}/callback"

    def clean(self) -> None:
        problems = {}
        if not is_safe(self.issuer):
            problems["issuer"] = "This has to be an https address; http is for this machine alone."
        if "openid" not in self.scopes.split():
            problems["scopes"] = "Without the scope openid no provider says who somebody is."
        if problems:
            raise ValidationError(problems)


def is_safe(address: str) -> bool:
    """Whether nobody on the way can read or change what is sent there."""
    parts = urlsplit(address)
    if parts.scheme == "https":
        return bool(parts.hostname)
    return parts.scheme == "http" and _is_loopback(parts.hostname or "")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class GroupRole(RoleInScope):
    """Who is in a group of the provider has a role in a scope, from sign-in to sign-in."""

    provider = models.ForeignKey(Provider, on_delete=models.CASCADE, related_name="group_roles")
    group = models.CharField(max_length=255, help_text=f"{EVERYBODY}: all who sign in.")

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.group}: {self.role} of {self.scope}"


class Identity(models.Model):
    """A person as a provider knows them. The subject is never given to anybody else; names may be."""

    provider = models.ForeignKey(Provider, on_delete=models.CASCADE, related_name="identities")
    subject = models.CharField(max_length=255)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="identities")
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["provider", "subject"], name="one_person_a_subject")]

    def __str__(self) -> str:
        return f"{self.user} by {self.provider}"
