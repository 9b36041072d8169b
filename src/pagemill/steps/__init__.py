"""The journey of a document: accept, plan, extract, join, publish, notify.

A step that works visits the press and returns what it found; the runner records all findings of a turn in one
transaction. No step knows another.
"""
