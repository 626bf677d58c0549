"""Protocol conformance checks of an adapter: `denota adapter check`.

    program         the program that is checked, started as often as is needed
    checks          the result of one check, and its text
    handshake       its hello message
    case_checks     its responses to cases: corpus/adapters, variants, generated cases
    session_checks  checks over several messages: order, isolation, shutdown
"""
