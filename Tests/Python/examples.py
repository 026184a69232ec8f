# SPDX-License-Identifier: Apache-2.0
"""Runs the examples of the article about the stream: what goes in is written, what is to come out awaited in its order.

usage: examples.py HIDSIM ARTICLE
"""

import json
import queue
import re
import subprocess
import sys
import threading


def matches(expected, told):
    """Whether an object has at least the keys of the example, with their values; an error begins as it does."""
    for key, value in expected.items():
        found = told.get(key)
        if key == "error" and isinstance(found, str) and found.startswith(value):
            continue
        if found != value:
            return False
    return True


def run(program, block):
    process = subprocess.Popen(
        [program, "drive", "--bus", "loopback"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    lines = queue.Queue()

    def read():
        for line in process.stdout:
            lines.put(json.loads(line))
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    for line in block:
        if line.startswith("> "):
            process.stdin.write(line[2:].encode() + b"\n")
            process.stdin.flush()
            continue
        expected = json.loads(line[2:].replace(", ...}", "}"))
        while True:
            try:
                told = lines.get(timeout=20)
            except queue.Empty:
                sys.exit("nothing like " + line)
            if told is None:
                sys.exit("ended without " + line)
            if matches(expected, told):
                break
    process.stdin.close()
    process.wait(20)


program, article = sys.argv[1:]
blocks = re.findall(r"^```\n(.*?)^```$", open(article, encoding="utf-8").read(), re.M | re.S)
blocks = [block.splitlines() for block in blocks if block[:2] in ("> ", "< ")]
for block in blocks:
    run(program, block)
print(len(blocks), "examples")
