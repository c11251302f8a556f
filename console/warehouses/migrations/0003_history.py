from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("warehouses", "0002_kinds")]

    operations = [
        migrations.AddField(
            model_name="warehouse",
            name="daily_bytes",
            field=models.JSONField(default=list, editable=False),
        ),
        migrations.AddField(
            model_name="tablestatistics", name="commit_hours", field=models.JSONField(null=True)
        ),
        migrations.AddField(
            model_name="tablestatistics", name="owner", field=models.CharField(max_length=255, null=True)
        ),
    ]
