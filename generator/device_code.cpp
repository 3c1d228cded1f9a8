#include "generator/device_code.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "spec/error.h"

namespace gatefold {
namespace {

using Halide::Internal::Call;
using Halide::Internal::StringImm;

/// Threads of a block, by kernel: from the calls that launch them.
class BlockSizes : public Halide::Internal::IRVisitor {
 public:
  std::map<std::string, std::string> threads;

 private:
  using IRVisitor::visit;
  void visit(const Call* call) override {
    IRVisitor::visit(call);
    if (call->name != "halide_cuda_run") return;
    const auto entry =
        std::find_if(call->args.begin(), call->args.end(),
                     [](const Halide::Expr& arg) { return arg.as<StringImm>() != nullptr; });
    constexpr long kThreads = 4;  // after the entry: three numbers of blocks, three of threads
    if (call->args.end() - entry < kThreads + 3) fail("device code: a launch of another form");
    std::string& text = threads[entry->as<StringImm>()->value];
    for (auto size = entry + kThreads; size != entry + kThreads + 3; ++size) {
      const auto known = Halide::Internal::as_const_int(*size);
      if (!known) fail("device code: a kernel's block of threads has no constant size");
      text += (text.empty() ? "" : ", ") + std::to_string(*known);
    }
  }
};

std::string with_block_size(std::string ptx, const std::string& entry, const std::string& threads) {
  const size_t at = ptx.find(".entry " + entry + "(");
  const size_t body = at == ptx.npos ? at : ptx.find("\n{", at);
  if (body == ptx.npos) fail("device code: no kernel '" + entry + "' in the PTX");
  return ptx.insert(body, "\n.maxntid " + threads);
}

/// The line with the address of shared memory added to the one that it accesses.
std::string with_shared_base(std::string line) {
  const size_t at = line.find("[%rd");
  if (at == line.npos) fail("device code: shared memory is used in another way: " + line);
  const size_t begin = at + 1, length = line.find_first_of("+]", begin) - begin;
  const std::string sum =
      "\tadd.s64 \t%shared_at, %shared_base, " + line.substr(begin, length) + ";\n";
  return sum + line.replace(begin, length, "%shared_at");
}

std::string with_shared_memory(const std::string& ptx) {
  if (ptx.find(".shared") == ptx.npos) return ptx;
  std::string out;
  std::istringstream lines(ptx);
  for (std::string line; std::getline(lines, line);) {
    out += (line.find(".shared") == line.npos ? line : with_shared_base(line)) + "\n";
    if (line.starts_with(".address_size"))
      out += ".extern .shared .align 16 .b8 halide_shared[];\n";
    if (line == "{")
      out += "\t.reg .b64 \t%shared_at, %shared_base;\n\tmov.b64 \t%shared_base, halide_shared;\n";
  }
  return out;
}

}  // namespace

std::string ptx_of(const Halide::Module& module) {
  const Halide::Buffer<> code = module.get_cuda_ptx_assembly_buffer();
  if (!code.defined()) return "";
  const Halide::Buffer<uint8_t> text = code;
  const std::string bytes(text.begin(), text.end());
  return bytes.substr(0, bytes.find('\0'));
}

void complete_ptx(const Halide::Module& module) {
  std::string ptx = with_shared_memory(ptx_of(module));
  BlockSizes sizes;
  for (const Halide::Internal::LoweredFunc& function : module.functions())
    function.body.accept(&sizes);
  for (const auto& [entry, threads] : sizes.threads) ptx = with_block_size(ptx, entry, threads);
  // All handles of a buffer share what they refer to, so the module sees the new text.
  Halide::Buffer<uint8_t> text = module.get_cuda_ptx_assembly_buffer();
  Halide::Runtime::Buffer<uint8_t> longer(static_cast<int>(ptx.size() + 1));
  std::copy_n(ptx.c_str(), ptx.size() + 1, longer.begin());
  *text.get() = longer;
}

}  // namespace gatefold
