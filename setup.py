"""Lists the packages; everything else is declared in pyproject.toml.

The repository's root is the package `denota`, so setuptools cannot find the sub-packages by itself.
A new package needs no entry here as long as it lies in one of these rooms.
"""

from setuptools import find_packages, setup

ROOMS = ("semantics", "engine", "oracle", "peers", "examples")

found = find_packages(include=[pattern for room in ROOMS for pattern in (room, f"{room}.*")])
setup(
    packages=["denota", *(f"denota.{name}" for name in found)],
    # By this name setuptools knows which module at the root is not the package's.
    script_name="setup.py",
)
