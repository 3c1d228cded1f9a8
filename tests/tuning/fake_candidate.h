#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "generator/library.h"
#include "tuning/trial.h"
#include "tuning/worker_protocol.h"

namespace gatefold::test {

/// A folder of its own under the test's temporary folder, removed at the end.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A small dense relu block, the only one that fake candidates compute.
FfnSpec fake_ffn();

/// What a fake does beside its work: the macros of fake_candidate.c, e.g. {"CRASH"}.
struct Fake {
  KernelSpec kernel;
  std::vector<std::string> behaviour;
  int spend_us = 0;
  std::string log = {};  ///< file to which every call is written with its begin and end
};

Fake fake(std::vector<std::string> behaviour = {}, int spend_us = 0);

/// Compiles it; the file is the shared library.
std::filesystem::path build_fake(const Fake& fake, const std::filesystem::path& library);

/// A request for these libraries at the fake block's sizes.
MeasureRequest fake_request(std::vector<std::string> libraries, int64_t rows = 3);

/// gatefold-worker as built.
std::string worker_program();

}  // namespace gatefold::test

namespace gatefold {

inline void PrintTo(TrialKind kind, std::ostream* out) { *out << name(kind); }

}  // namespace gatefold
