from django.apps import AppConfig


class StaffConfig(AppConfig):
    name = "console.staff"
    label = "staff"
