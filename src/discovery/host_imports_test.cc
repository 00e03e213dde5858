#include "discovery/host_imports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tally {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(HostImports, AreTheLargePackagesThatASetupBeginsWith) {
  EXPECT_THAT(host_imports("import numpy as np, json; import pandas.core as pd\ndf = pd.DataFrame()"),
              ElementsAre("pandas"));
  EXPECT_THAT(host_imports("from numpy.random import default_rng  # a generator\n"), ElementsAre("numpy"));
  EXPECT_THAT(host_imports("import scipy\nimport scipy.sparse.linalg\nfrom scipy._lib import x"),
              ElementsAre("scipy.sparse"));
  EXPECT_THAT(host_imports("from scipy import sparse"), ElementsAre("scipy"));
  EXPECT_THAT(host_imports("import json\nx = 1"), IsEmpty());
}

TEST(HostImports, WhatASetupDoesBeforeMayChangeWhatItImports) {
  EXPECT_THAT(host_imports("import os; os.environ['A'] = 'b'; import pandas"), IsEmpty());
  EXPECT_THAT(host_imports("if x:\n  import pandas"), IsEmpty());
}

TEST(HostImports, PyTorchHasAToolchainOfItsOwn) { EXPECT_THAT(host_imports("import pandas, torch"), IsEmpty()); }

}  // namespace
}  // namespace tally
