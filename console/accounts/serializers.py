"""People, bindings and tokens as the API shows and takes them."""

from __future__ import annotations

from datetime import timedelta
from ipaddress import ip_network
from typing import Any

from django.contrib.auth.validators import UnicodeUsernameValidator
from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from console.accounts.models import SET_UP_LINK, ApiToken, RoleBinding, User
from console.accounts.roles import Permission, Role
from console.api.fields import TimeField, choice, strings
from console.api.language import is_chinese

Serializer = serializers.Serializer[Any]
Text = serializers.CharField
LONGEST_TOKEN = timedelta(days=366)
PERMISSIONS = tuple(p.value for p in Permission)
ROLES = tuple(r.value for r in Role)
LANGUAGES = ("", "en", "zh-hans")
THEMES = ("light", "dark", "system")


class ScopeSerializer(Serializer):
    """Null: all of them. `table` is a pattern with * and ?."""

    warehouse = Text(allow_null=True, default=None, max_length=63)
    database = Text(allow_null=True, default=None, max_length=255)
    table = Text(allow_null=True, default=None, max_length=255)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if (attrs["database"] and not attrs["warehouse"]) or (attrs["table"] and not attrs["database"]):
            raise serializers.ValidationError("A table needs its database, a database its warehouse.")
        return attrs


class RoleBindingSerializer(Serializer):
    id = serializers.IntegerField(read_only=True)
    user = Text(source="user.username")
    role = choice(*ROLES)
    scope = ScopeSerializer()
    scope_text = Text(source="scope", read_only=True)
    data_read = serializers.BooleanField(default=False, help_text="For a viewer: rows and values, too.")
    data_unmasked = serializers.BooleanField(
        default=False, help_text="Values that a masking policy hides; nobody has it by a role."
    )
    table_destroy = serializers.BooleanField(default=False, help_text="For an operator: level 2, too.")
    created_at = TimeField(read_only=True)
    created_by = serializers.SerializerMethodField()
    created_by_code = serializers.SerializerMethodField()

    def get_created_by(self, binding: RoleBinding) -> str:
        """The person's name, or in words what made it."""
        return "初始化链接" if is_chinese() and binding.created_by == SET_UP_LINK else binding.created_by

    @extend_schema_field(choice("person", "set_up_link", "identity_provider"))
    def get_created_by_code(self, binding: RoleBinding) -> str:
        if binding.provider_id is not None:
            return "identity_provider"
        return "set_up_link" if binding.created_by == SET_UP_LINK else "person"

    def validate_user(self, username: str) -> User:
        user = User.objects.filter(username=username).first()
        if user is None:
            raise serializers.ValidationError(f"There is no user {username}.")
        return user

    def create(self, validated_data: dict[str, Any]) -> RoleBinding:
        scope = validated_data.pop("scope")
        user = validated_data.pop("user")["username"]
        return RoleBinding.objects.create(user=user, **scope, **validated_data)


class UserSerializer(Serializer):
    id = serializers.IntegerField(read_only=True)
    username = Text(max_length=150, validators=[UnicodeUsernameValidator()])
    display_name = Text(max_length=150, allow_blank=True, default="")
    is_active = serializers.BooleanField(default=True)
    has_password = serializers.SerializerMethodField()
    last_login_at = TimeField(source="last_login", read_only=True, allow_null=True)
    created_at = TimeField(source="date_joined", read_only=True)
    role_bindings = RoleBindingSerializer(many=True, read_only=True)

    def get_has_password(self, user: User) -> bool:
        return user.has_usable_password()

    def validate_username(self, username: str) -> str:
        taken = User.objects.filter(username__iexact=username)
        if self.instance is not None:
            taken = taken.exclude(pk=self.instance.pk)
        if taken.exists():
            raise serializers.ValidationError("This name is taken.")
        return username

    def create(self, validated_data: dict[str, Any]) -> User:
        user = User(**validated_data)
        user.set_unusable_password()
        user.save()
        return user

    def update(self, instance: User, validated_data: dict[str, Any]) -> User:
        for name, value in validated_data.items():
            setattr(instance, name, value)
        instance.save()
        return instance


class NewUserSerializer(UserSerializer):
    """A user just made, with the one-time link under which the person chooses a password."""

    set_up_link = Text(read_only=True)
    set_up_link_expires_at = TimeField(read_only=True)


class TokenSerializer(Serializer):
    id = Text(source="public_id", read_only=True)
    name = Text(max_length=100)
    prefix = Text(source="token_key", read_only=True, help_text="The token's first characters.")
    scopes = serializers.ListField(child=choice(*PERMISSIONS), allow_empty=False)
    networks = strings(default=list, help_text="CIDR; empty: from anywhere.")
    owner = Text(source="user.username", read_only=True)
    created_at = TimeField(source="created", read_only=True)
    expires_at = serializers.DateTimeField(source="expiry")
    last_used_at = TimeField(read_only=True, allow_null=True)
    last_used_address = Text(read_only=True, allow_null=True)

    def to_representation(self, instance: ApiToken) -> dict[str, Any]:
        shown: dict[str, Any] = super().to_representation(instance)
        shown["expires_at"] = TimeField().to_representation(instance.expiry)
        return shown

    def validate_networks(self, networks: list[str]) -> list[str]:
        for network in networks:
            try:
                ip_network(network)
            except ValueError as error:
                raise serializers.ValidationError(str(error)) from None
        return networks

    def validate_expires_at(self, moment: Any) -> Any:
        if not timezone.now() < moment <= timezone.now() + LONGEST_TOKEN:
            raise serializers.ValidationError("This has to be in the future, and within a year.")
        return moment


class NewTokenSerializer(TokenSerializer):
    """A token just made. `token` is shown this once."""

    token = Text(read_only=True)


class MeSerializer(Serializer):
    """The caller, and what the caller may do in the scope that was asked about (default: everywhere)."""

    id = serializers.IntegerField()
    username = Text()
    display_name = Text()
    language = choice(*LANGUAGES)
    theme = choice(*THEMES)
    role = choice(*ROLES, allow_null=True, help_text="The highest role in any scope.")
    permissions = serializers.ListField(child=choice(*PERMISSIONS))
    permissions_anywhere = serializers.ListField(child=choice(*PERMISSIONS))
    role_bindings = RoleBindingSerializer(many=True)
    token = Text(allow_null=True, help_text="The id of the API token in use.")


class MeUpdateSerializer(Serializer):
    display_name = Text(max_length=150, required=False, allow_blank=True)
    language = choice(*LANGUAGES, required=False, allow_blank=True)
    theme = choice(*THEMES, required=False)


class PasswordSerializer(Serializer):
    current_password = Text(write_only=True)
    new_password = Text(write_only=True)
