from django.apps import AppConfig


class RestCatalogConfig(AppConfig):
    name = "console.rest_catalog"
    label = "rest_catalog"
