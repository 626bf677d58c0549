"""Checking what a foreign engine recorded: under which settings of RSP-QL are its answers right?"""
