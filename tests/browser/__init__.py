"""The product as its user meets it: in a real Chromium, served by the real `manage.py up`."""
