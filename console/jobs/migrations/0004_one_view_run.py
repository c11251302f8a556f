from __future__ import annotations

from typing import Any

from django.db import migrations, models

ACTIVE = ["cancelling", "lost", "queued", "running", "starting", "verifying"]


def end_all_but_the_newest(apps: Any, schema_editor: Any) -> None:
    """Of runs that a release before this one has let one person start at once."""
    active = apps.get_model("jobs", "Job").objects.filter(kind="view", state__in=ACTIVE)
    seen: set[int | None] = set()
    for job in active.order_by("-id"):
        if job.requested_by_id in seen:
            active.filter(pk=job.pk).update(state="cancelled", ended_at=job.created_at)
        seen.add(job.requested_by_id)


class Migration(migrations.Migration):
    dependencies = [("jobs", "0003_refreshschedule_query")]

    operations = [
        migrations.RunPython(end_all_but_the_newest, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name="job",
            constraint=models.UniqueConstraint(
                condition=models.Q(kind="view", state__in=ACTIVE),
                fields=("requested_by",),
                name="one_view_run_a_person",
            ),
        ),
    ]
