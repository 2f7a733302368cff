// A hash of byte strings with a secret of this process.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <random>
#include <string_view>

namespace egonet::input {

// A secret of this process: without it nobody can choose ids that all fall on one slot.
struct HashKey {
    std::uint64_t first, second;
};

inline const HashKey& hash_key() {
    static const HashKey key = [] {
        std::random_device source;
        const auto word = [&] { return std::uint64_t{source()} << 32 | source(); };
        return HashKey{word(), word()};
    }();
    return key;
}

// SipHash-1-3 (Aumasson and Bernstein 2012): one round a word, three at the end.
class SipHash {
public:
    SipHash()
        : v0_(hash_key().first ^ 0x736f6d6570736575ull),
          v1_(hash_key().second ^ 0x646f72616e646f6dull),
          v2_(hash_key().first ^ 0x6c7967656e657261ull),
          v3_(hash_key().second ^ 0x7465646279746573ull) {}

    void add(std::uint64_t word) {
        v3_ ^= word;
        round();
        v0_ ^= word;
    }

    std::uint64_t finish() {
        v2_ ^= 0xff;
        for (int i = 0; i < 3; ++i) round();
        return v0_ ^ v1_ ^ v2_ ^ v3_;
    }

private:
    void round() {
        v0_ += v1_, v2_ += v3_;
        v1_ = std::rotl(v1_, 13) ^ v0_, v3_ = std::rotl(v3_, 16) ^ v2_;
        v0_ = std::rotl(v0_, 32);
        v2_ += v1_, v0_ += v3_;
        v1_ = std::rotl(v1_, 17) ^ v2_, v3_ = std::rotl(v3_, 21) ^ v0_;
        v2_ = std::rotl(v2_, 32);
    }

    std::uint64_t v0_, v1_, v2_, v3_;
};

// The secret hash of a byte string.
inline std::uint64_t hash_of(std::string_view key) {
    SipHash hash;
    std::size_t at = 0;
    // Every whole word before `at` is in the hash.
    for (; at + 8 <= key.size(); at += 8) {
        std::uint64_t word;
        std::memcpy(&word, key.data() + at, 8);
        hash.add(word);
    }
    std::uint64_t rest = std::uint64_t{key.size()} << 56;
    std::memcpy(&rest, key.data() + at, key.size() - at);
    hash.add(rest);
    return hash.finish();
}

}  // namespace egonet::input
