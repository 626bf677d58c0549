"""CORE (pycer) on the events of a file.

    python core_child.py events.csv QUERY

Runs under an interpreter that has pycer, and needs nothing else. The events are made before; what
is measured is what takes them in, and the complex events as the text that CORE gives.
"""

from __future__ import annotations

import csv
import json
import sys
from time import process_time, sleep

import pycer

_ATTRIBUTES = "id:int, name:string, volume:int, price:double, stock_time:int"
_EVENTS = f"EVENT BUY {{ {_ATTRIBUTES} }}, EVENT SELL {{ {_ATTRIBUTES} }}"
_DECLARATION = f"CREATE STREAM S {{ {_EVENTS} }}"


def main(path: str, query: str) -> dict[str, float]:
    server = offline_server()
    numbers = {each.name: each.id for each in server.declare_stream(_DECLARATION).events_info}
    with open(path, newline="", encoding="utf-8") as file:
        events = [event(row, numbers) for row in csv.DictReader(file)]
    began = process_time()
    server.add_query(query)
    server.send_events(events)
    output = server.get_output()
    return {"seconds": process_time() - began, "matches": output.count("\n")}


def offline_server() -> pycer.PyOfflineServer:
    """A server, which listens at a port: when another one has let it go."""
    while True:
        try:
            return pycer.PyOfflineServer()
        except RuntimeError as error:
            if "Address already in use" not in str(error):
                raise
            sleep(0.05)


def event(row: dict[str, str], numbers: dict[str, int]) -> pycer.PyEvent:
    at = pycer.PyIntValue(int(row["stock_time"]))
    values = [
        pycer.PyIntValue(int(row["id"])), pycer.PyStringValue(row["name"]),
        pycer.PyIntValue(int(row["volume"])), pycer.PyDoubleValue(float(row["price"])), at,
    ]
    return pycer.PyEvent(numbers[row["type"]], values, at)


if __name__ == "__main__":
    sys.stderr.write("\n" + json.dumps(main(sys.argv[1], sys.argv[2])) + "\n")
