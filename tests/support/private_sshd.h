#pragma once

#include <filesystem>
#include <memory>
#include <string>

namespace gatefold::test {

/// An SSH server of this user's own on a free port of the loopback device, with keys that are made
/// for it; everything lies in a folder of its own and goes with this object.
class PrivateSshd {
 public:
  /// Why there can be none here; empty if there can.
  static std::string missing();

  PrivateSshd();
  ~PrivateSshd();
  PrivateSshd(const PrivateSshd&) = delete;
  PrivateSshd& operator=(const PrivateSshd&) = delete;

  /// An ssh command that runs `remote` there without asking anybody anything.
  std::string command(const std::string& remote) const;

 private:
  void make_keys();
  void write_configuration();
  void start();

  struct Server;
  std::filesystem::path folder_;
  int port_ = 0;
  std::unique_ptr<Server> server_;
};

}  // namespace gatefold::test
