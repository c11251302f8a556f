"""What staff do to many rows at once, by the services that the API calls: the same checks and plans."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.admin import action
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.response import TemplateResponse

from console.accounts.models import ApiToken, User
from console.api.errors import Problem, as_problem
from console.api.language import said
from console.api.waiting import StillWorkingError
from console.inspector.opening import open_table
from console.jobs import presentation
from console.jobs import services as jobs
from console.jobs.models import Job
from console.staff.site import GuardedAdmin, access_of, tell
from console.staff.words import words
from console.warehouses import services as warehouses
from console.warehouses.models import TableStatistics, Warehouse
from console.warehouses.words import detail_of
from core.errors import PaimonError


def _person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # the site lets nobody else in
    return request.user


def _refused(admin: GuardedAdmin, request: HttpRequest, name: str, target: str, problem: Exception) -> None:
    """Say and record that one row was not done; the others are."""
    code = problem.code if isinstance(problem, Problem) else type(problem).__name__
    admin.message_user(request, f"{target}: {problem_text(problem)}", messages.ERROR)
    tell(request, name, target, outcome="failed", problem=code)


def problem_text(problem: Exception) -> str:
    """The sentence that the API would say."""
    known = as_problem(problem)
    return str(known.document("")["detail"]) if known else str(problem)


# --- warehouses -----------------------------------------------------------------------------------
@action(description=words("Test the connection", "测试连接"))
def check(admin: GuardedAdmin, request: HttpRequest, rows: QuerySet[Warehouse]) -> None:
    for row in rows:
        try:
            failed = next((step for step in warehouses.check(row) if not step.ok), None)
        except StillWorkingError:
            going = said(
                "it takes longer; the list will show how it ended", "需要更长时间；结果会显示在列表中"
            )
            admin.message_user(request, f"{row.name}: {going}")
            continue
        tell(request, "check", f"warehouse:{row.name}", outcome="failed" if failed else "ok")
        answer = detail_of(failed.code, failed.values) if failed else said("it answers", "有响应")
        admin.message_user(request, f"{row.name}: {answer}", messages.ERROR if failed else messages.SUCCESS)


@action(description=words("Measure all tables again", "重新测量所有表"))
def measure(admin: GuardedAdmin, request: HttpRequest, rows: QuerySet[Warehouse]) -> None:
    for row in rows:
        warehouses.measure_soon(row)
        tell(request, "measure", f"warehouse:{row.name}")
    admin.message_user(request, said("A worker measures them now.", "工作进程正在测量。"))


# --- tables ---------------------------------------------------------------------------------------
@action(description=words("Compact, after a plan", "预览后合并"))
def compact(
    admin: GuardedAdmin, request: HttpRequest, rows: QuerySet[TableStatistics]
) -> TemplateResponse | None:
    """First the plans, on a page of their own; when that is confirmed, the jobs."""
    if "plan" in request.POST:
        _run_plans(admin, request)
        return None
    plans = [plan for row in rows if (plan := _plan(admin, request, row)) is not None]
    context = {
        **admin.admin_site.each_context(request),
        "title": said("Plans", "预览"),
        "plans": plans,
        "rows": rows,
    }
    return TemplateResponse(request, "staff/plans.html", context)


def _plan(admin: GuardedAdmin, request: HttpRequest, row: TableStatistics) -> dict[str, Any] | None:
    target = f"{row.warehouse.name}.{row.database}.{row.name}"
    try:
        plan = jobs.make_plan(
            opened=open_table(row.warehouse.name, row.database, row.name),
            kind="compact",
            params={"strategy": "full"},
            user=_person(request),
            access=access_of(request),
        )
    except (Problem, PaimonError) as problem:
        _refused(admin, request, "plan compact", target, problem)
        return None
    tell(request, "plan compact", target, plan=plan.public_id)
    return presentation.plan(plan, access_of(request))


def _run_plans(admin: GuardedAdmin, request: HttpRequest) -> None:
    for plan_id in request.POST.getlist("plan"):
        try:
            job = jobs.submit_job(
                access=access_of(request), user=_person(request), plan_id=plan_id, confirmation="", reason=""
            )
        except (Problem, PaimonError) as problem:
            _refused(admin, request, "run plan", plan_id, problem)
        else:
            tell(request, "run plan", job.table_name, plan=plan_id, job=job.public_id)
            admin.message_user(
                request, f"{job.table_name}: {job.public_id} {said('is queued', '已排队')}", messages.SUCCESS
            )


# --- jobs -----------------------------------------------------------------------------------------
@action(description=words("Cancel", "取消"))
def cancel(admin: GuardedAdmin, request: HttpRequest, rows: QuerySet[Job]) -> None:
    for row in rows:
        try:
            jobs.cancel_job(job=row, access=access_of(request), user=_person(request))
        except Problem as problem:
            _refused(admin, request, "cancel", row.public_id, problem)
        else:
            tell(request, "cancel", row.public_id)
            admin.message_user(
                request, f"{row.public_id}: {said('asked to stop', '已请求停止')}", messages.SUCCESS
            )


@action(description=words("Retry, by a new plan", "以新的预览重试"))
def retry(admin: GuardedAdmin, request: HttpRequest, rows: QuerySet[Job]) -> None:
    """What loses data is refused: it asks for the table's name and a reason, which the job's page takes."""
    for row in rows:
        try:
            again = jobs.retry_job(
                job=row, access=access_of(request), user=_person(request), confirmation="", reason=""
            )
        except (Problem, PaimonError) as problem:
            _refused(admin, request, "retry", row.public_id, problem)
        else:
            tell(request, "retry", row.public_id, job=again.public_id)
            admin.message_user(
                request,
                f"{row.public_id}: {again.public_id} {said('does it again', '将重新执行')}",
                messages.SUCCESS,
            )


# --- tokens ---------------------------------------------------------------------------------------
@action(description=words("Revoke", "吊销"))
def revoke(admin: GuardedAdmin, request: HttpRequest, rows: QuerySet[ApiToken]) -> None:
    for row in rows:
        tell(request, "revoke", f"token:{row.public_id}")
        row.delete()
    admin.message_user(
        request, said("They open nothing from now on.", "它们从现在起失效。"), messages.SUCCESS
    )
