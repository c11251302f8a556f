"""What makes a schema legal, by what the rules are about. Spec: 09, 5; 01, 6 and 13.

A rule gives the problems that it finds in a schema and its options, in order; none if it is kept.
"""
