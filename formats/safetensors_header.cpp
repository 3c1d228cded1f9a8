#include "formats/safetensors_header.h"

#include <nlohmann/json.hpp>
#include <set>

#include "formats/extent.h"
#include "formats/quote.h"
#include "spec/error.h"

namespace gatefold {
namespace {

using Json = nlohmann::json;

/// Reads the header as a stream of events: the DOM would silently keep one of two equal names, and
/// would spend many times the header's size on a hostile one.
class HeaderReader final : public nlohmann::json_sax<Json> {
 public:
  explicit HeaderReader(const std::string& file) : file_(file) {}
  std::vector<SafetensorsEntry> take() { return std::move(entries_); }

  bool null() override { unexpected("null"); }
  bool boolean(bool value) override { unexpected(value ? "true" : "false"); }
  bool number_float(double, const std::string& text) override { unexpected(text); }
  bool binary(Json::binary_t&) override { unexpected("binary data"); }
  bool number_integer(int64_t value) override {
    if (value < 0) unexpected(std::to_string(value));
    return number_unsigned(static_cast<uint64_t>(value));
  }

  bool number_unsigned(uint64_t value) override {
    if (place_ == Place::shape) {
      if (value > INT64_MAX) unexpected(std::to_string(value));
      if (entry().shape.size() == kMaxRank) fail_here("more than 64 dimensions");
      entry().shape.push_back(static_cast<int64_t>(value));
    } else if (place_ == Place::offsets) {
      if (entry().data_offsets.size() == 2) fail_here("more than 2 numbers, wanted 2");
      entry().data_offsets.push_back(value);
    } else {
      unexpected(std::to_string(value));
    }
    return true;
  }

  bool string(std::string& value) override {
    if (place_ == Place::metadata) return true;
    if (place_ != Place::tensor || key_ != "dtype") unexpected(quote(value));
    entry().dtype = value;
    return true;
  }

  bool start_object(size_t) override {
    keys_.clear();
    if (place_ == Place::outside) {
      place_ = Place::top;
    } else if (place_ == Place::top && key_ == "__metadata__") {
      place_ = Place::metadata;
    } else if (place_ == Place::top) {
      place_ = Place::tensor;
      entries_.push_back({.name = key_, .dtype = {}, .shape = {}, .data_offsets = {}});
    } else {
      unexpected("an object");
    }
    return true;
  }

  bool key(std::string& value) override {
    key_ = value;
    auto& known = place_ == Place::top ? names_ : keys_;
    if (!known.insert(value).second) fail_here("duplicate name, wanted each name once");
    const bool field = value == "dtype" || value == "shape" || value == "data_offsets";
    if (place_ == Place::tensor && !field) {
      fail_here("unknown field, wanted dtype, shape and data_offsets");
    }
    return true;
  }

  bool end_object() override {
    if (place_ == Place::tensor) {
      for (const char* field : {"dtype", "shape", "data_offsets"}) {
        key_ = field;
        if (!keys_.contains(field)) fail_here("missing");
      }
    }
    place_ = place_ == Place::top ? Place::outside : Place::top;
    return true;
  }

  bool start_array(size_t) override {
    if (place_ == Place::tensor && key_ == "shape") {
      place_ = Place::shape;
    } else if (place_ == Place::tensor && key_ == "data_offsets") {
      place_ = Place::offsets;
    } else {
      unexpected("an array");
    }
    return true;
  }

  bool end_array() override {
    const size_t offsets = entry().data_offsets.size();
    if (place_ == Place::offsets && offsets != 2) {
      fail_here(std::to_string(offsets) + " numbers, wanted 2");
    }
    place_ = Place::tensor;
    return true;
  }

  bool parse_error(size_t position, const std::string& token, const Json::exception&) override {
    fail(file_ + ": header is not JSON at byte " + std::to_string(position) + ", near " +
         quote(token));
  }

 private:
  enum class Place { outside, top, metadata, tensor, shape, offsets };

  SafetensorsEntry& entry() { return entries_.back(); }

  std::string wanted() const {
    switch (place_) {
      case Place::outside:
      case Place::top:
        return "an object";
      case Place::metadata:
        return "a string";
      case Place::tensor:
        return key_ == "dtype" ? "a string" : "an array of numbers";
      case Place::shape:
      case Place::offsets:
        return "an integer from 0 to 2^63 - 1";
    }
    return {};
  }

  [[noreturn]] void unexpected(const std::string& found) {
    fail_here("found " + found + ", wanted " + wanted());
  }

  [[noreturn]] void fail_here(const std::string& what) {
    switch (place_) {
      case Place::outside:
        fail(file_ + ": header: " + what);
      case Place::top:
        fail(file_ + ": tensor " + quote(key_) + ": " + what);
      case Place::metadata:
        fail(file_ + ": __metadata__ entry " + quote(key_) + ": " + what);
      case Place::tensor:
      case Place::shape:
      case Place::offsets:
        fail(file_ + ": tensor " + quote(entry().name) + ": field " + quote(key_) + ": " + what);
    }
    fail(file_ + ": " + what);
  }

  const std::string& file_;
  Place place_ = Place::outside;
  std::string key_;
  std::set<std::string> names_;  ///< of the tensors
  std::set<std::string> keys_;   ///< of the object being read inside the top one
  std::vector<SafetensorsEntry> entries_;
};

}  // namespace

std::vector<SafetensorsEntry> parse_safetensors_header(const std::string& file,
                                                       std::string_view json) {
  if (json.empty() || json.front() != '{') {
    fail(file + ": header begins with " + quote(json.substr(0, 1)) +
         ", wanted the '{' of a JSON object");
  }
  // The JSON parser takes a zero byte for the end of its input and would skip what follows.
  const size_t zero = json.find('\0');
  if (zero != std::string_view::npos) {
    fail(file + ": header is not JSON: zero byte at byte " + std::to_string(zero));
  }
  HeaderReader reader(file);
  Json::sax_parse(json, &reader);
  return reader.take();
}

}  // namespace gatefold
