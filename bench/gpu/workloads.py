#!/usr/bin/env python3
"""What the scripts of this folder know of workloads.toml: its Python, and what it becomes for a try
on a machine without a GPU.

  bench/gpu/workloads.py [--suite SUITE] [--device cpu] [--only LABEL]...

Prints the suite. With --device cpu nothing is on a device, shapes are small, and CUDA graphs are
left out: figures mean nothing then, and the scripts are what is tried. Needs Python 3.11.
"""

import argparse
import pathlib

import tomllib

SUITE = pathlib.Path(__file__).with_name("workloads.toml")
BEGIN = "[[benchmark]]"
# Without a device, and small enough for one core.
ON_CPU = {
    'device = "cuda"\n': "",
    '"cuda"': '"cpu"',
    "torch::kCUDA": "torch::kCPU",
    "2**24": "2**10",
    "1 << 24": "1 << 10",
    "4096": "64",
    "torch.randn(16, 128, 512": "torch.randn(1, 4, 512",
}


def label_of(benchmark):
    return "/".join(tomllib.loads(benchmark)["benchmark"][0]["label"])


def suite_text(suite=SUITE, device="cuda", only=()):
    head, *benchmarks = pathlib.Path(suite).read_text().split(BEGIN)
    kept = [head]
    for benchmark in (BEGIN + rest for rest in benchmarks):
        if only and label_of(benchmark) not in only:
            continue
        if device == "cpu":
            if "torch.cuda." in benchmark:
                continue
            begin, label, body = benchmark.split("\n", 2)  # the label stays: it is what is matched
            for old, new in ON_CPU.items():
                body = body.replace(old, new)
            benchmark = "\n".join([begin, label, body])
        kept.append(benchmark)
    return "".join(kept)


def python_workloads(suite=SUITE, device="cuda", only=()):
    """Setup and statement by label, of all benchmarks that have Python."""
    benchmarks = tomllib.loads(suite_text(suite, device, only)).get("benchmark", [])
    return {
        "/".join(each["label"]): (each["setup"]["py"], each["py"])
        for each in benchmarks
        if "py" in each
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suite", default=SUITE)
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--only", action="append", default=[], metavar="LABEL")
    options = parser.parse_args()
    print(suite_text(options.suite, options.device, options.only), end="")


if __name__ == "__main__":
    main()
