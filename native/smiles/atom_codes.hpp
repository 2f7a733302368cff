// Numbers for atoms of SMILES: element; element, hydrogens and charge; RDKit's connectivity invariant.
#pragma once

#include <cstdint>

#include "smiles/parser.hpp"

namespace egonet::smiles {

enum class Codes { element, atom, invariant };

// A hash of 32 bits of some numbers, combined as boost does.
class Combined {
public:
    void add(std::int32_t value) {
        value_ ^= static_cast<std::uint32_t>(value) + 0x9e3779b9u + (value_ << 6) + (value_ >> 2);
    }
    std::uint32_t value() const { return value_; }

private:
    std::uint32_t value_ = 0;
};

// "atom" is packed as in graph/molecules.py: element << 14 | hydrogens << 8 | charge + 128.
inline std::int64_t code_of(const Atom& atom, Codes codes) {
    if (codes == Codes::element) return atom.element;
    if (codes == Codes::atom) return atom.element << 14 | atom.hydrogens << 8 | (atom.charge + 128);
    Combined hash;
    hash.add(atom.element);
    hash.add(atom.degree + atom.hydrogens);
    hash.add(atom.hydrogens);
    hash.add(atom.charge);
    hash.add(0);  // no isotope
    if (atom.is_ring) hash.add(1);
    return hash.value();
}

}  // namespace egonet::smiles
