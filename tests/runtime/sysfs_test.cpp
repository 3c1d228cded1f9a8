#include "runtime/sysfs.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <fstream>

#include "runtime/caches.h"

namespace gatefold {
namespace {

using testing::ElementsAre;
namespace fs = std::filesystem;

class Sysfs : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "sysfsXXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& path, const std::string& text) {
    fs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << text << "\n";
  }
  void write_cache(int index, const char* level, const char* type, const char* size,
                   const char* shared) {
    const std::string path = "cpu0/cache/index" + std::to_string(index) + "/";
    write(path + "level", level);
    write(path + "type", type);
    write(path + "size", size);
    write(path + "ways_of_associativity", "4");
    write(path + "coherency_line_size", "64");
    write(path + "shared_cpu_list", shared);
  }

  fs::path folder_;
};

TEST_F(Sysfs, CachesOfACluster) {
  write_cache(0, "1", "Data", "32K", "0");
  write_cache(1, "1", "Instruction", "48K", "0");
  write_cache(2, "2", "Unified", "1024K", "0-3");
  write_cache(3, "3", "Unified", "4M", "0-3,6-7");
  const std::vector<Cache> caches = listed_caches(folder_ / "cpu0");
  ASSERT_EQ(caches.size(), 3u) << "the instruction cache is left out";
  EXPECT_EQ(caches[0].level, 1);
  EXPECT_EQ(caches[0].bytes, 32 << 10);
  EXPECT_EQ(caches[0].ways, 4);
  EXPECT_EQ(caches[0].line_bytes, 64);
  EXPECT_EQ(caches[0].shared_by, 1);
  EXPECT_EQ(caches[1].bytes, 1 << 20);
  EXPECT_EQ(caches[1].shared_by, 4);
  EXPECT_EQ(caches[2].level, 3);
  EXPECT_EQ(caches[2].bytes, 4 << 20);
  EXPECT_EQ(caches[2].shared_by, 6);
}

TEST_F(Sysfs, CachesWithoutASizeAreLeftOut) {
  EXPECT_TRUE(listed_caches(folder_ / "cpu0").empty());
  write("cpu0/cache/index0/level", "1");
  write("cpu0/cache/index0/type", "Data");
  EXPECT_TRUE(listed_caches(folder_ / "cpu0").empty());
  write("cpu0/cache/index0/size", "-1K");
  EXPECT_TRUE(listed_caches(folder_ / "cpu0").empty());
  write("cpu0/cache/index0/size", "32K");
  EXPECT_EQ(listed_caches(folder_ / "cpu0").size(), 1u);
}

TEST_F(Sysfs, Numbers) {
  EXPECT_EQ(parse_size("512K"), 512 << 10);
  EXPECT_EQ(parse_size("2M"), 2 << 20);
  EXPECT_EQ(parse_size("64"), 64);
  for (const char* bad : {"", "K", "12X", "-4K", "99999999999999999999K", "1152921504606846976K"})
    EXPECT_EQ(parse_size(bad), 0) << bad;
  EXPECT_EQ(parse_count("16"), 16);
  EXPECT_EQ(parse_count("x"), 0);
  EXPECT_EQ(parse_count("-3"), 0);
  EXPECT_THAT(parse_cpu_list("0-2,8"), ElementsAre(0, 1, 2, 8));
  EXPECT_THAT(parse_cpu_list("5"), ElementsAre(5));
  EXPECT_THAT(parse_cpu_list("3-1,x,-,4-,0-9999999999"), ElementsAre());
}

TEST_F(Sysfs, TheFastestCpuIsThatOfTheLargestCapacity) {
  write("cpu0/cpu_capacity", "446");
  write("cpu1/cpu_capacity", "446");
  write("cpu2/cpu_capacity", "1024");
  write("cpu3/cpu_capacity", "1024");
  EXPECT_EQ(fastest_cpu(folder_, {0, 1, 2, 3}), 2);
  EXPECT_EQ(fastest_cpu(folder_, {1, 0}), 1) << "of those that the process may use";
  EXPECT_EQ(fastest_cpu(folder_, {}), -1);
  EXPECT_EQ(fastest_cpu(folder_ / "nothing", {5, 6}), 5) << "cores that do not differ";
}

}  // namespace
}  // namespace gatefold
