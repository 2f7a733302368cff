// The Python face of what graphs larger than memory need: numbering piece by piece, and triangles of some colours.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "store/edge_supports.hpp"
#include "input/factorize.hpp"
#include "store/place_rows.hpp"
#include "store/stretch_supports.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace egonet::input;

namespace {

using Int32s = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Int64s = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using MutableInt32s = nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using MutableInt64s = nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
nb::object as_array(std::vector<T> values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

// Whole numbers by first appearance, over all pieces.
class Numbers {
  public:
    Numbers() : table_(ids_) {}

    nb::object number(Int64s values) {
        std::vector<std::int32_t> codes(values.size());
        {
            nb::gil_scoped_release released;
            for (std::size_t i = 0; i < values.size(); ++i) codes[i] = table_.number(values.data()[i]);
        }
        return as_array(std::move(codes));
    }
    std::size_t size() const { return ids_.size(); }
    nb::object ids() const { return as_array(ids_); }

  private:
    std::vector<std::int64_t> ids_;
    NumberTable table_;
};

// Strings by first appearance, over all pieces; piece i is bytes[offsets[i]] ... bytes[offsets[i + 1] - 1].
class Names {
  public:
    nb::object number(Int64s offsets, Bytes bytes) {
        const std::size_t count = offsets.size() - 1;
        std::vector<std::int32_t> codes(count);
        {
            nb::gil_scoped_release released;
            const auto* data = reinterpret_cast<const char*>(bytes.data());
            const std::int64_t* at = offsets.data();
            for (std::size_t i = 0; i < count; ++i)
                codes[i] = table_.number({data + at[i], static_cast<std::size_t>(at[i + 1] - at[i])});
        }
        return as_array(std::move(codes));
    }
    std::size_t size() const { return table_.size(); }

    // All names in one line, and where each begins.
    nb::tuple parts() const {
        std::vector<std::int64_t> offsets{0};
        std::vector<std::uint8_t> bytes;
        for (std::size_t code = 0; code < table_.size(); ++code) {
            const std::string_view name = table_[code];
            bytes.insert(bytes.end(), name.begin(), name.end());
            offsets.push_back(static_cast<std::int64_t>(bytes.size()));
        }
        return nb::make_tuple(as_array(std::move(offsets)), as_array(std::move(bytes)));
    }

  private:
    ByteTable table_;
};

nb::object edge_supports_py(Int64s indptr, Int32s indices, Int32s colours, std::int32_t a, std::int32_t b,
                            std::int32_t c) {
    std::vector<std::int32_t> supports(indices.size());
    std::array<std::int32_t, 3> wanted{a, b, c};
    std::sort(wanted.begin(), wanted.end());
    {
        nb::gil_scoped_release released;
        const egonet::Graph graph{indptr.data(), indices.data(), static_cast<std::int64_t>(indptr.size()) - 1};
        egonet::edge_supports(graph, colours.data(), wanted, supports.data());
    }
    return as_array(std::move(supports));
}

void set_threads(egonet::Job& job, int threads) {
    job.threads = threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    job.watch = [](std::int64_t) {
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
    };
}

void place_arcs_py(Int32s pairs, const std::string& direction, std::int64_t first, std::int64_t last, MutableInt64s next,
                   MutableInt32s values) {
    const Arcs arcs = direction == "out" ? Arcs::out : direction == "in" ? Arcs::in : Arcs::both;
    nb::gil_scoped_release released;
    place_arcs(pairs.data(), pairs.size() / 2, arcs, first, last, next.data(), values.data());
}

std::int64_t sort_rows_py(Int64s starts, MutableInt32s values, MutableInt64s lengths, int threads) {
    egonet::Job job;
    set_threads(job, threads);
    nb::gil_scoped_release released;
    return sort_rows(job, starts.data(), static_cast<std::int64_t>(lengths.size()), values.data(), lengths.data());
}

std::int64_t keep_higher_py(Int64s indptr, std::int64_t first, std::int64_t last, Int32s indices, MutableInt32s higher,
                            MutableInt64s lengths) {
    nb::gil_scoped_release released;
    return egonet::keep_higher(indptr.data(), first, last, indices.data(), higher.data(), lengths.data());
}

void count_triangles_py(Int64s begin, std::int64_t low_first, std::int64_t low_last, Int32s low_higher,
                        MutableInt32s low_support, std::int64_t middle_first, std::int64_t middle_last,
                        Int32s middle_higher, MutableInt32s middle_support, int threads) {
    egonet::Job job;
    set_threads(job, threads);
    const egonet::Stretch low{begin.data(), low_first, low_last, low_higher.data(), low_support.data()};
    const egonet::Stretch middle{begin.data(), middle_first, middle_last, middle_higher.data(), middle_support.data()};
    nb::gil_scoped_release released;
    egonet::count_triangles(job, low, middle, static_cast<std::int64_t>(begin.size()) - 1);
}

void spread_supports_py(Int64s indptr, std::int64_t first, std::int64_t last, Int32s indices, MutableInt64s next,
                        Int64s begin, std::int64_t low_first, std::int64_t low_last, Int32s higher,
                        MutableInt32s support, MutableInt32s supports) {
    const egonet::Graph graph{indptr.data(), nullptr, static_cast<std::int64_t>(indptr.size()) - 1};
    const egonet::Stretch stretch{begin.data(), low_first, low_last, higher.data(), support.data()};
    nb::gil_scoped_release released;
    egonet::spread_supports(graph, first, last, indices.data(), next.data(), stretch, supports.data());
}

}  // namespace

void bind_store(nb::module_& module) {
    module.def("place_arcs", &place_arcs_py, "pairs"_a.noconvert(), "direction"_a, "first"_a, "last"_a,
               "next"_a.noconvert(), "values"_a.noconvert());
    module.def("sort_rows", &sort_rows_py, "starts"_a.noconvert(), "values"_a.noconvert(), "lengths"_a.noconvert(),
               "threads"_a);
    module.def("keep_higher", &keep_higher_py, "indptr"_a.noconvert(), "first"_a, "last"_a, "indices"_a.noconvert(),
               "higher"_a.noconvert(), "lengths"_a.noconvert());
    module.def("count_triangles", &count_triangles_py, "begin"_a.noconvert(), "low_first"_a, "low_last"_a,
               "low_higher"_a.noconvert(), "low_support"_a.noconvert(), "middle_first"_a, "middle_last"_a,
               "middle_higher"_a.noconvert(), "middle_support"_a.noconvert(), "threads"_a);
    module.def("spread_supports", &spread_supports_py, "indptr"_a.noconvert(), "first"_a, "last"_a,
               "indices"_a.noconvert(), "next"_a.noconvert(), "begin"_a.noconvert(), "low_first"_a, "low_last"_a,
               "higher"_a.noconvert(), "support"_a.noconvert(), "supports"_a.noconvert());
    module.def("edge_supports", &edge_supports_py, "indptr"_a.noconvert(), "indices"_a.noconvert(),
               "colours"_a.noconvert(), "a"_a, "b"_a, "c"_a);
    nb::class_<Numbers>(module, "Numbers")
        .def(nb::init<>())
        .def("number", &Numbers::number, "values"_a.noconvert())
        .def("__len__", &Numbers::size)
        .def("ids", &Numbers::ids);
    nb::class_<Names>(module, "Names")
        .def(nb::init<>())
        .def("number", &Names::number, "offsets"_a.noconvert(), "bytes"_a.noconvert())
        .def("__len__", &Names::size)
        .def("parts", &Names::parts);
}
