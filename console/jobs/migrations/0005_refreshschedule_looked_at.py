from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("jobs", "0004_one_view_run")]

    operations = [
        migrations.AddField(
            model_name="refreshschedule", name="looked_at", field=models.JSONField(default=dict)
        ),
    ]
