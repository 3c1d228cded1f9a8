#include "formats/gzip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/formats/files.h"

namespace gatefold::test {
namespace {

using testing::HasSubstr;

std::string error_with(const std::string& bytes, size_t most = 1 << 20) {
  return error_of([&] { gunzip(bytes, "f.gz", most); });
}

std::string long_text() {
  std::string text;
  for (int i = 0; i < 50000; ++i) text += std::to_string(i * 7919) + "\n";
  return text;
}

TEST(Gzip, TextComesBack) {
  for (const std::string& text : {std::string(), std::string("a"), long_text()}) {
    EXPECT_EQ(gunzip(gzip(text), "f.gz", 1 << 20), text);
  }
}

TEST(Gzip, SameTextSameBytes) { EXPECT_EQ(gzip(long_text()), gzip(long_text())); }

TEST(Gzip, ALimitIsOfWhatComesOut) {
  const std::string text(1000, 'x');
  EXPECT_EQ(gunzip(gzip(text), "f.gz", 1000), text);
  EXPECT_THAT(error_with(gzip(text), 999), HasSubstr("f.gz: unpacks to more than 999 bytes"));
}

TEST(Gzip, EveryCutIsSeen) {
  const std::string bytes = gzip("one two three four five six seven\n");
  for (size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THAT(error_with(bytes.substr(0, length)), HasSubstr("f.gz: ends in the middle"))
        << length;
  }
}

TEST(Gzip, DamageAndWhatIsNoGzipAreSeen) {
  EXPECT_THAT(error_with("this is text"), HasSubstr("f.gz: no gzip data or damaged"));
  std::string bytes = gzip(long_text());
  bytes[bytes.size() - 6] ^= 1;  // the checksum
  EXPECT_THAT(error_with(bytes), HasSubstr("damaged (incorrect data check)"));
  EXPECT_THAT(error_with(gzip("a") + "b"), HasSubstr("f.gz: 1 bytes after the end"));
}

}  // namespace
}  // namespace gatefold::test
