"""What gunicorn serves."""

import gc
import os
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from console.environment import without_pandas

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")
without_pandas()
application = get_wsgi_application()
# All views and the core behind them: once, before gunicorn forks, not in each process at its first request.
import_module(settings.ROOT_URLCONF)
# What is there now stays: searches for garbage pass over it, and the processes go on sharing its memory.
gc.collect()
gc.freeze()
