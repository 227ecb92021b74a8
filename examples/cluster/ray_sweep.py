"""Workers of a sweep as Ray tasks; see docs/clusters.md.

    python ray_sweep.py /shared/paper-table1 --workers 8
    python ray_sweep.py /shared/paper-table1 --workers 2 --gpus 1 -- --device cuda

Which cell is whose is settled by files in the folder, so this only starts workers, and starts
again those that were stopped (exit code 75) or died with their node.
"""

import argparse
import subprocess
import sys

STOPPED = 75


def work(command):
    """Runs a worker to its end; its exit code, negative for a signal."""
    return subprocess.run(command, check=False).returncode


def main():
    parser = argparse.ArgumentParser(description="Workers of a sweep as Ray tasks")
    parser.add_argument("folder", help="the folder of a sweep, which all nodes see")
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--cpus", type=float, default=1, help="of a worker")
    parser.add_argument("--gpus", type=float, default=0, help="of a worker")
    parser.add_argument("--salsa", default="salsa", help="the program")
    parser.add_argument("--starts", type=int, default=100, help="of workers, at most")
    parser.epilog = "What follows -- is for salsa sweep worker."
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    given, options = parser.parse_args(words[:end]), words[end + 1 :]

    import ray

    ray.init(ignore_reinit_error=True)
    command = [given.salsa, "sweep", "worker", given.folder, *options]
    if not given.gpus:
        command += ["--threads", str(max(1, int(given.cpus)))]
    task = ray.remote(num_cpus=given.cpus, num_gpus=given.gpus, max_retries=-1)(work)

    running = [task.remote(command) for _ in range(given.workers)]
    starts, worst = len(running), 0
    while running:
        done, running = ray.wait(running)
        for code in ray.get(done):
            # Stopped, or killed by a signal: there is work left.
            if (code == STOPPED or code < 0) and starts < given.starts:
                running.append(task.remote(command))
                starts += 1
            else:
                worst = max(worst, abs(code))
    return worst


if __name__ == "__main__":
    sys.exit(main())
