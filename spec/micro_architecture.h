#pragma once

#include <string>
#include <string_view>

namespace gatefold {

/// The vendor's name of a core's design, by which winners of one CPU are taken for another: "zen3",
/// "skylake-server", "neoverse-n1", …; empty where family and model are not known. An Arm core's
/// vendor is "ARM" or "Apple", its family and model are the implementer and the part of MIDR_EL1.
std::string micro_architecture(std::string_view vendor, int family, int model);

/// The same from a CPU as records name it: "AMD EPYC (family 25 model 1)" is "zen3". What was
/// worked out for a CPU profile has the profile's name: "neoverse-n1".
std::string micro_architecture_of(std::string_view cpu_name);

/// What a CPU profile (`generate --cpu NAME`) stands for; empty for "generic" and the like.
std::string micro_architecture_of_profile(std::string_view profile);

/// How well a winner's CPU fits the one that it is wanted for, the best first. It is the order in
/// which winners are looked up; without any, the analytic default is taken.
enum class CpuMatch { cpu, micro_architecture, isa };

const char* name(CpuMatch match);

}  // namespace gatefold
