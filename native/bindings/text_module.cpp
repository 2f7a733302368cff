// Python bindings of the input side: text to ids, ids to numbers, arcs to compressed rows.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "input/compress.hpp"
#include "input/factorize.hpp"
#include "input/name_parts.hpp"
#include "input/text.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace egonet::bindings;
using namespace egonet::input;

namespace {

using Chars = Array<const std::uint8_t, nb::ndim<1>>;
using ByteRows = Array<const std::uint8_t, nb::ndim<2>>;

// The ends of arcs may be every second number of an array.
template <class Int>
using Ends = nb::ndarray<const Int, nb::ndim<1>, nb::device::cpu>;

// Lists one after another as one array; each is freed once it is copied.
template <class T>
nb::object join_lists(std::vector<std::vector<T>> lists, int threads) {
    std::vector<std::int64_t> begin{0};
    for (const std::vector<T>& list : lists) begin.push_back(begin.back() + std::ssize(list));
    egonet::Buffer<T> joined;
    {
        nb::gil_scoped_release released;
        egonet::Job job;
        job.threads = threads;
        job.limit_threads(static_cast<double>(begin.back()));
        joined = egonet::make_buffer<T>(begin.back());
        egonet::for_ranges(job, std::ssize(lists), 1, [&](std::int64_t i, std::int64_t) {
            std::copy(lists[i].begin(), lists[i].end(), joined.get() + begin[i]);
            lists[i] = {};
        });
    }
    return as_array(std::move(joined), begin.back());
}

// Calls number(job, codes) and returns the codes and what it returns.
template <class Number>
nb::tuple with_codes(std::int64_t count, int threads, Number number) {
    egonet::Buffer<std::int32_t> codes = egonet::make_buffer<std::int32_t>(count);
    std::vector<std::int64_t> found;
    {
        nb::gil_scoped_release released;
        egonet::Job job;
        job.threads = threads;
        found = number(job, codes.get());
    }
    return nb::make_tuple(as_array(std::move(codes), count), as_array(std::move(found)));
}

nb::tuple number_values_py(Int64s values, int threads) {
    const auto count = static_cast<std::int64_t>(values.size());
    return with_codes(count, threads, [&](egonet::Job& job, std::int32_t* codes) {
        return number_values(job, values.data(), count, codes);
    });
}

nb::tuple number_rows_py(ByteRows rows, int threads) {
    const auto count = static_cast<std::int64_t>(rows.shape(0)), width = static_cast<std::int64_t>(rows.shape(1));
    return with_codes(count, threads, [&](egonet::Job& job, std::int32_t* codes) {
        return number_rows(job, reinterpret_cast<const char*>(rows.data()), count, width, codes);
    });
}

// The same for a list of str; None if one of them has no UTF-8 form (a lone surrogate).
nb::object number_strings_py(const nb::list& strings, int threads) {
    std::vector<Key> keys;
    std::vector<nb::object> kept;  // another thread may change the list
    keys.reserve(strings.size());
    kept.reserve(strings.size());
    for (const nb::handle string : strings) {
        Py_ssize_t size = 0;
        const char* text = PyUnicode_AsUTF8AndSize(string.ptr(), &size);
        if (text == nullptr || size > std::numeric_limits<std::uint32_t>::max()) {
            PyErr_Clear();
            return nb::none();
        }
        keys.push_back({text, static_cast<std::uint32_t>(size), 0});
        kept.push_back(nb::borrow(string));
    }
    return with_codes(std::ssize(keys), threads, [&](egonet::Job& job, std::int32_t* codes) {
        NameTable table;
        limit_to_keys(job, std::ssize(keys));
        number_keys(job, table, std::ssize(keys), [&](std::int64_t i) { return keys[i]; }, codes);
        return first_positions(codes, std::ssize(keys));
    });
}

// returns  first[0], second[0], first[1], second[1] ...
nb::object interleave(Int64s first, Int64s second, int threads) {
    if (first.size() != second.size()) throw std::invalid_argument("both arrays must have the same length");
    const auto count = static_cast<std::int64_t>(first.size());
    egonet::Buffer<std::int64_t> both;
    {
        nb::gil_scoped_release released;
        egonet::Job job;
        job.threads = threads;
        job.limit_threads(4.0 * static_cast<double>(count));
        both = egonet::make_touched_buffer<std::int64_t>(job, 2 * count);
        egonet::for_ranges(job, count, std::int64_t{1} << 16, [&](std::int64_t from, std::int64_t to) {
            for (std::int64_t i = from; i < to; ++i) {
                both[2 * i] = first.data()[i];
                both[2 * i + 1] = second.data()[i];
            }
        });
    }
    return as_array(std::move(both), 2 * count);
}

// returns  indptr, indices and the number of loops; None if an end is not a node
template <class Int>
nb::object compress_py(Ends<Int> rows, Ends<Int> columns, std::int64_t num_nodes, bool mirrored, int threads) {
    if (rows.size() != columns.size()) throw std::invalid_argument("both ends must have the same length");
    const ArcEnds<Int> ends{rows.data(), columns.data(), rows.stride(0), columns.stride(0),
                            static_cast<std::int64_t>(rows.size())};
    CompressedRows out;
    {
        nb::gil_scoped_release released;
        egonet::Job job;
        job.threads = threads;
        out = compress(job, ends, num_nodes, mirrored);
    }
    if (!out.valid) return nb::none();
    return nb::make_tuple(as_array(std::move(out.indptr), num_nodes + 1),
                          as_array(std::move(out.indices), out.num_arcs), out.num_loops);
}

TextFormat make_format(const std::string& delimiter, const std::string& comment, const std::string& doubtful) {
    TextFormat format;
    format.delimiter = delimiter.empty() ? '\0' : delimiter[0];
    format.comment = comment;
    format.doubtful = doubtful;
    return format;
}

std::string_view view(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

nb::bytes as_bytes(std::string_view text) { return nb::bytes(text.data(), text.size()); }

const char* fault_name(Fault fault) {
    switch (fault) {
        case Fault::none: return "";
        case Fault::few_fields: return "few_fields";
        case Fault::field_count: return "field_count";
        case Fault::missing_id: return "missing_id";
        case Fault::not_whole: return "not_whole";
        case Fault::float_id: return "float_id";
        case Fault::open_quote: return "open_quote";
        case Fault::after_quote: return "after_quote";
        case Fault::header: return "header";
        case Fault::long_line: return "long_line";
        case Fault::doubtful: return "doubtful";
        case Fault::nul: return "nul";
    }
    return "";
}

bool feed(EdgeText& text, std::string_view chunk, bool last, int threads, std::int64_t least_part) {
    nb::gil_scoped_release released;
    egonet::Job job;
    job.threads = threads;
    return text.feed(job, chunk, last, least_part);
}

// (kind, line, the line's first bytes), kind empty if all is well.
nb::tuple fault_of(const RecordScanner& scanner) {
    return nb::make_tuple(fault_name(scanner.fault), scanner.fault_line, as_bytes(scanner.fault_text));
}

// The fields of the first records of `bytes`, and the fault that ended the search.
nb::tuple first_records(const nb::bytes& bytes, std::size_t count, bool last, const std::string& delimiter,
                        const std::string& comment, const std::string& doubtful) {
    RecordScanner scanner(make_format(delimiter, comment, doubtful));
    const std::string_view text = view(bytes);
    const char* cursor = text.data();
    nb::list records;
    while (records.size() < count && scanner.next(cursor, text.data() + text.size(), last)) {
        nb::list fields;
        for (const Field& field : scanner.fields)
            fields.append(nb::steal(
                PyUnicode_DecodeUTF8(field.text.data(), static_cast<Py_ssize_t>(field.text.size()), "replace")));
        records.append(fields);
    }
    return nb::make_tuple(records, fault_of(scanner));
}

// Name → str in order of first appearance; a tuple (line, bytes) instead if one is not UTF-8.
nb::object names_of(const EdgeText& text) {
    nb::list names;
    for (std::size_t code = 0; code < text.names().size(); ++code) {
        const std::string_view name = text.names()[code];
        nb::object decoded =
            nb::steal(PyUnicode_DecodeUTF8(name.data(), static_cast<Py_ssize_t>(name.size()), "strict"));
        if (!decoded.is_valid()) {
            PyErr_Clear();
            return nb::make_tuple(text.names().line(code), as_bytes(name));
        }
        names.append(decoded);
    }
    return names;
}

// All names in one line, and where each begins.
nb::tuple name_parts(const EdgeText& text, int threads) { return as_parts(text.names(), threads); }

// returns  one row of code points per name, zeros at the end; None if the names do not suit such an array
nb::object fixed_width_py(Int64s offsets, Chars bytes, int threads) {
    const auto count = static_cast<std::int64_t>(offsets.size()) - 1;
    const std::int64_t* at = offsets.data();
    bool valid = count >= 0 && at[0] >= 0 && at[count] <= static_cast<std::int64_t>(bytes.size());
    for (std::int64_t i = 0; valid && i < count; ++i) valid = at[i] <= at[i + 1];
    if (!valid) throw std::invalid_argument("offsets must be non-decreasing and within the bytes");
    std::optional<FixedWidth> found;
    {
        nb::gil_scoped_release released;
        egonet::Job job;
        job.threads = threads;
        if (count) found = fixed_width(job, at, bytes.data(), count);
    }
    if (!found) return nb::none();
    return as_array(std::move(found->points), count, found->width);
}

// Writes values, or with `which` those at these positions, to `out`, which may be every second number of an array.
template <class Int>
void put_values(Array<const Int> values, std::optional<Int32s> which,
                nb::ndarray<std::int64_t, nb::ndim<1>, nb::device::cpu> out, int threads) {
    const auto count = static_cast<std::int64_t>(which ? which->size() : values.size());
    const auto size = static_cast<std::int64_t>(values.size());
    if (static_cast<std::int64_t>(out.size()) != count) throw std::invalid_argument("out must have a place per value");
    std::atomic<bool> valid{true};
    {
        nb::gil_scoped_release released;
        egonet::Job job;
        job.threads = threads;
        job.limit_threads(4.0 * static_cast<double>(count));
        egonet::for_ranges(job, count, std::int64_t{1} << 15, [&](std::int64_t from, std::int64_t to) {
            for (std::int64_t i = from; i < to; ++i) {
                const std::int64_t position = which ? which->data()[i] : i;
                if (position < 0 || position >= size) {
                    valid = false;
                    return;
                }
                out.data()[i * out.stride(0)] = values.data()[position];
            }
        });
    }
    if (!valid) throw std::invalid_argument("which must be positions of values");
}

}  // namespace

void bind_text(nb::module_& module) {
    module.def("number_values", &number_values_py, "values"_a.noconvert(), "threads"_a);
    module.def("number_rows", &number_rows_py, "rows"_a.noconvert(), "threads"_a);
    module.def("number_strings", &number_strings_py, "strings"_a, "threads"_a);
    module.def("interleave", &interleave, "first"_a.noconvert(), "second"_a.noconvert(), "threads"_a);
    module.def("fixed_width", &fixed_width_py, "offsets"_a.noconvert(), "bytes"_a.noconvert(), "threads"_a);
    module.def("put_values", &put_values<std::int32_t>, "values"_a.noconvert(), "which"_a.noconvert().none(),
               "out"_a.noconvert(), "threads"_a);
    module.def("put_values", &put_values<std::int64_t>, "values"_a.noconvert(), "which"_a.noconvert().none(),
               "out"_a.noconvert(), "threads"_a);
    module.def("compress", &compress_py<std::int32_t>, "rows"_a.noconvert(), "columns"_a.noconvert(), "num_nodes"_a,
               "mirrored"_a, "threads"_a);
    module.def("compress", &compress_py<std::int64_t>, "rows"_a.noconvert(), "columns"_a.noconvert(), "num_nodes"_a,
               "mirrored"_a, "threads"_a);
    module.def("first_records", &first_records, "bytes"_a, "count"_a, "last"_a, "delimiter"_a, "comment"_a,
               "doubtful"_a);
    nb::class_<EdgeText>(module, "EdgeText")
        .def(
            "__init__",
            [](EdgeText* self, const std::string& delimiter, const std::string& comment, const std::string& doubtful,
               std::size_t source, std::size_t target, std::size_t num_fields, std::size_t skip,
               const std::string& header_source, const std::string& header_target) {
                TextFormat format = make_format(delimiter, comment, doubtful);
                format.source = source;
                format.target = target;
                format.num_fields = num_fields;
                format.skip = skip;
                format.header_source = header_source;
                format.header_target = header_target;
                new (self) EdgeText(format);
            },
            "delimiter"_a, "comment"_a, "doubtful"_a, "source"_a, "target"_a, "num_fields"_a, "skip"_a,
            "header_source"_a = "", "header_target"_a = "")
        .def(
            "feed",
            [](EdgeText& self, const nb::bytes& chunk, bool last, int threads, std::int64_t least_part) {
                return feed(self, view(chunk), last, threads, least_part);
            },
            "chunk"_a, "last"_a, "threads"_a = 1, "least_part"_a = std::int64_t{1} << 18)
        .def(
            "feed",
            [](EdgeText& self, Chars chunk, bool last, int threads, std::int64_t least_part) {
                if (!chunk.size() || chunk.data()[chunk.size() - 1])
                    throw std::invalid_argument("the last byte must be a NUL");
                const auto* text = reinterpret_cast<const char*>(chunk.data());
                return feed(self, {text, chunk.size() - 1}, last, threads, least_part);
            },
            "chunk"_a.noconvert(), "last"_a, "threads"_a = 1, "least_part"_a = std::int64_t{1} << 18)
        .def_prop_ro("fault", [](const EdgeText& self) { return fault_of(self.records().scanner); })
        .def_prop_ro("num_found", [](const EdgeText& self) { return self.records().num_found; })
        .def_prop_ro("num_lines", [](const EdgeText& self) { return self.records().scanner.line; })
        .def_prop_ro("is_whole", [](const EdgeText& self) { return self.records().whole; })
        .def_prop_ro("is_numeric", [](const EdgeText& self) { return !self.records().has_text; })
        .def_prop_ro("has_extra", [](const EdgeText& self) { return self.records().has_extra; })
        .def_prop_ro("num_trimmed", [](const EdgeText& self) { return self.records().num_trimmed; })
        .def_prop_ro("trimmed_line", [](const EdgeText& self) { return self.records().trimmed_line; })
        .def(
            "take_values", [](EdgeText& self, int threads) { return join_lists(self.take_values(), threads); },
            "threads"_a = 1)
        .def(
            "take_codes", [](EdgeText& self, int threads) { return join_lists(self.take_codes(), threads); },
            "threads"_a = 1)
        .def("expect_names", &EdgeText::expect_names)
        .def("name_parts", &name_parts, "threads"_a = 1)
        .def("names", &names_of);
}
