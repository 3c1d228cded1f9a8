#include "tests/tuning/fake_candidate.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <stdexcept>
#include <system_error>

#include "schedules/space.h"
#include "tests/support/paths.h"

namespace gatefold::test {
namespace {

std::string quoted(const std::string& text) { return "'" + text + "'"; }

std::string macro(const std::string& name, const std::string& value) {
  return " -D" + quoted(name + "=" + value);
}

}  // namespace

ScratchFolder::ScratchFolder() {
  std::string name = testing::TempDir() + "gatefold-tuning-XXXXXX";
  if (!mkdtemp(name.data())) throw std::runtime_error("no scratch folder " + name);
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

FfnSpec fake_ffn() {
  FfnSpec ffn;
  ffn.variant = variant_named("relu");
  ffn.shape = {40, 56};
  return ffn;
}

Fake fake(std::vector<std::string> behaviour, int spend_us) {
  Fake fake;
  fake.kernel.ffn = fake_ffn();
  fake.kernel.target = Target::x86_avx2;
  fake.kernel.packing = legal_packings(fake.kernel.ffn, fake.kernel.target).at(0);
  fake.kernel.point.streams = 2;
  fake.behaviour = std::move(behaviour);
  fake.spend_us = spend_us;
  return fake;
}

std::filesystem::path build_fake(const Fake& fake, const std::filesystem::path& library) {
  const KernelSpec& k = fake.kernel;
  const Packing& p = k.packing;
  std::string command = "cc -std=gnu11 -O1 -shared -fPIC -o " + quoted(library.string()) + " " +
                        quoted(source_dir() + "/tests/tuning/fake_candidate.c") + " -I" +
                        quoted(source_dir() + "/runtime/include");
  command += macro("D_MODEL", std::to_string(k.ffn.shape.d_model));
  command += macro("D_FF", std::to_string(k.ffn.shape.d_ff));
  command += macro("PANEL", std::to_string(p.panel));
  command += macro("K_STEP", std::to_string(p.k_step * p.k_lines));
  command += macro("GROUP", std::to_string(p.group));
  command += macro("STREAMS", std::to_string(k.point.streams));
  command += macro("TARGET", "\"" + info(k.target).name + "\"");
  command += macro("POINT", "\"" + k.point.text() + "\"");
  command += macro("ROWS_MIN", std::to_string(k.rows.rows_min));
  command += macro("ROWS_MAX", std::to_string(k.rows.rows_max) + "LL");
  command += macro("SPEND_US", std::to_string(fake.spend_us));
  if (!fake.log.empty()) command += macro("LOG", "\"" + fake.log + "\"");
  for (const std::string& name : fake.behaviour) command += macro(name, "1");
  if (system(command.c_str()) != 0) throw std::runtime_error("cannot compile: " + command);
  return library;
}

MeasureRequest fake_request(std::vector<std::string> libraries, int64_t rows) {
  MeasureRequest request;
  request.libraries = std::move(libraries);
  request.ffn = fake_ffn();
  request.rows = rows;
  request.cold = false;
  request.min_rounds = 2;
  request.max_rounds = 2;  // too few to call anything noisy, whatever else runs on the machine
  request.budget_ms = 100;
  request.min_sample_ms = 0.01;
  return request;
}

std::string worker_program() { return binary_dir() + "/gatefold-worker"; }

}  // namespace gatefold::test
