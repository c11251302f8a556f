"""Django's own admin for staff, at /staff: what the pages show, as rows; and the same actions in bulk."""
