#include "tuning/host.h"

#include <gtest/gtest.h>

#include "runtime/machine.h"
#include "tests/formats/files.h"

namespace gatefold::test {
namespace {

/// One CPU as the kernel describes it: an L2 of its own and an L3.
void describe_cpu(const TempFolder& folder, int cpu, const std::string& l3_sharers) {
  const std::string caches = "cpu" + std::to_string(cpu) + "/cache/";
  for (const std::string level : {"2", "3"}) {
    const std::string cache = caches + "index" + level + "/";
    std::filesystem::create_directories(folder / cache);
    folder.file(cache + "level", level + "\n");
    folder.file(cache + "shared_cpu_list",
                (level == "3" ? l3_sharers : std::to_string(cpu)) + "\n");
  }
}

TEST(Host, CountsTheL3CachesOfItsCpus) {
  const TempFolder folder;
  for (const int cpu : {0, 1, 8, 9}) describe_cpu(folder, cpu, "0-1,8-9");
  for (const int cpu : {2, 3, 10, 11}) describe_cpu(folder, cpu, "2-3,10-11");
  EXPECT_EQ(l3_caches(folder.path(), {0, 1, 2, 3, 8, 9, 10, 11}, 4), 2);
  EXPECT_EQ(l3_caches(folder.path(), {0, 8}, 4), 1);
  EXPECT_EQ(l3_caches(folder.path(), {1, 10}, 4), 2) << "two CPUs, each with an L3 of its own";
}

TEST(Host, WithoutTheKernelsWordTheSharersAreTakenAsFull) {
  const TempFolder folder;
  EXPECT_EQ(l3_caches(folder.path(), {0, 1, 2, 3, 4, 5, 6, 7}, 4), 2);
  EXPECT_EQ(l3_caches(folder.path(), {0, 1, 2, 3, 4}, 4), 2);
  EXPECT_EQ(l3_caches(folder.path(), {5}, 4), 1);
  EXPECT_EQ(l3_caches(folder.path(), {0, 1}, 0), 1);
  EXPECT_EQ(l3_caches(folder.path(), {}, 4), 1);
}

TEST(Host, TheLastCacheIsAtLeastOneL3) {
  EXPECT_GE(last_level_cache_bytes(), read_machine().l3.bytes);
}

}  // namespace
}  // namespace gatefold::test
