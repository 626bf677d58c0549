"""What everyone speaks of: terms, mappings, items, tuples, time, trees and errors."""
