#include "formats/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <climits>

#include "spec/error.h"

namespace gatefold {
namespace {

constexpr int kGzip = 16 + MAX_WBITS;  // asks zlib for gzip's header and checksum
constexpr size_t kPiece = size_t{1} << 16;

Bytef* input_of(std::string_view bytes) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
}

/// A length as zlib takes it.
uInt length_of(const std::string& file, std::string_view bytes) {
  if (bytes.size() > UINT_MAX) fail(file + ": too large for one gzip member");
  return static_cast<uInt>(bytes.size());
}

/// Ends the stream whatever happens in between.
struct Inflater {
  z_stream stream = {};
  Inflater() {
    if (inflateInit2(&stream, kGzip) != Z_OK) fail("zlib: cannot start to unpack");
  }
  ~Inflater() { inflateEnd(&stream); }
};

struct Deflater {
  z_stream stream = {};
  Deflater() {
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, 9, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
      fail("zlib: cannot start to pack");
    }
  }
  ~Deflater() { deflateEnd(&stream); }
};

}  // namespace

std::string gzip(std::string_view text) {
  Deflater packer;
  packer.stream.next_in = input_of(text);
  packer.stream.avail_in = length_of("gzip", text);
  std::string bytes(deflateBound(&packer.stream, packer.stream.avail_in), '\0');
  packer.stream.next_out = input_of(bytes);
  packer.stream.avail_out = static_cast<uInt>(bytes.size());
  if (deflate(&packer.stream, Z_FINISH) != Z_STREAM_END) fail("zlib: cannot pack");
  bytes.resize(packer.stream.total_out);
  return bytes;
}

std::string gunzip(std::string_view bytes, const std::string& file, size_t most) {
  Inflater unpacker;
  unpacker.stream.next_in = input_of(bytes);
  unpacker.stream.avail_in = length_of(file, bytes);
  std::string text;
  for (int status = Z_OK; status != Z_STREAM_END;) {
    char piece[kPiece];
    unpacker.stream.next_out = reinterpret_cast<Bytef*>(piece);
    unpacker.stream.avail_out = sizeof(piece);
    status = inflate(&unpacker.stream, Z_NO_FLUSH);
    text.append(piece, sizeof(piece) - unpacker.stream.avail_out);
    if (text.size() > most) {
      fail(file + ": unpacks to more than " + std::to_string(most) + " bytes");
    }
    if (status == Z_BUF_ERROR ||
        (status == Z_OK && unpacker.stream.avail_in == 0 && unpacker.stream.avail_out != 0)) {
      fail(file + ": ends in the middle of its gzip data");
    }
    if (status != Z_OK && status != Z_STREAM_END) {
      const char* why = unpacker.stream.msg ? unpacker.stream.msg : "unknown";
      fail(file + ": no gzip data or damaged (" + why + ")");
    }
  }
  if (unpacker.stream.avail_in != 0) {
    fail(file + ": " + std::to_string(unpacker.stream.avail_in) +
         " bytes after the end of its gzip data");
  }
  return text;
}

}  // namespace gatefold
