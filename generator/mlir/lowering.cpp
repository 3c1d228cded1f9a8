#include "generator/mlir/lowering.h"

#include <mlir/Conversion/ArithToLLVM/ArithToLLVM.h>
#include <mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h>
#include <mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h>
#include <mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h>
#include <mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/ControlFlow/IR/ControlFlow.h>
#include <mlir/Dialect/GPU/IR/GPUDialect.h>
#include <mlir/Dialect/GPU/Transforms/Passes.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/LLVMIR/NVVMDialect.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/Verifier.h>
#include <mlir/Pass/PassManager.h>
#include <mlir/Target/LLVM/NVVM/Target.h>
#include <mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h>
#include <mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h>
#include <mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h>
#include <mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h>
#include <mlir/Transforms/Passes.h>

#include "spec/error.h"

namespace gatefold {
namespace {

mlir::DialectRegistry registry() {
  mlir::DialectRegistry r;
  r.insert<mlir::gpu::GPUDialect, mlir::NVVM::NVVMDialect, mlir::LLVM::LLVMDialect,
           mlir::arith::ArithDialect, mlir::scf::SCFDialect, mlir::cf::ControlFlowDialect>();
  mlir::registerBuiltinDialectTranslation(r);
  mlir::registerLLVMDialectTranslation(r);
  mlir::registerNVVMDialectTranslation(r);
  mlir::registerGPUDialectTranslation(r);
  mlir::NVVM::registerNVVMTargetInterfaceExternalModels(r);
  mlir::arith::registerConvertArithToLLVMInterface(r);
  mlir::cf::registerConvertControlFlowToLLVMInterface(r);
  return r;
}

/// The lowest PTX version that knows the chip.
const char* ptx_feature(int capability) { return capability >= 90 ? "+ptx78" : "+ptx70"; }

void add_passes(mlir::PassManager& manager) {
  auto& kernels = manager.nest<mlir::gpu::GPUModuleOp>();
  kernels.addPass(mlir::createCanonicalizerPass());
  kernels.addPass(mlir::createCSEPass());
  kernels.addPass(mlir::createSCFToControlFlowPass());
  mlir::ConvertGpuOpsToNVVMOpsOptions options;
  options.indexBitwidth = 64;
  kernels.addPass(mlir::createConvertGpuOpsToNVVMOps(options));
  kernels.addPass(mlir::createCanonicalizerPass());
  kernels.addPass(mlir::createCSEPass());
  kernels.addPass(mlir::createReconcileUnrealizedCastsPass());
}

}  // namespace

struct PtxModule::State {
  explicit State(int capability_in)
      : capability(capability_in), context(registry(), mlir::MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
    mlir::OpBuilder b(&context);
    const mlir::Location location = b.getUnknownLoc();
    module = mlir::ModuleOp::create(location);
    (*module)->setAttr(mlir::gpu::GPUDialect::getContainerModuleAttrName(), b.getUnitAttr());
    b.setInsertionPointToStart(module->getBody());
    kernels = mlir::gpu::GPUModuleOp::create(b, location, "gatefold");
    const std::string chip = "sm_" + std::to_string(capability);
    kernels.setTargetsAttr(b.getArrayAttr({mlir::NVVM::NVVMTargetAttr::get(
        &context, 3, "nvptx64-nvidia-cuda", chip, ptx_feature(capability))}));
  }

  [[noreturn]] void refuse(const std::string& what) {
    fail("MLIR: " + what + (messages.empty() ? "" : ": " + messages));
  }

  void run(mlir::PassManager& manager, const char* what) {
    if (mlir::failed(manager.run(*module)) || !messages.empty()) refuse(what);
  }

  void refuse_left_casts() {
    module->walk([&](mlir::UnrealizedConversionCastOp cast) {
      std::string text;
      llvm::raw_string_ostream(text) << cast;
      refuse("a cast between types is left over: " + text);
    });
  }

  std::string isa() {
    std::string text;
    module->walk([&](mlir::gpu::BinaryOp binary) {
      for (const mlir::Attribute object : binary.getObjects()) {
        text = mlir::cast<mlir::gpu::ObjectAttr>(object).getObject().getValue().str();
      }
    });
    // The object ends with the NUL that a driver wants.
    while (!text.empty() && text.back() == '\0') text.pop_back();
    if (text.empty()) refuse("no PTX came out");
    return text;
  }

  int capability;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::gpu::GPUModuleOp kernels;
  std::string messages;
};

PtxModule::PtxModule(int capability) : state_(std::make_unique<State>(capability)) {}

PtxModule::~PtxModule() = default;

mlir::Block* PtxModule::body() { return state_->kernels.getBody(); }

std::string PtxModule::ptx() {
  State& s = *state_;
  // Some passes report an error and succeed all the same.
  const mlir::ScopedDiagnosticHandler handler(&s.context, [&](mlir::Diagnostic& d) {
    if (d.getSeverity() != mlir::DiagnosticSeverity::Error) return mlir::success();
    s.messages += (s.messages.empty() ? "" : "; ") + d.str();
    return mlir::success();
  });
  if (mlir::failed(mlir::verify(*s.module))) s.refuse("the kernels are not valid");
  mlir::PassManager lowering(&s.context);
  add_passes(lowering);
  s.run(lowering, "a pass failed");
  s.refuse_left_casts();
  mlir::PassManager serialisation(&s.context);
  mlir::GpuModuleToBinaryPassOptions options;
  options.compilationTarget = "isa";
  serialisation.addPass(mlir::createGpuModuleToBinaryPass(options));
  s.run(serialisation, "no PTX could be made");
  std::string text = s.isa();
  check_ptx(text);
  return text;
}

}  // namespace gatefold
