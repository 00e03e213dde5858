// The Python module: grid.Grid.
#include <pybind11/pybind11.h>

#include "grid/grid.h"

PYBIND11_MODULE(grid, module) {
  module.attr("__version__") = "1.0";
  pybind11::class_<grid::Grid>(module, "Grid")
      .def(pybind11::init<std::size_t, std::size_t>())
      .def("set", &grid::Grid::set)
      .def("get", &grid::Grid::get)
      .def("diffuse", &grid::Grid::diffuse);
}
