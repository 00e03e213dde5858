#include "serve/work_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tally::serve {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class WorkQueueTest : public testing::Test {
 protected:
  void add(int client, int id) { queue_.add({ClientId{static_cast<std::uint64_t>(client)}, id, {}}); }
  std::vector<std::string> received() { return std::exchange(received_, {}); }

  std::vector<std::string> received_;
  WorkQueue queue_{[this](const Work& work, std::size_t ahead) {
    received_.push_back(std::to_string(static_cast<int>(work.client)) + ": " + std::to_string(ahead));
  }};
};

TEST_F(WorkQueueTest, TheFirstDoesNotWait) {
  add(1, 10);
  EXPECT_THAT(received(), IsEmpty());
  EXPECT_EQ(queue_.take()->id, json::Value(10));
  EXPECT_FALSE(queue_.take());
}

TEST_F(WorkQueueTest, OthersAreNotifiedWhenTheyMoveUp) {
  add(1, 10);
  queue_.take();
  add(2, 20);
  add(3, 30);
  EXPECT_THAT(received(), ElementsAre("2: 1", "3: 2"));
  queue_.ended();
  queue_.take();
  EXPECT_THAT(received(), ElementsAre("3: 1"));
}

TEST_F(WorkQueueTest, WhoWaitsForAsManyAsBeforeIsNotNotifiedAgain) {
  add(1, 10);
  add(2, 20);
  EXPECT_THAT(received(), ElementsAre("2: 1")) << "the first has not begun";
  queue_.take();
  EXPECT_THAT(received(), IsEmpty()) << "it runs, and is still the only one ahead";
}

TEST_F(WorkQueueTest, WhoGivesUpMakesRoom) {
  add(1, 10);
  queue_.take();
  add(2, 20);
  add(3, 30);
  add(2, 21);
  received();
  EXPECT_TRUE(queue_.has(ClientId{2}, 21));
  EXPECT_FALSE(queue_.has(ClientId{3}, 21));
  EXPECT_TRUE(queue_.remove(ClientId{3}, 30));
  EXPECT_FALSE(queue_.remove(ClientId{3}, 30));
  EXPECT_THAT(received(), ElementsAre("2: 2"));
  queue_.remove_all(ClientId{2});
  EXPECT_TRUE(queue_.empty());
  EXPECT_FALSE(queue_.has_any(ClientId{2}));
}

}  // namespace
}  // namespace tally::serve
