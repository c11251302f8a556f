"""Django's settings. What an installation may change is read from the environment (see environment.py)."""

from __future__ import annotations

import os
from datetime import timedelta
from importlib.metadata import version
from typing import Any
from urllib.parse import urlsplit

from console import environment
from console.audit.syslog_server import SyslogServer

ROOT = environment.ROOT
DATA_FOLDER = environment.data_folder()
VERSION = version("lakescope")

SECRET_KEY = environment.secret("secret_key", DATA_FOLDER)
ENCRYPTION_KEY = environment.secret("encryption_key", DATA_FOLDER)
DEBUG = False

# Where people reach the console. An https address turns on Secure cookies and HSTS.
PUBLIC_URL = os.environ.get("LAKESCOPE_PUBLIC_URL", "http://127.0.0.1:8000").rstrip("/")
_public = urlsplit(PUBLIC_URL)
HTTPS = _public.scheme == "https"
ALLOWED_HOSTS = sorted(
    {
        "localhost",
        "127.0.0.1",
        "[::1]",
        _public.hostname or "localhost",
        *environment.words("LAKESCOPE_ALLOWED_HOSTS"),
    }
)
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL] if HTTPS else []

INSTALLED_APPS = [
    "django.contrib.admin.apps.SimpleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "knox",
    "console.api",
    "console.accounts",
    "console.openid",
    "console.audit",
    "console.warehouses",
    "console.masking",
    "console.jobs",
    "console.rest_catalog",
    "console.staff",
    "console.web",
]

MIDDLEWARE = [
    "console.api.middleware.TraceMiddleware",
    "console.api.compression.CompressionMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "console.api.middleware.SecurityHeadersMiddleware",
    "console.web.static_files.StaticFilesMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "console.accounts.sessions.SessionAgeMiddleware",
    "console.api.middleware.LanguageMiddleware",
]

ROOT_URLCONF = "console.urls"
WSGI_APPLICATION = "console.wsgi.application"
APPEND_SLASH = False
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

DATABASES = {"default": environment.database(DATA_FOLDER)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}

# --- people -------------------------------------------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}", "OPTIONS": options}
    for name, options in (
        ("UserAttributeSimilarityValidator", {}),
        ("MinimumLengthValidator", {"min_length": 12}),
        ("CommonPasswordValidator", {}),
        ("NumericPasswordValidator", {}),
    )
]
LOGIN_URL = "/sign-in"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "console.web.views.csrf_failure"
SESSION_IDLE = timedelta(hours=12)
SESSION_ABSOLUTE = timedelta(days=7)
SESSION_COOKIE_AGE = int(SESSION_ABSOLUTE.total_seconds())
SIGN_IN_FREE_FAILURES = 5  # after these, each failure locks the account and address for longer
SET_UP_LINK_LIFETIME = timedelta(days=7)

KNOX_TOKEN_MODEL = "accounts.ApiToken"
MIGRATION_MODULES = {
    "knox": None
}  # its own table is swapped for ours: nothing may refer to our people from it
REST_KNOX = {
    "TOKEN_MODEL": KNOX_TOKEN_MODEL,
    "TOKEN_PREFIX": "pmc_",
    "AUTH_HEADER_PREFIX": "Bearer",
    "TOKEN_TTL": timedelta(days=365),
    "AUTO_REFRESH": False,
}

# --- browser ------------------------------------------------------------------------------------
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_HSTS_SECONDS = int(timedelta(days=365).total_seconds()) if HTTPS else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "object-src 'none'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'self'",
    )
)

FRONTEND_DIST = ROOT / "frontend" / "dist"
STATIC_URL = "/static/"
STATIC_ROOT = None
WHITENOISE_USE_FINDERS = True
WHITENOISE_MAX_AGE = 60
WHITENOISE_IMMUTABLE_FILE_TEST = r"^/static/assets/.+-[0-9A-Za-z_-]{8,}\."

# --- language and time --------------------------------------------------------------------------
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
TIME_ZONE = "UTC"
USE_TZ = True

# --- API ----------------------------------------------------------------------------------------
REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "console.accounts.authentication.TokenAuthentication",
        "console.accounts.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["console.api.permissions.Granted"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["console.api.parsing.StrictJsonParser"],
    "DEFAULT_SCHEMA_CLASS": "console.api.openapi.ApiSchema",
    "DEFAULT_THROTTLE_CLASSES": ["console.api.limits.RateLimit"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "console.api.negotiation.JsonUnlessAsked",
    "EXCEPTION_HANDLER": "console.api.errors.handle",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
    "COERCE_DECIMAL_TO_STRING": True,
    "URL_FORMAT_OVERRIDE": None,
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024  # bytes of a request's body
RATE_LIMIT_PER_MINUTE = int(os.environ.get("LAKESCOPE_RATE_LIMIT", "1200"))
READ_DEADLINE = timedelta(seconds=10)  # a metadata read that takes longer goes on without its reader
METADATA_CACHE_BYTES = 96 * 1024 * 1024  # per process, decoded metadata
METADATA_FOLDER = DATA_FOLDER / "metadata"
METADATA_DISK_BYTES = int(os.environ.get("LAKESCOPE_METADATA_MIB", "1024")) * 1024 * 1024  # 0: none on disk
METADATA_DISK_AGE = timedelta(days=7)  # since it was used last

SPECTACULAR_SETTINGS = {
    "TITLE": "Lakescope",
    "VERSION": "1",
    "DESCRIPTION": "Inspects and maintains Apache Paimon lakehouses. All that the pages do goes through it.",
    "OAS_VERSION": "3.1.0",
    "SCHEMA_PATH_PREFIX": r"/api/v1",
    "COMPONENT_SPLIT_REQUEST": True,
    "COMPONENT_SPLIT_PATCH": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "SORT_OPERATION_PARAMETERS": False,
    "PATH_CONVERTER_OVERRIDES": {"signed": int},
    "SERVE_INCLUDE_SCHEMA": False,
    "POSTPROCESSING_HOOKS": [
        "console.api.openapi.finish",
    ],
}

# --- audit log ----------------------------------------------------------------------------------
AUDIT_RETENTION = environment.setting(
    "LAKESCOPE_AUDIT_RETENTION", environment.parse_retention
)  # None: kept for ever
AUDIT_SYSLOG = environment.setting("LAKESCOPE_AUDIT_SYSLOG", SyslogServer.parse)  # None: goes nowhere

# --- jobs ---------------------------------------------------------------------------------------
JOBS_FOLDER = DATA_FOLDER / "jobs"
PLAN_LIFETIME = timedelta(minutes=15)
JOB_HEARTBEAT = timedelta(seconds=5)
JOB_LOST_AFTER = timedelta(seconds=60)
JOB_KILL_GRACE = timedelta(seconds=30)
SOURCE_ROOTS = environment.words(
    "LAKESCOPE_SOURCE_ROOTS"
)  # places that write jobs may read, besides uploads and warehouses
TABLE_ROOTS = environment.words(
    "LAKESCOPE_TABLE_ROOTS"
)  # places outside of their warehouse where tables may keep files
JOB_SLOTS = int(os.environ.get("LAKESCOPE_JOB_SLOTS", "2"))  # jobs that run at once
JOB_LOGS_KEPT = environment.setting("LAKESCOPE_LOG_RETENTION", environment.parse_retention) or timedelta(
    days=30
)
JOB_LOG_BYTES = 50 * 1024 * 1024  # of one log; what a job prints beyond is left out
SPARK_MASTER = os.environ.get("LAKESCOPE_SPARK_MASTER")  # none: each job runs Spark in its own process
JOB_MODULE = os.environ.get("LAKESCOPE_JOB_MODULE", "spark_jobs")
CELERY_BROKER_URL = environment.broker_url(DATA_FOLDER)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = False  # Job rows say what ran, and a beat task reconciles them
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_DEFAULT_QUEUE = "lakescope"
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_FOLDER / "beat-schedule")
CELERY_BEAT_SCHEDULE = {
    "reconcile-jobs": {"task": "console.jobs.tasks.reconcile", "schedule": 15.0},
    "refresh-materialized-tables": {"task": "console.jobs.tasks.start_due_refreshes", "schedule": 20.0},
    "forward-audit-entries": {"task": "console.audit.tasks.forward_entries", "schedule": 5.0},
    "forget-job-logs": {"task": "console.jobs.tasks.forget_logs", "schedule": 3600.0},
    "expire-audit-entries": {"task": "console.audit.tasks.expire_old_entries", "schedule": 3600.0},
    "measure-tables": {"task": "console.warehouses.tasks.measure_all", "schedule": 60.0},
}
CELERY_WORKER_HIJACK_ROOT_LOGGER = False

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"trace": {"()": "console.api.trace.TraceFilter"}},
    "formatters": {
        "line": {"format": "%(asctime)s %(levelname)s %(name)s [%(trace_id)s] %(message)s"},
    },
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["trace"]},
    },
    "root": {"handlers": ["stderr"], "level": os.environ.get("LAKESCOPE_LOG_LEVEL", "INFO")},
    "loggers": {"django.server": {"handlers": ["stderr"], "propagate": False}},
}
