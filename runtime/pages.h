#pragma once

#include <cstddef>
#include <utility>

namespace gatefold {

inline constexpr size_t kHugePage = size_t{2} << 20;

/// 128-byte aligned; from 2 MiB on aligned to that, mapped apart and offered to the kernel as huge
/// pages, as far as they waste at most 1 %. Not cleared below 2 MiB. nullptr when there is no
/// memory.
void* allocate_pages(size_t bytes);

/// What such a piece can come to occupy: whole pages.
size_t reserved_bytes(size_t bytes);
void free_pages(void* memory, size_t bytes);  ///< the same `bytes`

/// Owner of one such piece.
class Pages {
 public:
  Pages() = default;
  explicit Pages(size_t bytes);  ///< throws std::bad_alloc
  ~Pages() { free_pages(data_, bytes_); }
  Pages(Pages&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Pages& operator=(Pages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  size_t reserved() const { return reserved_bytes(bytes_); }

 private:
  void* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace gatefold
