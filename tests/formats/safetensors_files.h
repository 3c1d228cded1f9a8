#pragma once

#include <cstdint>
#include <string>

namespace gatefold::test {

/// The bytes of a safetensors file with this header; `length` is what its first eight bytes claim.
inline std::string raw_safetensors(const std::string& header, const std::string& data,
                                   uint64_t length) {
  std::string text;
  for (int i = 0; i < 8; ++i) text += static_cast<char>(length >> (8 * i));
  return text + header + data;
}

inline std::string raw_safetensors(const std::string& header, const std::string& data = "") {
  return raw_safetensors(header, data, header.size());
}

/// `"name":{...}`
inline std::string entry(const std::string& name, const std::string& dtype,
                         const std::string& shape, const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":" + dtype + ",\"shape\":" + shape +
         ",\"data_offsets\":" + offsets + "}";
}

}  // namespace gatefold::test
