#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gatefold {

/// A generated library in this process without the system's loader: a program that is linked
/// statically has none that could be relied on. That is enough for what `generate` makes: position
/// independent code and data that need nothing but the memory functions of the C library.
class MappedLibrary {
 public:
  /// Throws gatefold::Error with the file and what in it cannot be loaded.
  explicit MappedLibrary(const std::string& path);
  MappedLibrary(const MappedLibrary&) = delete;
  MappedLibrary& operator=(const MappedLibrary&) = delete;
  ~MappedLibrary();

  /// Address of what the library exports by this name; null if it does not.
  void* symbol(std::string_view name) const;

 private:
  class Loader;

  /// The `count` elements at an offset of the image. What lies outside is an error, whatever in the
  /// file said that it is there.
  template <typename T>
  T* at(uint64_t offset, uint64_t count = 1) const {
    return reinterpret_cast<T*>(place(offset, alignof(T), sizeof(T), count));
  }
  uint8_t* place(uint64_t offset, size_t alignment, size_t size, uint64_t count) const;
  std::string_view name_of(const Elf64_Sym& symbol) const;
  void unmap();

  std::string path_;
  uint8_t* image_ = nullptr;
  size_t bytes_ = 0;
  uint64_t symbols_ = 0, strings_ = 0, string_bytes_ = 0, hash_ = 0;  ///< offsets in the image
};

}  // namespace gatefold
