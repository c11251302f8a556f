from django.apps import AppConfig


class OpenIdConfig(AppConfig):
    name = "console.openid"
    label = "openid"
    verbose_name = "OpenID Connect"

    def ready(self) -> None:
        from console.openid import checks  # noqa: F401  # registers them
