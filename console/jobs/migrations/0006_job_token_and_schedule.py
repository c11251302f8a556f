from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("jobs", "0005_refreshschedule_looked_at"),
    ]

    operations = [
        migrations.AddField(
            model_name="job",
            name="token",
            field=models.CharField(blank=True, default="", max_length=100),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="job",
            name="scheduled",
            field=models.BooleanField(default=False),
        ),
    ]
