"""Branches: made, renamed, deleted, and made the head of main. Spec: 08, 9."""

from core.maintenance.branches.create import CreateBranchPlan, apply_create_branch, plan_create_branch
from core.maintenance.branches.delete import DeleteBranchPlan, apply_delete_branch, plan_delete_branch
from core.maintenance.branches.fast_forward import FastForwardPlan, apply_fast_forward, plan_fast_forward
from core.maintenance.branches.rename import RenameBranchPlan, apply_rename_branch, plan_rename_branch

__all__ = [
    "CreateBranchPlan",
    "DeleteBranchPlan",
    "FastForwardPlan",
    "RenameBranchPlan",
    "apply_create_branch",
    "apply_delete_branch",
    "apply_fast_forward",
    "apply_rename_branch",
    "plan_create_branch",
    "plan_delete_branch",
    "plan_fast_forward",
    "plan_rename_branch",
]
