// Runs a fuzz target without a fuzzer: every file of the corpus, and mutations of each.
//
//   fuzz_NAME_replay CORPUS_FOLDER [MUTATIONS_PER_FILE]
//
// Deterministic: byte changes, cuts, doublings and splices from a fixed seed, so that every run of the tests is the same.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr unsigned kSeed = 20240607;
constexpr std::size_t kLongest = 1 << 16;

void Try(const std::string& text) { LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()); }

std::string Mutate(std::string text, const std::string& other, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
    const std::size_t at = below(text.size() + 1), length = below(std::min<std::size_t>(text.size() - std::min(at, text.size()), 64) + 1);
    switch (random() % 6) {
      case 0: if (at < text.size()) text[at] = static_cast<char>(random()); break;
      case 1: if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << (random() % 8))); break;
      case 2: text.erase(at, length); break;
      case 3: text.insert(at, text.substr(std::min(at, text.size()), length)); break;
      case 4: text.insert(at, other.substr(below(other.size()), below(64))); break;
      case 5: text.insert(at, 1, static_cast<char>(random())); break;
    }
  }
  return text.substr(0, kLongest);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: %s CORPUS_FOLDER [MUTATIONS_PER_FILE]\n", argv[0]), 5;
  const int mutations = argc > 2 ? std::atoi(argv[2]) : 0;
  std::vector<std::filesystem::path> files;
  for (const auto& file : std::filesystem::directory_iterator(argv[1])) files.push_back(file.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (const auto& file : files) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    texts.push_back(text.str());
  }
  if (texts.empty()) return std::fprintf(stderr, "%s: no files\n", argv[1]), 2;
  std::mt19937 random(kSeed);
  for (const std::string& text : texts) Try(text);
  for (const std::string& text : texts)
    for (int i = 0; i < mutations; ++i) Try(Mutate(text, texts[random() % texts.size()], random));
  std::printf("%zu files, %d mutations each, seed %u: held\n", texts.size(), mutations, kSeed);
  return 0;
}
