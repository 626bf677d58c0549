"""FlinkCEP, the library for event patterns of Apache Flink (PyPI: apache-flink-libraries).

A SPAseq case becomes patterns of its Pattern API (`contiguities`, `ways`), which its own
automaton runs in memory, in a JVM of its own (`java_host`, java/PatternHost.java).
"""
