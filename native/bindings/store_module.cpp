// Bindings for graphs larger than memory: numbering of ids in chunks, and triangles of some colors.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bindings/results.hpp"
#include "input/factorize.hpp"
#include "input/name_parts.hpp"
#include "store/check_rows.hpp"
#include "store/checksum.hpp"
#include "store/edge_supports.hpp"
#include "store/place_rows.hpp"
#include "store/range_supports.hpp"

#if defined(_WIN32)
#include <io.h>
#else
#include <unistd.h>
#endif

namespace nb = nanobind;
using namespace nb::literals;
using namespace egonet::bindings;
using namespace egonet::input;

namespace {

using MutableInt32s = Array<std::int32_t>;
using MutableInt64s = Array<std::int64_t>;
using Bytes = Array<const std::uint8_t>;

void check(bool fits) {
    if (!fits) throw std::invalid_argument("the arrays do not fit together");
}

// Whether first ... last are rows of a graph with these pointers, and `entries` their entries.
void check_span(const Int64s& indptr, std::int64_t first, std::int64_t last, std::size_t entries) {
    check(0 <= first && first <= last && last < static_cast<std::int64_t>(indptr.size()));
    check(indptr.data()[last] - indptr.data()[first] == static_cast<std::int64_t>(entries));
    bool rising = true;
    for (std::int64_t v = first; v < last; ++v) rising &= indptr.data()[v] <= indptr.data()[v + 1];
    check(rising);
}

bool are_nodes(const std::int32_t* numbers, std::size_t size, std::size_t num_nodes) {
    std::uint32_t largest = 0;  // a negative number is larger than all others
    for (std::size_t i = 0; i < size; ++i) largest = std::max(largest, static_cast<std::uint32_t>(numbers[i]));
    return size == 0 || largest < num_nodes;
}

bool are_nodes(const Int32s& numbers, std::size_t num_nodes) {
    return are_nodes(numbers.data(), numbers.size(), num_nodes);
}

bool are_pointers_py(Int64s indptr, std::int64_t num_arcs) {
    nb::gil_scoped_release released;
    return indptr.size() > 0 &&
           egonet::are_pointers(indptr.data(), static_cast<std::int64_t>(indptr.size()) - 1, num_arcs);
}

// Integers by first appearance, over all chunks.
class Numbers {
public:
    nb::object number(Int64s values, int threads) {
        std::vector<std::int32_t> codes(values.size());
        {
            nb::gil_scoped_release released;
            egonet::Job job;
            job.threads = threads;
            limit_to_keys(job, std::ssize(codes));
            table_.number(job, values.data(), std::ssize(codes), codes.data());
        }
        return as_array(std::move(codes));
    }
    std::size_t size() const { return table_.size(); }
    nb::object ids() const { return as_array(table_.ids()); }

private:
    NumberTable table_;
};

// Strings in the memory of the caller: string i is bytes[offsets[i]] ... bytes[offsets[i + 1] - 1].
class Strings {
public:
    Strings(const Int64s& offsets, const Bytes& bytes)
        : count_(static_cast<std::int64_t>(offsets.size()) - 1),
          offsets_(offsets.data()),
          bytes_(reinterpret_cast<const char*>(bytes.data())),
          num_bytes_(static_cast<std::int64_t>(bytes.size())) {}

    // Throws unless all strings are within the bytes, and none is too long for a key.
    void check_offsets(egonet::Job& job) const {
        check(count_ >= 0 && offsets_[0] >= 0 && offsets_[count_] <= num_bytes_);
        egonet::for_ranges(job, count_, std::int64_t{1} << 16, [&](std::int64_t first, std::int64_t last) {
            bool valid = true;
            for (std::int64_t i = first; i < last; ++i)
                valid &= static_cast<std::uint64_t>(offsets_[i + 1]) - static_cast<std::uint64_t>(offsets_[i]) <=
                         std::numeric_limits<std::uint32_t>::max();
            check(valid);
        });
    }

    std::int64_t size() const { return count_; }
    Key operator[](std::int64_t i) const {
        return {bytes_ + offsets_[i], static_cast<std::uint32_t>(offsets_[i + 1] - offsets_[i]), 0};
    }

private:
    std::int64_t count_;
    const std::int64_t* offsets_;
    const char* bytes_;
    std::int64_t num_bytes_;
};

// Strings by first appearance, over all chunks.
class Names {
public:
    nb::object number(Int64s offsets, Bytes bytes, int threads) {
        const Strings strings(offsets, bytes);
        return number_all(strings.size(), threads, {&strings, 1}, [&](std::int64_t i) { return strings[i]; });
    }

    // The strings of two columns of equal length in turns: source, target, source ...
    nb::object number_pairs(Int64s offsets, Bytes bytes, Int64s other_offsets, Bytes other_bytes, int threads) {
        check(offsets.size() == other_offsets.size());
        const Strings sides[] = {{offsets, bytes}, {other_offsets, other_bytes}};
        return number_all(2 * sides[0].size(), threads, sides, [&](std::int64_t i) { return sides[i % 2][i / 2]; });
    }
    std::size_t size() const { return table_.size(); }

    // All names in one line, and where each begins.
    nb::tuple parts(int threads) const { return as_parts(table_, threads); }

private:
    template <class MakeKey>
    nb::object number_all(std::int64_t count, int threads, std::span<const Strings> checked, MakeKey make_key) {
        egonet::Buffer<std::int32_t> codes;
        {
            nb::gil_scoped_release released;
            egonet::Job job;
            job.threads = threads;
            limit_to_keys(job, count);
            for (const Strings& strings : checked) strings.check_offsets(job);
            codes = egonet::make_touched_buffer<std::int32_t>(job, count);
            number_keys(job, table_, count, make_key, codes.get());
        }
        return as_array(std::move(codes), count);
    }

    NameTable table_;
};

nb::object edge_supports_py(Int64s indptr, Int32s indices, Int32s colors, std::int32_t a, std::int32_t b,
                            std::int32_t c) {
    check_span(indptr, 0, static_cast<std::int64_t>(indptr.size()) - 1, indices.size());
    check(colors.size() == indptr.size() - 1 && are_nodes(indices, colors.size()));
    std::vector<std::int32_t> supports(indices.size());
    std::array<std::int32_t, 3> triple{a, b, c};
    std::sort(triple.begin(), triple.end());
    {
        nb::gil_scoped_release released;
        const egonet::Graph graph{indptr.data(), indices.data(), static_cast<std::int64_t>(indptr.size()) - 1};
        egonet::edge_supports(graph, colors.data(), triple, supports.data());
    }
    return as_array(std::move(supports));
}

void set_threads(egonet::Job& job, int threads) {
    job.threads = threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    job.watch = egonet::bindings::make_watch(nb::none(), 0);
}

Arcs arcs_of(const std::string& direction) {
    return direction == "out" ? Arcs::out : direction == "in" ? Arcs::in : Arcs::both;
}

// Moves edges that are no loops to the front, adds their arcs to the degrees, and returns how many they are.
std::int64_t count_arcs_py(MutableInt32s pairs, const std::string& direction, MutableInt64s degrees, int threads) {
    egonet::Job job;
    set_threads(job, threads);
    const auto size = static_cast<std::int64_t>(pairs.size() / 2);
    nb::gil_scoped_release released;
    check(are_nodes(pairs.data(), pairs.size(), degrees.size()));
    const std::int64_t kept = drop_loops(pairs.data(), size);
    count_arcs(job, pairs.data(), kept, arcs_of(direction), degrees.data());
    return kept;
}

void place_arcs_py(Int32s pairs, const std::string& direction, std::int64_t first, std::int64_t last,
                   MutableInt64s next, MutableInt32s values, int threads) {
    egonet::Job job;
    set_threads(job, threads);
    check(0 <= first && first <= last && next.size() == static_cast<std::size_t>(last - first));
    nb::gil_scoped_release released;
    check(place_arcs(job, pairs.data(), static_cast<std::int64_t>(pairs.size() / 2), arcs_of(direction), first, last,
                     next.data(), values.data(), values.size()));
}

std::int64_t sort_rows_py(Int64s starts, MutableInt32s values, MutableInt64s lengths, int threads) {
    egonet::Job job;
    set_threads(job, threads);
    check(starts.size() == lengths.size() + 1 && are_pointers_py(starts, static_cast<std::int64_t>(values.size())));
    nb::gil_scoped_release released;
    return sort_rows(job, starts.data(), static_cast<std::int64_t>(lengths.size()), values.data(), lengths.data());
}

std::int64_t keep_higher_py(Int64s indptr, std::int64_t first, std::int64_t last, Int32s indices, MutableInt32s higher,
                            MutableInt64s lengths, int threads) {
    egonet::Job job;
    set_threads(job, threads);
    check_span(indptr, first, last, indices.size());
    check(higher.size() >= indices.size() && lengths.size() == static_cast<std::size_t>(last - first));
    nb::gil_scoped_release released;
    check(are_nodes(indices, indptr.size() - 1));
    return egonet::keep_higher(job, indptr.data(), first, last, indices.data(), higher.data(), lengths.data());
}

void count_triangles_py(Int64s begin, std::int64_t low_first, std::int64_t low_last, Int32s low_higher,
                        MutableInt32s low_support, std::int64_t middle_first, std::int64_t middle_last,
                        Int32s middle_higher, MutableInt32s middle_support, int threads) {
    egonet::Job job;
    set_threads(job, threads);
    const std::size_t num_nodes = begin.size() - 1;
    check_span(begin, low_first, low_last, low_higher.size());
    check_span(begin, middle_first, middle_last, middle_higher.size());
    check(low_support.size() == low_higher.size() && middle_support.size() == middle_higher.size());
    check(are_nodes(low_higher, num_nodes) && are_nodes(middle_higher, num_nodes));
    const egonet::RowRange low{begin.data(), low_first, low_last, low_higher.data(), low_support.data()};
    const egonet::RowRange middle{begin.data(), middle_first, middle_last, middle_higher.data(), middle_support.data()};
    nb::gil_scoped_release released;
    egonet::count_triangles(job, low, middle, static_cast<std::int64_t>(num_nodes));
}

void spread_supports_py(Int64s indptr, std::int64_t first, std::int64_t last, Int32s indices, Int64s begin,
                        std::int64_t low_first, std::int64_t low_last, Int32s higher, MutableInt32s support,
                        MutableInt32s supports, int threads) {
    egonet::Job job;
    set_threads(job, threads);
    check_span(indptr, first, last, indices.size());
    check_span(begin, low_first, low_last, higher.size());
    check(supports.size() == indices.size() && support.size() == higher.size() && indptr.size() == begin.size());
    const egonet::Graph graph{indptr.data(), nullptr, static_cast<std::int64_t>(indptr.size()) - 1};
    const egonet::RowRange range{begin.data(), low_first, low_last, higher.data(), support.data()};
    nb::gil_scoped_release released;
    check(are_nodes(indices, indptr.size() - 1));
    check(egonet::spread_supports(job, graph, first, last, indices.data(), range, supports.data()));
}

nb::object are_rows_py(Int64s indptr, std::int64_t first, std::int64_t last, Int32s indices, std::uint64_t salt,
                       int threads) {
    egonet::Job job;
    set_threads(job, threads);
    check_span(indptr, first, last, indices.size());
    std::uint64_t balance = 0;
    bool fine;
    {
        nb::gil_scoped_release released;
        fine = egonet::are_rows(job, indptr.data(), static_cast<std::int64_t>(indptr.size()) - 1, first, last,
                                indices.data(), salt, balance);
    }
    return fine ? nb::cast(balance) : nb::none();
}

std::int64_t read_some(int descriptor, unsigned char* to, std::size_t size) {
#if defined(_WIN32)
    return ::_read(descriptor, to, static_cast<unsigned>(size));
#else
    return ::read(descriptor, to, size);
#endif
}

// The checksum of the rest of an open file, as 32 hexadecimal digits.
std::string file_checksum(int descriptor, bool portable) {
    constexpr std::size_t capacity = std::size_t{1} << 18;  // stays in the cache of a core
    std::vector<unsigned char> buffer(capacity);
    egonet::Checksum sum;
    int failed = 0;
    {
        nb::gil_scoped_release released;
        // Before every step all bytes but those of the last, short group are added.
        for (std::size_t filled = capacity; filled == capacity && !failed;) {
            filled = 0;
            while (filled < capacity) {
                const std::int64_t found = read_some(descriptor, buffer.data() + filled, capacity - filled);
                if (found < 0 && errno == EINTR) continue;
                if (found < 0) failed = errno;
                if (found <= 0) break;
                filled += static_cast<std::size_t>(found);
            }
            egonet::add_bytes(sum, buffer.data(), filled, portable);
        }
    }
    if (failed) {
        errno = failed;
        PyErr_SetFromErrno(PyExc_OSError);
        throw nb::python_error();
    }
    std::string text;
    for (const std::uint32_t chain : sum.value())
        for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[chain >> shift & 15];
    return text;
}

}  // namespace

void bind_store(nb::module_& module) {
    module.def("count_arcs", &count_arcs_py, "pairs"_a.noconvert(), "direction"_a, "degrees"_a.noconvert(),
               "threads"_a);
    module.def("place_arcs", &place_arcs_py, "pairs"_a.noconvert(), "direction"_a, "first"_a, "last"_a,
               "next"_a.noconvert(), "values"_a.noconvert(), "threads"_a);
    module.def("sort_rows", &sort_rows_py, "starts"_a.noconvert(), "values"_a.noconvert(), "lengths"_a.noconvert(),
               "threads"_a);
    module.def("keep_higher", &keep_higher_py, "indptr"_a.noconvert(), "first"_a, "last"_a, "indices"_a.noconvert(),
               "higher"_a.noconvert(), "lengths"_a.noconvert(), "threads"_a);
    module.def("count_triangles", &count_triangles_py, "begin"_a.noconvert(), "low_first"_a, "low_last"_a,
               "low_higher"_a.noconvert(), "low_support"_a.noconvert(), "middle_first"_a, "middle_last"_a,
               "middle_higher"_a.noconvert(), "middle_support"_a.noconvert(), "threads"_a);
    module.def("spread_supports", &spread_supports_py, "indptr"_a.noconvert(), "first"_a, "last"_a,
               "indices"_a.noconvert(), "begin"_a.noconvert(), "low_first"_a, "low_last"_a, "higher"_a.noconvert(),
               "support"_a.noconvert(), "supports"_a.noconvert(), "threads"_a);
    module.def("edge_supports", &edge_supports_py, "indptr"_a.noconvert(), "indices"_a.noconvert(),
               "colors"_a.noconvert(), "a"_a, "b"_a, "c"_a);
    module.def("are_pointers", &are_pointers_py, "indptr"_a.noconvert(), "num_arcs"_a);
    module.def("are_rows", &are_rows_py, "indptr"_a.noconvert(), "first"_a, "last"_a, "indices"_a.noconvert(), "salt"_a,
               "threads"_a);
    module.def("file_checksum", &file_checksum, "descriptor"_a, "portable"_a = false);
    nb::class_<Numbers>(module, "Numbers")
        .def(nb::init<>())
        .def("number", &Numbers::number, "values"_a.noconvert(), "threads"_a = 1)
        .def("__len__", &Numbers::size)
        .def("ids", &Numbers::ids);
    nb::class_<Names>(module, "Names")
        .def(nb::init<>())
        .def("number", &Names::number, "offsets"_a.noconvert(), "bytes"_a.noconvert(), "threads"_a = 1)
        .def("number_pairs", &Names::number_pairs, "offsets"_a.noconvert(), "bytes"_a.noconvert(),
             "other_offsets"_a.noconvert(), "other_bytes"_a.noconvert(), "threads"_a = 1)
        .def("__len__", &Names::size)
        .def("parts", &Names::parts, "threads"_a = 1);
}
