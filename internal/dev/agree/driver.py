"""Answers questions about traces with another oracle's oracle.py and gen_trace.py, whose directory is the argument.

Each request is a line: "trace", then the trace's lines in the STD format and "end"; or "gen" and gen_trace.py's arguments.
Each answer is a line of JSON: the trace, and of its events, numbered from 0, the relations and the races.
"""
import contextlib, io, json, os, sys, tempfile

sys.path.insert(0, sys.argv[1])
import gen_trace, oracle

MAX_STATES = 30_000


def generate(args, path):
    with contextlib.redirect_stderr(io.StringIO()):
        gen_trace.main(["--out", path] + args)


def rows(relation):
    return [format(r, "x") for r in relation]


def answer(path):
    t = oracle.Tr(oracle.parse(path))
    races, deadlocks, _, complete = oracle.explore(t, maxstates=MAX_STATES)
    kept, _, _, kept_complete = oracle.explore(t, True, maxstates=MAX_STATES) if complete else (set(), None, 0, False)
    with open(path) as f:
        text = f.read()
    return {
        "trace": text,
        "complete": complete and kept_complete,
        "races": sorted(races),
        "in_order": sorted(kept),
        "deadlock": bool(deadlocks),
        "hb": rows(oracle.hb_rel(t)),
        "shb": rows(oracle.hb_rel(t, True)),
        "wcp": rows(oracle.wcp_rel(t)),
    }


def main():
    path = os.path.join(tempfile.mkdtemp(), "t.std")
    for line in sys.stdin:
        words = line.split()
        if words[0] == "gen":
            generate(words[1:], path)
        else:
            with open(path, "w") as f:
                for line in sys.stdin:
                    if line == "end\n":
                        break
                    f.write(line)
        print(json.dumps(answer(path)), flush=True)
    os.remove(path)
    os.rmdir(os.path.dirname(path))


main()
