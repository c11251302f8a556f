"""The REST catalog's wire, shared by the client and the console's server. Spec: 04, C4.

names       where each resource is, and how names are written into an address
objects     tables, databases, snapshots, partitions
changes     changes of a schema
views       views and functions, and their changes
requests    bodies that a client sends
errors      core's errors as answers, and answers as core's errors
signing     the headers that say who asks
commit      whether a snapshot that a client sends becomes visible
"""
