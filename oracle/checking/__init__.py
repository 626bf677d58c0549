"""Conformance checks: the results of an engine compared with the expected ones, and the verdict."""





