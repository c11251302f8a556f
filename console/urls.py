"""The addresses of the console."""

from django.urls import include, path, re_path

from console.api import meta
from console.openid import views as openid
from console.staff.admin import site as staff
from console.web import views as web

urlpatterns = [
    path("api/v1/", include("console.api.urls")),
    path("v1/", include("console.rest_catalog.urls")),
    path("healthz", meta.healthz),
    path("readyz", meta.readyz),
    path("sign-in", web.sign_in, name="sign-in"),
    path("sign-in/<slug:provider>", openid.begin, name="openid"),
    path("sign-in/<slug:provider>/callback", openid.callback),
    path("sign-in/<slug:provider>/link", openid.link, name="openid-link"),
    path("staff/", staff.urls),
    path("help/problems", web.problems, name="problems"),
    path("sign-out", web.sign_out, name="sign-out"),
    path("setup/<str:secret>", web.set_up, name="set-up"),
    re_path(r"^(?!api/|v1/|static/|staff/|metrics)[\s\S]*$", web.shell, name="shell"),
]
