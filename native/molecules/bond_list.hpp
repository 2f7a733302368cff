// Bonds of many molecules, read from matrices of bond orders or one by one.
#pragma once

#include <cstdint>
#include <vector>

namespace egonet::molecules {

// Numbers of bond types; the names are in graph/molecules.py, in this order.
enum Bond : std::int32_t { aromatic, bond_double, single, triple };

struct BondList {
    std::vector<std::int32_t> source, target, type;  // atoms are counted from the first of the first molecule
    std::int64_t num_atoms = 0;

    // Adds a molecule by its matrix of bond orders. Returns false, and adds nothing, if the matrix does not say all:
    // an order other than 1, 1.5, 2 and 3, a bond seen from one end only (dative), fewer than num_bonds (of order 0).
    bool add_matrix(const double* orders, std::int64_t size, std::int64_t num_bonds) {
        const std::size_t before = source.size();
        const auto undo = [&] {
            for (auto* each : {&source, &target, &type}) each->resize(before);
            return false;
        };
        for (std::int64_t i = 0; i < size; ++i) {
            const double* row = orders + i * size;
            for (std::int64_t j = i + 1; j < size; ++j) {
                const double order = row[j];
                if (order == 0) continue;
                if (order != orders[j * size + i]) return undo();
                std::int32_t found;
                if (order == 1) found = single;
                else if (order == 1.5) found = aromatic;
                else if (order == 2) found = bond_double;
                else if (order == 3) found = triple;
                else return undo();
                add(i, j, found);
            }
        }
        if (static_cast<std::int64_t>(source.size() - before) != num_bonds) return undo();
        num_atoms += size;
        return true;
    }

    // Adds a bond between two atoms of the molecule that begins after the last one.
    void add(std::int64_t first, std::int64_t second, std::int32_t kind) {
        source.push_back(static_cast<std::int32_t>(num_atoms + first));
        target.push_back(static_cast<std::int32_t>(num_atoms + second));
        type.push_back(kind);
    }
};

}  // namespace egonet::molecules
