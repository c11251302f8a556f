"""Tags: made, moved, renamed, deleted, and made and deleted by the calendar. Spec: 08, 8."""

from core.maintenance.tags.automatic import AutoTagPlan, apply_auto_tags, plan_auto_tags
from core.maintenance.tags.batch import plan_batch_tag
from core.maintenance.tags.create import CreateTagPlan, apply_create_tag, plan_create_tag
from core.maintenance.tags.delete import DeleteTagsPlan, apply_delete_tags, plan_delete_tags
from core.maintenance.tags.expire import plan_expire_tags
from core.maintenance.tags.rename import RenameTagPlan, apply_rename_tag, plan_rename_tag
from core.maintenance.tags.replace import ReplaceTagPlan, apply_replace_tag, plan_replace_tag

__all__ = [
    "AutoTagPlan",
    "CreateTagPlan",
    "DeleteTagsPlan",
    "RenameTagPlan",
    "ReplaceTagPlan",
    "apply_auto_tags",
    "apply_create_tag",
    "apply_delete_tags",
    "apply_rename_tag",
    "apply_replace_tag",
    "plan_auto_tags",
    "plan_batch_tag",
    "plan_create_tag",
    "plan_delete_tags",
    "plan_expire_tags",
    "plan_rename_tag",
    "plan_replace_tag",
]
