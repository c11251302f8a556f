from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("jobs", "0002_refreshschedule")]

    operations = [
        migrations.AddField(model_name="refreshschedule", name="query", field=models.TextField(default="")),
    ]
