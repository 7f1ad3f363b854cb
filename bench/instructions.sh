#!/usr/bin/env bash
# Instructions per part of a call, against the table that is committed: more than 5 % above it fails.
#
#   cargo build --release --bench parts
#   apt-get install valgrind
#   bench/instructions.sh            compares with bench/instructions.txt
#   bench/instructions.sh --update   writes it
#
# Instructions do not depend on what else the machine does. Each figure is the difference of two runs of unlike length,
# so that starting and ending do not count. Another compiler counts otherwise: update the table with it.
set -euo pipefail
cd "$(dirname "$0")/.."

python3 - "$@" <<'PYTHON'
import glob, os, re, subprocess, sys, tempfile

TABLE = "bench/instructions.txt"
MARGIN = 0.05


def count(*command):
    """The instructions of a run of a command."""
    with tempfile.NamedTemporaryFile() as out:
        ended = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}", *command],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if ended.returncode != 0:
            sys.exit(f"{command} ended with {ended.returncode}:\n{ended.stderr}")
        return int(re.search(r"Collected : (\d+)", ended.stderr)[1])


def each(few, many, command):
    return round((count(*command(many)) - count(*command(few))) / (many - few))


def figures():
    built = glob.glob("target/release/deps/parts-*")
    parts = max((path for path in built if os.access(path, os.X_OK)), key=os.path.getmtime)
    names = subprocess.run([parts, "--instructions"], capture_output=True, text=True, check=True).stdout.split()
    for name in names:
        few, many = (1, 11) if name.startswith(("json-", "thousand-")) else (1_000, 11_000)
        yield name, each(few, many, lambda calls: [parts, "--instructions", name, str(calls)])


found = dict(figures())
if sys.argv[1:] == ["--update"]:
    with open(TABLE, "w") as table:
        table.writelines(f"{number:>9} {name}\n" for name, number in found.items())
known = {}
for line in open(TABLE):
    number, name = line.strip().split(" ", 1)
    known[name] = int(number)
worse = False
for name, number in found.items():
    allowed = known.get(name)
    change = f"{number / allowed - 1:+.1%}" if allowed else "not in the table"
    bad = allowed is None or number > allowed * (1 + MARGIN)
    worse |= bad
    print(f"{number:>9} {name}: {change}{'  <-- more than 5 % above' if bad else ''}")
sys.exit(f"error: {TABLE} allows less; bench/instructions.sh --update writes what is now" if worse else 0)
PYTHON
