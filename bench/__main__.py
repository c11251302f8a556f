"""All benchmarks, small: `make bench`.

python -m bench [directory] [--rows N] [--files N]
python -m bench --peers [--rounds N]       beside Java Paimon, pypaimon and pypaimon-rust: see bench/peers
"""

from __future__ import annotations

import argparse

from bench.measure import run_apart


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench")
    parser.add_argument("directory", nargs="?", default="build/bench")
    parser.add_argument("--rows", type=int, default=500_000, help="rows to read, write and compact")
    parser.add_argument("--files", type=int, default=20_000, help="live files to plan and to commit to")
    parser.add_argument(
        "--peers", action="store_true", help="the workloads of docs/performance.md, at full size"
    )
    parser.add_argument("--rounds", type=int, default=5, help="beside the peers")
    given = parser.parse_args()
    if given.peers:
        run_apart("bench.peers", "--directory", f"{given.directory}/peers", "--rounds", given.rounds)
        return
    for module in ("bench.plan", "bench.commit"):
        run_apart(module, given.directory, "--files", given.files)
    for module in ("bench.read", "bench.write", "bench.compact"):
        run_apart(module, given.directory, "--rows", given.rows)


if __name__ == "__main__":
    main()
