"""Adapters to other people's engines: what they take, and how they are asked.

An adapter translates a case into the engine's own terms and what comes back into results of the
language. Outside what the engine claims it answers that the case is unsupported, with a reason.
Entry points name them (group `denota.engines`): nobody imports this package.
"""
