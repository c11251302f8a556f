from django.db import migrations

import console.rest_catalog.sealed


def seal(apps, schema_editor):
    """Rows of older releases hold secrets as they are: writing them again seals them."""
    for name, field in (("StoredView", "schema"), ("StoredFunction", "definition")):
        for row in apps.get_model("rest_catalog", name).objects.all():
            row.save(update_fields=[field])


class Migration(migrations.Migration):
    dependencies = [("rest_catalog", "0001_initial")]

    operations = [
        migrations.AlterField("storedview", "schema", console.rest_catalog.sealed.SealedField()),
        migrations.AlterField("storedfunction", "definition", console.rest_catalog.sealed.SealedField()),
        migrations.RunPython(seal, migrations.RunPython.noop),
    ]
