from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("jobs", "0001_initial"),
        ("warehouses", "0002_kinds"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="RefreshSchedule",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("database", models.CharField(max_length=255)),
                ("table", models.CharField(max_length=255)),
                ("enabled_at", models.DateTimeField(auto_now_add=True)),
                ("next_due", models.DateTimeField()),
                ("problem", models.JSONField(null=True)),
                (
                    "enabled_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "last_job",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="jobs.job",
                    ),
                ),
                (
                    "warehouse",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="warehouses.warehouse"),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("warehouse", "database", "table"), name="one_schedule_a_table"
                    )
                ],
            },
        ),
    ]
