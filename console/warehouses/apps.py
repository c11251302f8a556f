from django.apps import AppConfig


class WarehousesConfig(AppConfig):
    name = "console.warehouses"
    label = "warehouses"
