// SPDX-License-Identifier: GPL-2.0-or-later
// main() of the fuzzers where libFuzzer is not linked: runs every seed of a corpus and a fixed sequence of changed
// copies of each, the same on every machine, so that it can be a test. Naming an input on a crash makes it repeatable.
//
//   swf_fuzz                    seeds in $srcdir/tests/fuzz/corpus/swf, the test
//   swf_fuzz FILE...            these inputs, unchanged (as with libFuzzer)
//   swf_fuzz --write SEED N     writes the N-th changed copy of the file SEED to standard output
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));
// UndefinedBehaviorSanitizer would end the program without a signal; this way on_signal names the input.
extern "C" const char* __ubsan_default_options();
extern "C" const char* __ubsan_default_options() { return "abort_on_error=1:print_stacktrace=1"; }

namespace {

namespace fs = std::filesystem;

// Of each seed; DFRS_TEST_CASES times as many for a long soak, as in property tests.
int copies_per_seed() {
  constexpr int kUsual = 2000;
  const char* const factor = std::getenv("DFRS_TEST_CASES");
  const int times = factor != nullptr ? std::atoi(factor) : 1;
  return kUsual * std::clamp(times, 1, 100000);
}

// What runs now, for the message of a crash: fixed storage, because the heap may be broken by then.
char current_input[512];

void name_input(const std::string& text) { std::strncpy(current_input, text.c_str(), sizeof current_input - 1); }

void print_input() {
  const auto print = [](const char* text) {
    if (write(STDERR_FILENO, text, std::strlen(text)) < 0) _exit(1);
  };
  print("fuzz driver: the input that failed: ");
  print(current_input);
  print("\n");
}

void on_signal(int number) {
  print_input();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::cerr << "fuzz driver: cannot read " << path << '\n';
    std::exit(1);
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

void run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

// Uniform below `end` by remainder: std::uniform_int_distribution differs between standard libraries.
std::size_t below(std::mt19937_64& random, std::size_t end) { return end == 0 ? 0 : random() % end; }

/// The `number`-th changed copy of `seed`: one to eight edits of bytes, numbers, lines and length.
std::string changed(const std::string& seed, int number) {
  static const std::vector<std::string> kTokens = {"-1",
                                                   "0",
                                                   "1e308",
                                                   "-1e308",
                                                   "nan",
                                                   "inf",
                                                   "-",
                                                   "9223372036854775807",
                                                   "-9223372036854775809",
                                                   "4294967296",
                                                   "0x10",
                                                   "1e-320",
                                                   "\n",
                                                   "\r\n",
                                                   ";",
                                                   " ",
                                                   "\t",
                                                   std::string(1, '\0'),
                                                   "\xff\xfe",
                                                   "{",
                                                   "}",
                                                   "[",
                                                   "]",
                                                   "\"",
                                                   ",",
                                                   ":"};
  std::mt19937_64 random(static_cast<std::uint64_t>(number) * 0x9E3779B97F4A7C15ULL + seed.size());
  std::string text = seed;
  for (std::size_t edits = 1 + below(random, 8); edits > 0; --edits) {
    const std::size_t at = below(random, text.size() + 1);
    const std::size_t length = std::min(text.size() - at, below(random, 64));
    switch (below(random, 7)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(random, 8)));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      case 3:
        text.insert(at, kTokens[below(random, kTokens.size())]);
        break;
      case 4: {  // a whole number of the text becomes another value
        const std::size_t begin = text.find_first_of("0123456789", at);
        if (begin == std::string::npos) break;
        const std::size_t end = std::min(text.find_first_not_of("0123456789.", begin), text.size());
        text.replace(begin, end - begin, kTokens[below(random, 12)]);
        break;
      }
      case 5:
        text.resize(at);
        break;
      default: {  // a line moves to the beginning
        const std::size_t end = text.find('\n', at);
        if (end == std::string::npos) break;
        const std::string line = text.substr(at, end + 1 - at);
        text.erase(at, line.size());
        text.insert(0, line);
      }
    }
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 3 && arguments[0] == "--write") {
    std::cout << changed(read_file(arguments[1]), std::atoi(arguments[2].c_str()));
    return std::cout.flush() ? 0 : 1;
  }
  if (__sanitizer_set_death_callback != nullptr) {
    __sanitizer_set_death_callback(print_input);
    std::signal(SIGABRT, on_signal);
  } else {
    for (const int number : {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGBUS}) std::signal(number, on_signal);
  }
  if (!arguments.empty()) {
    for (const std::string& path : arguments) {
      name_input(path);
      run(read_file(path));
    }
    std::cout << arguments.size() << " inputs\n";
    return 0;
  }

  const std::string program = fs::path(argv[0]).filename().string();
  const std::string format = program.substr(0, program.rfind("_fuzz"));
  const char* source_folder = std::getenv("srcdir");
  const fs::path corpus =
      fs::path(source_folder != nullptr ? source_folder : ".") / "tests" / "fuzz" / "corpus" / format;
  std::vector<fs::path> seeds;
  if (fs::is_directory(corpus)) std::copy(fs::directory_iterator(corpus), {}, std::back_inserter(seeds));
  std::sort(seeds.begin(), seeds.end());
  if (seeds.empty()) {
    std::cerr << "fuzz driver: no seeds in " << corpus << "; set srcdir to the source folder\n";
    return 1;
  }
  const int copies = copies_per_seed();
  for (const fs::path& path : seeds) {
    const std::string seed = read_file(path);
    name_input(path.string());
    run(seed);
    for (int number = 0; number < copies; ++number) {
      name_input(program + " --write " + path.string() + " " + std::to_string(number));
      run(changed(seed, number));
    }
  }
  std::cout << seeds.size() << " seeds, " << seeds.size() * (static_cast<std::size_t>(copies) + 1) << " inputs\n";
  return 0;
}
