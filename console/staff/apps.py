from django.apps import AppConfig


class StaffConfig(AppConfig):
    name = "console.staff"
    label = "staff"

    def ready(self) -> None:
        from console.staff.words import name_everything

        name_everything()
