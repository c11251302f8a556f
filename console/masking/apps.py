from django.apps import AppConfig


class MaskingConfig(AppConfig):
    default_auto_field = "django.db.models.BigAutoField"
    name = "console.masking"
