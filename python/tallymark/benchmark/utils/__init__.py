"""The modules of the drop-in, under the names that they have in torch.utils.benchmark."""
