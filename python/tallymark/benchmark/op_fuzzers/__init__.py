"""Fuzzers for kinds of operators. Each is in a module of its own, as in PyTorch: `op_fuzzers.unary.UnaryOpFuzzer`."""
