"""Whether a program speaks the adapter protocol: what `denota adapter check` asks of it.

    program     the program that is checked, started as often as is needed
    checks      one thing that the protocol asks, and how the program did; all of them
    greetings   what it says of itself
    case_checks how it answers cases: those of corpus/adapters, what is made of them, generated ones
    habits      what shows only over several messages: order, other processes, the end of stdin
"""
