"""The data model of all packages: terms, mappings, items, tuples, time, trees and errors."""
