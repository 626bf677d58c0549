"""Protocol conformance checks of an adapter: `denota adapter check`.

    program         the program that is checked, and the result of one check
case_checks     its responses to cases: corpus/adapters, variants, generated cases
generated       cases that are generated for what it takes
session_checks  its hello message, and checks over several messages: order, isolation, shutdown
"""
