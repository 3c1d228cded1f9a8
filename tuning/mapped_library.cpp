#include "tuning/mapped_library.h"

#include <string.h>
#include <sys/mman.h>

#include "spec/error.h"

namespace gatefold {
namespace {

uint32_t gnu_hash(std::string_view name) {
  uint32_t hash = 5381;
  for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
  return hash;
}

}  // namespace

MappedLibrary::~MappedLibrary() { unmap(); }

void MappedLibrary::unmap() {
  if (image_) munmap(image_, bytes_);
}

uint8_t* MappedLibrary::place(uint64_t offset, size_t alignment, size_t size,
                              uint64_t count) const {
  if (offset % alignment != 0 || offset > bytes_ || count > (bytes_ - offset) / size) {
    fail(path_ + ": points to " + std::to_string(offset) + ", past its end or not aligned");
  }
  return image_ + offset;
}

std::string_view MappedLibrary::name_of(const Elf64_Sym& symbol) const {
  if (symbol.st_name >= string_bytes_) fail(path_ + ": a symbol's name is past the names' end");
  const char* name = at<const char>(strings_ + symbol.st_name, string_bytes_ - symbol.st_name);
  return {name, strnlen(name, string_bytes_ - symbol.st_name)};
}

void* MappedLibrary::symbol(std::string_view wanted) const {
  const uint32_t hash = gnu_hash(wanted);
  const auto* header = at<const uint32_t>(hash_, 4);
  const uint64_t buckets = header[0], first = header[1], bloom_words = header[2];
  if (buckets == 0) return nullptr;
  const uint64_t heads = hash_ + 16 + 8 * bloom_words, chains = heads + 4 * buckets;
  uint64_t index = *at<const uint32_t>(heads + 4 * (hash % buckets));
  while (index >= first && index != 0) {
    const uint32_t link = *at<const uint32_t>(chains + 4 * (index - first));
    const auto& symbol = *at<const Elf64_Sym>(symbols_ + index * sizeof(Elf64_Sym));
    if ((link | 1) == (hash | 1) && symbol.st_shndx != SHN_UNDEF && name_of(symbol) == wanted) {
      return at<uint8_t>(symbol.st_value);
    }
    if (link & 1) break;
    ++index;
  }
  return nullptr;
}

}  // namespace gatefold
