#include "generator/guardian.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

// Everything here may run after a fork of a program with threads: no allocation, no locks.
namespace gatefold {
namespace {

constexpr int kSweeps = 500;  // a millisecond apart: what is still there then, no signal ends
constexpr int kPatienceMs = 3000;
constexpr int kPolitenessMs = 200;

void sleep_ms(int ms) { usleep(static_cast<useconds_t>(ms) * 1000); }

sigset_t every_signal() {
  sigset_t all;
  sigfillset(&all);
  return all;
}

/// A guardian is a copy of a program that may hold a database, locks and pipes: it must not keep
/// them open beyond the program's end.
void close_everything() {
  if (syscall(SYS_close_range, 0u, ~0u, 0u) == 0) return;
  const long most = sysconf(_SC_OPEN_MAX);
  for (int fd = 0; fd < most; ++fd) close(fd);
}

/// Children of this process, those that lost their parents included, each sent SIGKILL.
void kill_children() {
  static char path[64];
  static char text[4096];
  char* at = path;
  for (const char* c = "/proc/self/task/"; *c; ++c) *at++ = *c;
  char digits[16];
  int count = 0;
  for (long rest = getpid(); rest > 0; rest /= 10)
    digits[count++] = static_cast<char>('0' + rest % 10);
  while (count > 0) *at++ = digits[--count];
  for (const char* c = "/children"; *c; ++c) *at++ = *c;
  *at = '\0';
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  const ssize_t got = read(fd, text, sizeof text);
  close(fd);
  pid_t pid = 0;
  for (ssize_t i = 0; i < got; ++i) {
    if (text[i] >= '0' && text[i] <= '9') {
      pid = pid * 10 + (text[i] - '0');
    } else if (pid > 1) {  // a number that the buffer cuts off waits for the next sweep
      kill(pid, SIGKILL);
      pid = 0;
    }
  }
}

/// Kills what is there until nothing is. Orphans come to this process, their nearest ancestor that
/// takes them in. The child's number, and so its group's, cannot be reused before it is reaped
/// here.
int sweep(pid_t child) {
  int status = SIGKILL;  // as waitpid says it, should the child not end
  bool reaped = false;
  for (int i = 0; i < kSweeps; ++i) {
    if (!reaped) kill(-child, SIGKILL);
    kill_children();
    int found = 0;
    pid_t pid = 0;
    while ((pid = waitpid(-1, &found, WNOHANG)) > 0) {
      if (pid != child) continue;
      status = found;
      reaped = true;
    }
    if (pid < 0 && errno == ECHILD) break;
    sleep_ms(1);
  }
  return status;
}

/// Whether the child ended, which is not reaped yet; orphans that ended are.
bool has_ended(pid_t child) {
  while (true) {
    siginfo_t info = {};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return errno == ECHILD;
    if (info.si_pid == 0) return false;
    if (info.si_pid == child) return true;
    waitpid(info.si_pid, nullptr, WNOHANG);
  }
}

/// Compilers remove their temporary files then, and `gatefold-worker` its folder.
void ask_to_end(pid_t child) {
  kill(-child, SIGTERM);
  kill(-child, SIGCONT);
  for (int i = 0; i < kPolitenessMs && !has_ended(child); ++i) sleep_ms(1);
}

/// The status with which the child ended, or was ended: with all it left.
int guard(pid_t child, int signals, int watched) {
  bool ended = false, told = false;
  while (!ended && !told) {
    pollfd waits[2] = {{signals, POLLIN, 0}, {watched, 0, 0}};
    if (poll(waits, watched < 0 ? 1 : 2, -1) < 0 && errno != EINTR) break;
    if (waits[1].revents & (POLLERR | POLLHUP | POLLNVAL)) break;
    signalfd_siginfo info;
    if (read(signals, &info, sizeof info) != sizeof info) continue;
    told = info.ssi_signo != SIGCHLD;
    ended = has_ended(child);
  }
  if (!ended) ask_to_end(child);
  return sweep(child);
}

int open_signals() {
  sigset_t wanted;
  sigemptyset(&wanted);
  for (int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT}) sigaddset(&wanted, number);
  return signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
}

/// In the child: its own group, dead if its guardian dies, signals as a new program has them.
void be_child(pid_t guardian, const sigset_t& signals) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != guardian) _exit(127);
  for (int number : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) signal(number, SIG_DFL);
  sigprocmask(SIG_SETMASK, &signals, nullptr);
}

void be_guardian() {
  signal(SIGCHLD, SIG_DFL);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

[[noreturn]] void run_guardian(pid_t parent, int report, const std::function<void()>& become) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);  // it died before the line above
  be_guardian();
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child == 0) {
    sigset_t none;
    sigemptyset(&none);
    be_child(self, none);
    become();
    _exit(127);
  }
  const int told[2] = {child, errno};
  (void)!write(report, told, sizeof told);
  close_everything();
  if (child < 0) _exit(127);
  setpgid(child, child);  // in both processes, so that neither has to wait for the other
  end_as(guard(child, open_signals(), -1));
}

}  // namespace

void end_as(int status) {
  if (!WIFSIGNALED(status)) _exit(WEXITSTATUS(status));
  const int number = WTERMSIG(status);
  const rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  signal(number, SIG_DFL);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  kill(getpid(), number);
  sigprocmask(SIG_UNBLOCK, &one, nullptr);
  _exit(128 + number);  // for a signal that does not end a process
}

GuardedChild start_guarded(const std::function<void()>& become) {
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) return {};
  const pid_t parent = getpid();
  const sigset_t all = every_signal();
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t guardian = fork();
  if (guardian == 0) run_guardian(parent, report[1], become);
  int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  close(report[1]);
  int told[2] = {-1, error};
  const bool heard = guardian > 0 && read(report[0], told, sizeof told) == sizeof told;
  close(report[0]);
  if (heard && told[0] > 0) return {guardian, told[0]};
  if (guardian > 0) waitpid(guardian, nullptr, 0);
  errno = told[1];
  return {};
}

int end_guarded(const GuardedChild& guarded) {
  kill(guarded.guardian, SIGTERM);
  int status = SIGKILL;
  for (int waited = 0; waited < kPatienceMs; ++waited) {
    if (waitpid(guarded.guardian, &status, WNOHANG) != 0) return status;
    sleep_ms(1);
  }
  kill(-guarded.child, SIGKILL);
  kill(guarded.guardian, SIGKILL);
  waitpid(guarded.guardian, &status, 0);
  return status;
}

int guard_rest_of_program(int watched) {
  const sigset_t all = every_signal();
  sigset_t before;
  sigprocmask(SIG_SETMASK, &all, &before);
  be_guardian();
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child == 0) {
    be_child(self, before);
    return -1;
  }
  if (child < 0) _exit(127);
  setpgid(child, child);
  return guard(child, open_signals(), watched);
}

}  // namespace gatefold
