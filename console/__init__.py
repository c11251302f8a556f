"""The Django project: pages, REST API and jobs around `core`."""
