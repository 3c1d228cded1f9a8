#include "tests/support/private_sshd.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace gatefold::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSshd = "/usr/sbin/sshd";   // must be started by its full path
constexpr const char* kPrivileges = "/run/sshd";  // wanted by a server that root starts

bool runs(const std::string& command) { return system(command.c_str()) == 0; }

sockaddr_in loopback(int port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int free_port() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  const bool bound = bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                     getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  close(fd);
  if (!bound) throw std::runtime_error("no free port");
  return ntohs(address.sin_port);
}

bool answers(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(port);
  const bool connected =
      connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(fd);
  return connected;
}

}  // namespace

struct PrivateSshd::Server {
  pid_t pid = -1;
  ~Server() {
    if (pid <= 0) return;
    kill(-pid, SIGTERM);
    waitpid(pid, nullptr, 0);
  }
};

std::string PrivateSshd::missing() {
  for (const char* program : {kSshd, "/usr/bin/ssh", "/usr/bin/ssh-keygen"}) {
    if (access(program, X_OK) != 0) return std::string(program) + " is not there";
  }
  return "";
}

PrivateSshd::PrivateSshd() {
  std::string name = testing::TempDir() + "gatefold-sshd-XXXXXX";
  if (!mkdtemp(name.data())) throw std::runtime_error("no folder " + name);
  folder_ = name;
  make_keys();
  if (geteuid() == 0) fs::create_directories(kPrivileges);
  start();
}

PrivateSshd::~PrivateSshd() {
  server_.reset();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void PrivateSshd::make_keys() {
  for (const char* key : {"host", "user"}) {
    const std::string file = (folder_ / key).string();
    if (!runs("ssh-keygen -q -t ed25519 -N '' -f '" + file + "'")) {
      throw std::runtime_error("ssh-keygen failed");
    }
  }
  fs::copy_file(folder_ / "user.pub", folder_ / "authorized_keys");
}

void PrivateSshd::write_configuration() {
  port_ = free_port();
  std::ofstream(folder_ / "config")
      << "Port " << port_ << "\nListenAddress 127.0.0.1\n"
      << "HostKey " << (folder_ / "host").string() << "\n"
      << "AuthorizedKeysFile " << (folder_ / "authorized_keys").string() << "\n"
      << "PidFile none\nStrictModes no\nUsePAM no\n"
      << "PermitRootLogin prohibit-password\n"
      << "PasswordAuthentication no\n"
      << "KbdInteractiveAuthentication no\nUseDNS no\n";
}

/// Somebody else may take the port before the server does: then with another one.
void PrivateSshd::start() {
  const std::string config = (folder_ / "config").string(), log = (folder_ / "log").string();
  for (int attempt = 0; attempt < 5; ++attempt) {
    write_configuration();
    server_ = std::make_unique<Server>();
    server_->pid = fork();
    if (server_->pid == 0) {
      setpgid(0, 0);
      prctl(PR_SET_PDEATHSIG, SIGTERM);
      execl(kSshd, kSshd, "-D", "-f", config.c_str(), "-E", log.c_str(), nullptr);
      _exit(127);
    }
    setpgid(server_->pid, server_->pid);
    for (int wait = 0; wait < 500; ++wait) {
      if (answers(port_)) return;
      if (waitpid(server_->pid, nullptr, WNOHANG) == server_->pid) {
        server_->pid = -1;
        break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  std::ifstream text(log);
  throw std::runtime_error("sshd does not start: " +
                           std::string(std::istreambuf_iterator<char>(text), {}));
}

std::string PrivateSshd::command(const std::string& remote) const {
  const passwd* user = getpwuid(geteuid());
  return "ssh -F none -p " + std::to_string(port_) + " -i '" + (folder_ / "user").string() +
         "' -o IdentitiesOnly=yes -o BatchMode=yes -o StrictHostKeyChecking=no" +
         " -o UserKnownHostsFile='" + (folder_ / "known").string() + "' -o LogLevel=ERROR " +
         (user ? std::string(user->pw_name) + "@" : "") + "127.0.0.1 " + remote;
}

}  // namespace gatefold::test
