// Python bindings of molecules and of hashed rows: arrays in, arrays out.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/results.hpp"
#include "columns/row_hashes.hpp"
#include "molecules/bond_list.hpp"
#include "smiles/atom_codes.hpp"
#include "smiles/parser.hpp"
#include "wl/subtree_hashes.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace egonet::bindings;

namespace {

using Hashes = Array<const std::uint64_t>;
using Matrix = Array<const double, nb::ndim<2>>;
using egonet::molecules::BondList;

nb::object row_hashes(Int64s indptr, Int32s columns, Int32s counts, Hashes hash_of, Int32s block_of,
                      std::int64_t num_blocks, int threads) {
    const auto num_rows = static_cast<std::int64_t>(indptr.size()) - 1;
    auto hashes = egonet::make_buffer<std::uint64_t>(num_rows * num_blocks);
    {
        nb::gil_scoped_release released;
        egonet::Job job;
        job.threads = threads;
        job.limit_threads(10.0 * static_cast<double>(columns.size()));
        egonet::row_hashes(job, indptr.data(), columns.data(), counts.data(), num_rows, hash_of.data(), block_of.data(),
                           num_blocks, hashes.get());
    }
    return as_array(std::move(hashes), num_rows, num_blocks);
}

nb::tuple count_columns(Array<const std::int32_t, nb::ndim<2>> columns, Int64s graph_ptr) {
    egonet::ColumnCounts found;
    {
        nb::gil_scoped_release released;
        found = egonet::count_columns(columns.data(), static_cast<std::int64_t>(columns.shape(1)), graph_ptr.data(),
                                      static_cast<std::int64_t>(graph_ptr.size()) - 1);
    }
    return nb::make_tuple(as_array(std::move(found.indptr)), as_array(std::move(found.columns)),
                          as_array(std::move(found.counts)));
}

nb::object subtree_hashes(Int64s indptr, Int32s indices, Hashes start, std::int64_t num_rounds, int threads) {
    const egonet::Graph graph = graph_of(indptr, indices);
    auto colors = egonet::make_buffer<std::uint64_t>((num_rounds + 1) * graph.num_nodes);
    {
        nb::gil_scoped_release released;
        std::copy_n(start.data(), graph.num_nodes, colors.get());
        egonet::Job job;
        job.threads = threads;
        job.limit_threads(4.0 * static_cast<double>(indices.size()) * static_cast<double>(num_rounds));
        egonet::subtree_hashes(job, graph, num_rounds, colors.get());
    }
    return as_array(std::move(colors), num_rounds + 1, graph.num_nodes);
}

void add_bonds(BondList& list, std::int64_t num_atoms, const std::vector<std::tuple<int, int, int>>& bonds) {
    for (const auto& [first, second, kind] : bonds) list.add(first, second, kind);
    list.num_atoms += num_atoms;
}

// Reads SMILES; codes of atoms are kept until they are taken.
struct SmilesReader {
    explicit SmilesReader(int codes) : kind(static_cast<egonet::smiles::Codes>(codes)) {}

    // Adds up to `most` molecules, the texts from `first` on, until one is not known; other threads may run meanwhile.
    // Returns the numbers of atoms of those that were added.
    nb::object add_texts(BondList& list, nb::list texts, std::size_t first, std::size_t most) {
        std::vector<std::string_view> views;
        const std::size_t end = std::min(texts.size(), first + most);
        for (std::size_t i = first; i < end; ++i) {
            Py_ssize_t size = 0;
            const char* text = PyUnicode_AsUTF8AndSize(texts[i].ptr(), &size);
            if (text == nullptr) {  // half of a surrogate pair: not known
                PyErr_Clear();
                break;
            }
            views.emplace_back(text, static_cast<std::size_t>(size));
        }
        std::vector<std::int64_t> sizes;
        {
            nb::gil_scoped_release released;
            for (const std::string_view view : views) {
                const std::int64_t size = add(list, view);
                if (size < 0) break;
                sizes.push_back(size);
            }
        }
        return as_array(std::move(sizes));
    }

    // Adds the bonds of a molecule to a list. Returns its number of atoms, or -1, and adds nothing, if it is not known.
    std::int64_t add(BondList& list, std::string_view text) {
        if (!parser.parse(text)) return -1;
        for (const auto& edge : parser.edges) list.add(edge.first, edge.second, edge.type);
        list.num_atoms += static_cast<std::int64_t>(parser.atoms.size());
        for (const auto& atom : parser.atoms) codes.push_back(egonet::smiles::code_of(atom, kind));
        return static_cast<std::int64_t>(parser.atoms.size());
    }

    egonet::smiles::Codes kind;
    egonet::smiles::Parser parser;
    std::vector<std::int64_t> codes;
};

}  // namespace

void bind_molecules(nb::module_& module) {
    module.def("row_hashes", &row_hashes, "indptr"_a.noconvert(), "columns"_a.noconvert(), "counts"_a.noconvert(),
               "hash_of"_a.noconvert(), "block_of"_a.noconvert(), "num_blocks"_a, "threads"_a);
    module.def("count_columns", &count_columns, "columns"_a.noconvert(), "graph_ptr"_a.noconvert());
    module.def("subtree_hashes", &subtree_hashes, "indptr"_a.noconvert(), "indices"_a.noconvert(),
               "start"_a.noconvert(), "num_rounds"_a, "threads"_a);
    nb::class_<SmilesReader>(module, "SmilesReader")
        .def(nb::init<int>())
        .def("add_texts", &SmilesReader::add_texts)
        .def("take_codes", [](SmilesReader& reader) { return as_array(std::exchange(reader.codes, {})); });
    nb::class_<BondList>(module, "BondList")
        .def(nb::init<>())
        .def("add_matrix",
             [](BondList& list, Matrix orders, std::int64_t num_bonds) {
                 return list.add_matrix(orders.data(), static_cast<std::int64_t>(orders.shape(0)), num_bonds);
             })
        .def("add_bonds", &add_bonds)
        .def("arrays", [](BondList& list) {
            return nb::make_tuple(as_array(std::move(list.source)), as_array(std::move(list.target)),
                                  as_array(std::move(list.type)));
        });
}
