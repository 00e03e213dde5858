"""Instruction counts, under the names that they have in torch.utils.benchmark."""
