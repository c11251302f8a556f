from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("warehouses", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="warehouse",
            name="error_code",
            field=models.CharField(blank=True, default="", max_length=40),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="tablestatistics", name="type", field=models.CharField(max_length=30, null=True)
        ),
    ]
