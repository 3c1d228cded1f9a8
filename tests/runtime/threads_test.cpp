#include "runtime/threads.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "runtime/cgroup.h"

namespace gatefold {
namespace {

TEST(Cgroup, ParsesCpuMax) {
  EXPECT_EQ(parse_cpu_max("400000 100000"), 4);
  EXPECT_EQ(parse_cpu_max("400000 100000\n"), 4);
  EXPECT_EQ(parse_cpu_max("150000 100000"), 2) << "rounded up";
  EXPECT_EQ(parse_cpu_max("1000 100000"), 1);
  EXPECT_EQ(parse_cpu_max("max 100000"), std::nullopt);
  for (const char* bad : {"", "100000", "x y", "1 2 3", "-1 100000", "100000 0", "1e5 100000",
                          "99999999999999999999 1"}) {
    EXPECT_EQ(parse_cpu_max(bad), std::nullopt) << bad;
  }
}

TEST(Cgroup, QuotaOfV1) {
  EXPECT_EQ(cpus_of_quota(-1, 100000), std::nullopt);
  EXPECT_EQ(cpus_of_quota(250000, 100000), 3);
  EXPECT_EQ(cpus_of_quota(INT64_MAX, 1), 1 << 20) << "no overflow";
}

/// A file tree that looks like /proc and /sys.
class FakeRoot : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "cgroupXXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::string root_;
};

constexpr const char* kV2Mount = "31 23 0:28 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n";

TEST_F(FakeRoot, TakesTheTightestParentOfV2) {
  write("/proc/self/cgroup", "0::/a/b/c\n");
  write("/proc/self/mountinfo", kV2Mount);
  write("/sys/fs/cgroup/a/b/c/cpu.max", "800000 100000\n");
  write("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  write("/sys/fs/cgroup/a/cpu.max", "300000 100000\n");
  EXPECT_EQ(cgroup_cpus(root_), 3);
}

TEST_F(FakeRoot, ReadsTheMountPointInsideAContainer) {
  write("/proc/self/cgroup", "0::/../../outside\n");
  write("/proc/self/mountinfo", kV2Mount);
  write("/sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_EQ(cgroup_cpus(root_), 2);
}

TEST_F(FakeRoot, ReadsV1BelowTheMountsRoot) {
  write("/proc/self/cgroup", "4:memory:/docker/x\n3:cpu,cpuacct:/docker/x/job\n0::/\n");
  write("/proc/self/mountinfo",
        "32 31 0:29 /docker/x /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n");
  write("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "550000\n");
  write("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cgroup_cpus(root_), 6);
}

TEST_F(FakeRoot, AGroupWithALongerNameIsNotInside) {
  write("/proc/self/cgroup", "3:cpu:/a/bc/job\n");
  write("/proc/self/mountinfo", "32 31 0:29 /a/b /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n");
  write("/sys/fs/cgroup/cpuc/job/cpu.cfs_quota_us", "100000\n");
  write("/sys/fs/cgroup/cpuc/job/cpu.cfs_period_us", "100000\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "500000\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cgroup_cpus(root_), 5);
}

TEST_F(FakeRoot, NoLimitWhereNothingIsFound) {
  EXPECT_EQ(cgroup_cpus(root_), std::nullopt);
  write("/proc/self/cgroup", "garbage\n::::\n1:cpu\n");
  write("/proc/self/mountinfo", "\n - \nx - cgroup2\n");
  EXPECT_EQ(cgroup_cpus(root_), std::nullopt);
}

TEST(Threads, DefaultIsWithinTheAffinity) {
  EXPECT_GE(gf_default_threads(), 1);
  EXPECT_LE(gf_default_threads(), process_cpus().count());
}

TEST(Threads, APinnedThreadDoesNotLimitTheProcess) {
  const int before = gf_default_threads();
  std::thread([&] {
    CpuMask mask = affinity_of(0);
    bool kept = false;
    for (unsigned long& word : mask.words) {
      word = kept ? 0 : word & (~word + 1);
      kept |= word != 0;
    }
    set_own_affinity(mask);
    ASSERT_EQ(affinity_of(0).count(), 1);
    EXPECT_EQ(gf_default_threads(), before);
  }).join();
}

TEST(Threads, ParsesCounts) {
  EXPECT_EQ(parse_thread_count("1"), 1);
  EXPECT_EQ(parse_thread_count("1024"), 1024);
  for (const char* bad : {"", "0", "-2", "1025", "4x", " 4", "four", "1e3", "99999999999"})
    EXPECT_EQ(parse_thread_count(bad), std::nullopt) << bad;
}

class ThreadsVariable : public testing::Test {
 protected:
  void TearDown() override { unsetenv("GATEFOLD_THREADS"); }
};

TEST_F(ThreadsVariable, IsUsedWhenNothingIsAskedFor) {
  setenv("GATEFOLD_THREADS", "3", 1);
  int threads = 0;
  EXPECT_EQ(resolve_threads(0, &threads), GF_OK);
  EXPECT_EQ(threads, 3);
  EXPECT_EQ(resolve_threads(2, &threads), GF_OK);
  EXPECT_EQ(threads, 2) << "an explicit number wins";
  setenv("GATEFOLD_THREADS", "", 1);
  EXPECT_EQ(resolve_threads(0, &threads), GF_OK);
  EXPECT_EQ(threads, gf_default_threads());
}

TEST_F(ThreadsVariable, BadValuesAreNamed) {
  int threads = 0;
  for (const char* bad : {"0", "many", "-1"}) {
    setenv("GATEFOLD_THREADS", bad, 1);
    EXPECT_EQ(resolve_threads(0, &threads), GF_INVALID_ARGUMENT);
    EXPECT_NE(std::string(gf_last_error()).find(std::string("GATEFOLD_THREADS: '") + bad),
              std::string::npos);
  }
  EXPECT_EQ(resolve_threads(-1, &threads), GF_INVALID_ARGUMENT);
  EXPECT_EQ(resolve_threads(1 << 20, &threads), GF_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace gatefold
