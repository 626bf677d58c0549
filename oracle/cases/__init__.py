"""Conformance cases: their files, texts and terms, and the task that an engine gets of one."""
