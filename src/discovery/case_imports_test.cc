#include "discovery/case_imports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tally {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

TEST(CaseImports, AreReadFromTheText) {
  EXPECT_THAT(imports_in("x = 1"), Optional(IsEmpty()));
  EXPECT_THAT(imports_in("import json\nimport os.path as p, re"), Optional(ElementsAre("json", "os.path", "re")));
  EXPECT_THAT(imports_in("from ledger import total, post as p"), Optional(ElementsAre("ledger:total,post")));
  EXPECT_THAT(imports_in("from mill import (grind)"), Optional(ElementsAre("mill:grind")));
  EXPECT_THAT(imports_in("from mill import *"), Optional(ElementsAre("mill:")));
  EXPECT_THAT(imports_in("x = 1; import json  # for later"), Optional(ElementsAre("json")));
  EXPECT_THAT(imports_in("def f():\n    import json\n"), Optional(ElementsAre("json")));
  EXPECT_THAT(imports_in("try: import json\nexcept ValueError: pass"), Optional(ElementsAre("json")));
}

TEST(CaseImports, WhatCannotBeKnownIsNotGuessed) {
  for (const char* text : {"importlib.import_module(name)", "__import__(name)", "x = 'import json'", "from . import a",
                           "from mill import (\n  grind)", "exec('import ' + name)"}) {
    EXPECT_EQ(imports_in(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace tally
