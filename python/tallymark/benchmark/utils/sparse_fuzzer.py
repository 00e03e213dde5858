"""Sparse tensors of drawn size and density."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ._fuzzed_tensor import FuzzedTensor, Length
from ._torch import needed_torch

__all__ = ["FuzzedSparseTensor"]


class FuzzedSparseTensor(FuzzedTensor):
    """A sparse tensor in COO format.

    size, min_elements, max_elements, dim_parameter, dtype, cuda: as for FuzzedTensor.
    sparse_dim: names a parameter of that name, which says how many dimensions are sparse; without, all.
    density, coalesced: parameters of these names say how many indices there are, as a share of the sum of the lengths,
    and whether each stands once. nnz: taken, and without effect, as in PyTorch."""

    def __init__(
        self,
        name: str,
        size: tuple[Length, ...],
        min_elements: int | None = None,
        max_elements: int | None = None,
        dim_parameter: str | None = None,
        sparse_dim: str | None = None,
        nnz: str | None = None,
        density: str | None = None,
        coalesced: str | None = None,
        dtype: object | None = None,
        cuda: bool = False,
    ) -> None:
        super().__init__(
            name=name,
            size=size,
            min_elements=min_elements,
            max_elements=max_elements,
            dim_parameter=dim_parameter,
            dtype=dtype,
            cuda=cuda,
        )
        self._density = density
        self._coalesced = coalesced
        self._sparse_dim = sparse_dim

    @staticmethod
    def sparse_tensor_constructor(
        size: Sequence[int] | int, dtype: Any, sparse_dim: int, nnz: int, is_coalesced: bool
    ) -> Any:
        """A tensor of `nnz` random indices; where it is not coalesced, each stands twice, with two values."""
        torch = needed_torch("FuzzedSparseTensor")
        lengths = [size] * sparse_dim if isinstance(size, int) else list(size)
        if nnz != 0 and all(length <= 0 for length in lengths[:sparse_dim]):
            raise AssertionError(f"a tensor of the size {lengths} has no place for {nnz} values")
        shape = [nnz, *lengths[sparse_dim:]]
        if dtype.is_floating_point:
            values = torch.rand(size=shape, dtype=dtype, device="cpu")
        else:
            values = torch.randint(1, 127, size=shape, dtype=dtype, device="cpu")
        indices = torch.rand(sparse_dim, nnz, device="cpu")
        indices.mul_(torch.tensor(lengths[:sparse_dim]).unsqueeze(1).to(indices))
        indices = indices.to(torch.long)
        if not is_coalesced:
            values = torch.cat([values, torch.randn_like(values)], 0)
            indices = torch.cat([indices, indices], 1)
        tensor = torch.sparse_coo_tensor(indices, values, torch.Size(lengths))
        return tensor.coalesce() if is_coalesced else tensor

    def _make_tensor(self, params: Mapping[Any, Any], state: Any) -> tuple[Any, dict[str, Any]]:
        size, _, _ = self._get_size_and_steps(params)
        density = params["density"]
        count = math.ceil(sum(size) * density)
        if count > sum(size):
            raise AssertionError(f"tensor {self.name} cannot have a density of {density}")
        sparse_dim = min(params["sparse_dim"] if self._sparse_dim else len(size), len(size))
        tensor = self.sparse_tensor_constructor(
            size, self._dtype, sparse_dim, count, params["coalesced"]
        )
        if self._cuda:
            tensor = tensor.cuda()
        return tensor, {
            "numel": int(tensor.numel()),
            "shape": tensor.size(),
            "is_coalesced": tensor.is_coalesced(),
            "density": density,
            "sparsity": 1.0 - density,
            "sparse_dim": tensor.sparse_dim(),
            "dense_dim": tensor.dense_dim(),
            "is_hybrid": tensor.sparse_dim() < len(size),
            "dtype": str(self._dtype),
        }
