// The lines between tuner and worker, and how bytes travel in them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/byte_hash.h"
#include "spec/error.h"
#include "tuning/base64.h"
#include "tuning/worker_protocol.h"

namespace gatefold::test {
namespace {

using testing::HasSubstr;

TEST(Base64, IsThatOfTheStandard) {
  const std::pair<const char*, const char*> kVectors[] = {
      {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}};
  for (const auto& [bytes, text] : kVectors) {
    EXPECT_EQ(to_base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
  }
}

TEST(Base64, KeepsEveryByte) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) bytes += static_cast<char>(i * 7);
  for (size_t size = 0; size < 40; ++size) {
    EXPECT_EQ(from_base64(to_base64(bytes.substr(0, 900 + size))), bytes.substr(0, 900 + size));
  }
}

TEST(Base64, NonsenseIsRefused) {
  for (const char* text :
       {"Zg=", "Zg", "Z===", "====", "Zm9 ", "Zm=v", "Zm9v\n", "\xff\xff\xff\xff"}) {
    EXPECT_FALSE(from_base64(text)) << text;
  }
}

std::string error_of(const std::string& line) {
  try {
    parse_request_line(line);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(Protocol, ALibraryArrivesAsItWasSent) {
  SentLibrary library;
  library.bytes = std::string(
      "\x7f"
      "ELF\0\xff\n\"",
      8);
  library.name = hash_of(library.bytes);
  const WorkerRequest request = parse_request_line(request_line(library));
  const auto* got = std::get_if<SentLibrary>(&request);
  ASSERT_NE(got, nullptr);
  EXPECT_EQ(got->name, library.name);
  EXPECT_EQ(got->bytes, library.bytes);
}

TEST(Protocol, ALibraryThatIsNotWhatItsNameSaysIsRefused) {
  SentLibrary library{hash_of("one"), "two"};
  EXPECT_THAT(error_of(request_line(library)), HasSubstr(hash_of("two")));
  library.name = "../../etc/passwd";
  EXPECT_THAT(error_of(request_line(library)), HasSubstr("../../etc/passwd"));
}

TEST(Protocol, AMachineArrivesAsItWasSent) {
  HelloReply hello;
  hello.version = "0.1.0";
  hello.machine.cpu = "a \"CPU\" (family 25)";
  hello.machine.profile.l3 = 123456;
  hello.machine.targets = {Target::x86_avx2, Target::x86_avx512};
  hello.machine.dtype = DType::bf16;
  hello.machine.threads = 7;
  hello.machine.emulator = "qemu-aarch64 on x86_64";
  const auto line = parse_worker_line(reply_line(hello));
  ASSERT_TRUE(line);
  EXPECT_EQ(line->kind, WorkerLine::Kind::hello);
  EXPECT_EQ(line->hello.protocol, kWorkerProtocol);
  EXPECT_EQ(line->hello.machine.cpu, hello.machine.cpu);
  EXPECT_EQ(line->hello.machine.profile.l3, 123456);
  EXPECT_EQ(line->hello.machine.targets, hello.machine.targets);
  EXPECT_EQ(line->hello.machine.dtype, DType::bf16);
  EXPECT_EQ(line->hello.machine.threads, 7);
  EXPECT_EQ(line->hello.machine.emulator, "qemu-aarch64 on x86_64");
  EXPECT_TRUE(line->hello.machine.emulated());
}

TEST(Protocol, AMachineIsEmulatedByWhatItNamesOnly) {
  HelloReply hello;
  hello.version = "0.1.0";
  hello.machine.cpu = "a CPU";
  hello.machine.targets = {Target::arm64_neon};
  std::string line = reply_line(hello);
  ASSERT_TRUE(parse_worker_line(line));
  EXPECT_FALSE(parse_worker_line(line)->hello.machine.emulated());
  const size_t at = line.find("\"emulated\":false");
  ASSERT_NE(at, std::string::npos) << line;
  EXPECT_FALSE(parse_worker_line(line.replace(at, 16, "\"emulated\":true"))) << "by whom?";
}

TEST(Protocol, ARoofArrivesAsItWasMeasured) {
  Roof roof;
  roof.f32_gflops = 0.1 + 0.2;
  roof.bf16_gflops = 200;
  roof.i8_gops = 300;
  roof.read_gbps = 21.5;
  roof.threads = 3;
  roof.read_pattern = "4 streams, prefetch";
  const auto line = parse_worker_line(reply_line(roof));
  ASSERT_TRUE(line);
  EXPECT_EQ(line->roof.f32_gflops, roof.f32_gflops);
  EXPECT_EQ(line->roof.read_gbps, 21.5);
  EXPECT_EQ(line->roof.threads, 3);
  EXPECT_EQ(line->roof.read_pattern, roof.read_pattern);
}

TEST(Protocol, LinesThatMakeNoSenseAreNone) {
  for (const char* line : {"", "nonsense", "{}", "[]", "1", "{\"reply\":1}", "{\"reply\":\"what\"}",
                           "{\"event\":\"what\",\"index\":1}", "{\"event\":\"candidate\"}",
                           "{\"reply\":\"hello\"}", "{\"reply\":\"roof\",\"roof\":{}}"}) {
    EXPECT_FALSE(parse_worker_line(line)) << line;
  }
  Roof roof;  // of zeros: dividing by it would make every efficiency infinite
  EXPECT_FALSE(parse_worker_line(reply_line(roof)));
}

TEST(Protocol, TimesThatCannotBeAreNoReply) {
  MeasureReply reply;
  TrialResult result;
  result.samples = {1.5, kUnknown};
  result.median_ms = 1.5;
  reply.candidates = {result};
  EXPECT_TRUE(parse_worker_line(reply_line(reply)));
  for (double wrong : {0.0, -1.0}) {
    reply.candidates[0].median_ms = wrong;
    EXPECT_FALSE(parse_worker_line(reply_line(reply))) << wrong;
  }
  reply.candidates[0] = result;
  reply.candidates[0].samples[0] = 0;
  EXPECT_FALSE(parse_worker_line(reply_line(reply)));
}

TEST(Protocol, RequestsThatMakeNoSenseAreNamed) {
  EXPECT_THAT(error_of("{\"kind\":\"dance\"}"), HasSubstr("'dance'"));
  EXPECT_THAT(error_of("{\"kind\":\"roof\",\"target\":\"x86-avx2\",\"threads\":0,\"lock\":false}"),
              HasSubstr("threads"));
  EXPECT_THAT(error_of("{\"kind\":\"library\",\"name\":\"x\",\"data\":\"?\"}"),
              HasSubstr("base64"));
}

}  // namespace
}  // namespace gatefold::test
