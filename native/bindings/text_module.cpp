// The Python face of the input side: text to ids, ids to numbers, arcs to compressed rows.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "input/compress.hpp"
#include "input/factorize.hpp"
#include "input/text.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace egonet::bindings;
using namespace egonet::input;

namespace {

using ByteRows = Array<const std::uint8_t, nb::ndim<2>>;

nb::tuple number_values_py(Int64s values) {
    std::vector<std::int32_t> codes(values.size());
    std::vector<std::int64_t> ids;
    {
        nb::gil_scoped_release released;
        ids = number_values(values.data(), values.size(), codes.data());
    }
    return nb::make_tuple(as_array(std::move(codes)), as_array(std::move(ids)));
}

nb::tuple number_rows_py(ByteRows rows) {
    std::vector<std::int32_t> codes(rows.shape(0));
    std::vector<std::int64_t> first;
    {
        nb::gil_scoped_release released;
        first = number_rows(reinterpret_cast<const char*>(rows.data()), rows.shape(0), rows.shape(1), codes.data());
    }
    return nb::make_tuple(as_array(std::move(codes)), as_array(std::move(first)));
}

// The same for a list of str; None if one of them has no UTF-8 form (a lone surrogate).
nb::object number_strings_py(const nb::list& strings) {
    const std::size_t count = strings.size();
    std::vector<std::int32_t> codes(count);
    std::vector<std::int64_t> first;
    ByteTable table;
    std::string_view keys[ByteTable::kBatch];
    for (std::size_t done = 0; done < count; done += ByteTable::kBatch) {
        const std::size_t some = std::min(ByteTable::kBatch, count - done);
        for (std::size_t i = 0; i < some; ++i) {
            Py_ssize_t size = 0;
            const char* text = PyUnicode_AsUTF8AndSize(nb::object(strings[done + i]).ptr(), &size);
            if (text == nullptr) {
                PyErr_Clear();
                return nb::none();
            }
            keys[i] = {text, static_cast<std::size_t>(size)};
        }
        number_some(table, keys, some, done, codes.data(), first);
    }
    return nb::make_tuple(as_array(std::move(codes)), as_array(std::move(first)));
}

nb::tuple compress_py(Int32s rows, Int32s columns, std::size_t num_nodes, bool mirrored) {
    CompressedRows out;
    {
        nb::gil_scoped_release released;
        out = compress(rows.data(), columns.data(), rows.size(), num_nodes, mirrored);
    }
    return nb::make_tuple(as_array(std::move(out.indptr)), as_array(std::move(out.indices)));
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
        case Fault::open_quote: return "open_quote";
        case Fault::after_quote: return "after_quote";
        case Fault::long_line: return "long_line";
        case Fault::doubtful: return "doubtful";
        case Fault::nul: return "nul";
    }
    return "";
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
        for (const Field& field : scanner.fields) fields.append(as_bytes(field.text));
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
            return nb::make_tuple(text.name_lines()[code], as_bytes(name));
        }
        names.append(decoded);
    }
    return names;
}

// All names in one line, and where each begins.
nb::tuple name_parts(const EdgeText& text) {
    std::vector<std::int64_t> offsets{0};
    std::vector<std::uint8_t> bytes;
    for (std::size_t code = 0; code < text.names().size(); ++code) {
        const std::string_view name = text.names()[code];
        bytes.insert(bytes.end(), name.begin(), name.end());
        offsets.push_back(static_cast<std::int64_t>(bytes.size()));
    }
    return nb::make_tuple(as_array(std::move(offsets)), as_array(std::move(bytes)));
}

}  // namespace

void bind_text(nb::module_& module) {
    module.def("number_values", &number_values_py, "values"_a.noconvert());
    module.def("number_rows", &number_rows_py, "rows"_a.noconvert());
    module.def("number_strings", &number_strings_py, "strings"_a);
    module.def("compress", &compress_py, "rows"_a.noconvert(), "columns"_a.noconvert(), "num_nodes"_a, "mirrored"_a);
    module.def("first_records", &first_records, "bytes"_a, "count"_a, "last"_a, "delimiter"_a, "comment"_a,
               "doubtful"_a);
    nb::class_<EdgeText>(module, "EdgeText")
        .def(
            "__init__",
            [](EdgeText* self, const std::string& delimiter, const std::string& comment, const std::string& doubtful,
               std::size_t source, std::size_t target, std::size_t num_fields, std::size_t skip) {
                TextFormat format = make_format(delimiter, comment, doubtful);
                format.source = source;
                format.target = target;
                format.num_fields = num_fields;
                format.skip = skip;
                new (self) EdgeText(format);
            },
            "delimiter"_a, "comment"_a, "doubtful"_a, "source"_a, "target"_a, "num_fields"_a, "skip"_a)
        .def(
            "feed",
            [](EdgeText& self, const nb::bytes& chunk, bool last) {
                const std::string_view text = view(chunk);
                nb::gil_scoped_release released;
                return self.feed(text, last);
            },
            "chunk"_a, "last"_a)
        .def_prop_ro("fault", [](const EdgeText& self) { return fault_of(self.scanner); })
        .def_prop_ro("num_found", [](const EdgeText& self) { return self.num_found; })
        .def_prop_ro("num_lines", [](const EdgeText& self) { return self.scanner.line; })
        .def_prop_ro("is_whole", &EdgeText::is_whole)
        .def_prop_ro("is_numeric", &EdgeText::is_numeric)
        .def_prop_ro("has_extra", &EdgeText::has_extra)
        .def_prop_ro("num_trimmed", &EdgeText::num_trimmed)
        .def_prop_ro("trimmed_line", &EdgeText::trimmed_line)
        .def("take_values", [](EdgeText& self) { return as_array(self.take_values()); })
        .def("take_codes", [](EdgeText& self) { return as_array(self.take_codes()); })
        .def("expect_names", &EdgeText::expect_names)
        .def("name_parts", &name_parts)
        .def("names", &names_of);
}
