#include <dlfcn.h>

#include <cstdio>

int main() {
  void* plugin = dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
  if (!plugin) {
    std::printf("%s\n", dlerror());
    return 1;
  }
  const auto check = reinterpret_cast<int (*)()>(dlsym(plugin, "plugin_check"));
  return check ? check() : 3;
}
