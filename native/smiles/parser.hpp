// SMILES as RDKit writes them: atoms with hydrogens and charges, bonds with types. What could be read in another way by
// RDKit is not read at all.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "molecules/bond_list.hpp"

namespace egonet::smiles {

using molecules::Bond;

struct Atom {
    int element = 0, charge = 0, hydrogens = 0;
    bool is_aromatic = false, is_bracket = false, is_ring = false;
    int degree = 0;
    int orders = 0;              // sum of the orders of bonds that are not aromatic
    bool has_exocyclic = false;  // an aromatic atom with a double bond to O, S or N
};

// Types of bonds as written; `unset` is none.
enum Written : std::int8_t { unset, written_single, written_double, written_triple, written_aromatic };

struct Edge {
    std::int32_t first, second;
    Written written;
    Bond type = molecules::single;
    bool is_ring = false;
};

// One molecule. parse() returns false for text that it does not know; the record is then incomplete.
class Parser {
public:
    std::vector<Atom> atoms;
    std::vector<Edge> edges;

    bool parse(std::string_view text) {
        atoms.clear();
        edges.clear();
        return !text.empty() && read(text) && link() && mark_rings() && set_bonds() && check_atoms() &&
               check_aromatic() && has_no_hidden_rings();
    }

private:
    std::vector<std::array<std::int32_t, 2>> near_;  // (atom, edge) of all atoms, by near_start_
    std::vector<std::int32_t> near_start_;

    static int element_of(std::string_view symbol) {
        static constexpr std::string_view names[] = {"H", "B",  "C", "N",  "O",  "F",  "Na", "Mg", "Al", "Si", "P",
                                                     "S", "Cl", "K", "Ca", "Zn", "As", "Se", "Br", "I",  "Li"};
        static constexpr int numbers[] = {1, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 19, 20, 30, 33, 34, 35, 53, 3};
        for (std::size_t i = 0; i < std::size(names); ++i)
            if (names[i] == symbol) return numbers[i];
        return 0;
    }

    static bool is_digit(char c) { return c >= '0' && c <= '9'; }

    // Afterwards atoms and edges are as written.
    bool read(std::string_view text) {
        std::vector<std::int32_t> stack;
        std::int32_t last = -1;
        Written bond = unset;
        bool is_branch_start = false;  // since "(", no atom: RDKit accepts only a bond and an atom there
        struct Open {
            std::int32_t atom = -1;
            Written bond = unset;
        };
        std::array<Open, 100> open{};
        const auto place = [&](const Atom& atom) {
            atoms.push_back(atom);
            const auto own = static_cast<std::int32_t>(atoms.size()) - 1;
            if (last >= 0) edges.push_back({last, own, bond});
            else if (bond != unset) return false;
            last = own;
            bond = unset;
            is_branch_start = false;
            return true;
        };
        const auto close = [&](int number) {
            if (last < 0 || is_branch_start) return false;
            Open& other = open[number];
            if (other.atom < 0) {
                other = {last, bond};
            } else {
                if (other.bond != unset && bond != unset && other.bond != bond) return false;
                if (other.atom == last) return false;
                edges.push_back({other.atom, last, bond == unset ? other.bond : bond});
                other = {};
            }
            bond = unset;
            return true;
        };
        for (std::size_t i = 0; i < text.size();) {
            const char c = text[i];
            if (c == '[') {
                const std::size_t end = text.find(']', i);
                Atom atom;
                if (end == text.npos || !read_bracket(text.substr(i + 1, end - i - 1), atom) || !place(atom))
                    return false;
                i = end + 1;
            } else if (c == '(') {
                if (last < 0 || bond != unset || is_branch_start) return false;
                stack.push_back(last);
                is_branch_start = true;
                ++i;
            } else if (c == ')') {
                if (stack.empty() || bond != unset || is_branch_start) return false;
                last = stack.back();
                stack.pop_back();
                ++i;
            } else if (c == '.') {
                if (last < 0 || bond != unset || !stack.empty()) return false;
                last = -1;
                ++i;
            } else if (is_digit(c)) {
                if (!close(c - '0')) return false;
                ++i;
            } else if (c == '%') {
                if (i + 2 >= text.size() || !is_digit(text[i + 1]) || !is_digit(text[i + 2])) return false;
                if (text[i + 1] == '0') return false;  // RDKit refuses %01
                if (!close(10 * (text[i + 1] - '0') + text[i + 2] - '0')) return false;
                i += 3;
            } else if (c == '-' || c == '=' || c == '#' || c == ':' || c == '/' || c == '\\') {
                if (bond != unset || (i + 1 < text.size() && text[i + 1] == '>')) return false;
                bond = c == '='   ? written_double
                       : c == '#' ? written_triple
                       : c == ':' ? written_aromatic
                                  : written_single;
                ++i;
            } else {
                Atom atom;
                std::size_t length = 1;
                if ((c == 'C' && i + 1 < text.size() && text[i + 1] == 'l') ||
                    (c == 'B' && i + 1 < text.size() && text[i + 1] == 'r'))
                    length = 2;
                if (std::string_view("BCNOPSFI").find(c) != std::string_view::npos) {
                    atom.element = element_of(text.substr(i, length));
                } else if (std::string_view("cnos").find(c) != std::string_view::npos) {
                    const char upper = static_cast<char>(c - 'a' + 'A');
                    atom.element = element_of(std::string_view(&upper, 1));
                    atom.is_aromatic = true;
                } else {
                    return false;
                }
                if (!place(atom)) return false;
                i += length;
            }
        }
        const bool is_closed = std::all_of(open.begin(), open.end(), [](const Open& each) { return each.atom < 0; });
        return is_closed && stack.empty() && bond == unset && last >= 0;
    }

    // Content of brackets: symbol, @ or @@, H with a number, charge, map number. Isotopes are not read.
    static bool read_bracket(std::string_view text, Atom& atom) {
        std::size_t i = 0;
        atom.is_bracket = true;
        if (text.empty()) return false;
        if (text[0] >= 'a' && text[0] <= 'z') {
            if (std::string_view("cnos").find(text[0]) == std::string_view::npos) return false;
            if (text.size() > 1 && text[1] >= 'a' && text[1] <= 'z') return false;
            const char upper = static_cast<char>(text[0] - 'a' + 'A');
            atom.element = element_of(std::string_view(&upper, 1));
            atom.is_aromatic = true;
            i = 1;
        } else {
            const std::size_t length = text.size() > 1 && text[1] >= 'a' && text[1] <= 'z' ? 2 : 1;
            atom.element = element_of(text.substr(0, length));
            i = length;
        }
        if (atom.element <= 1) return false;  // unknown, or a hydrogen that RDKit merges with its neighbor
        for (int marks = 0; marks < 2 && i < text.size() && text[i] == '@'; ++marks) ++i;
        const auto number = [&](int otherwise) {
            if (i >= text.size() || !is_digit(text[i])) return otherwise;
            return text[i++] - '0';
        };
        if (i < text.size() && text[i] == 'H') {
            ++i;
            atom.hydrogens = number(1);
        }
        if (i < text.size() && (text[i] == '+' || text[i] == '-')) {
            const char sign = text[i++];
            int size = 1;
            if (i < text.size() && text[i] == sign) {
                ++i, ++size;  // RDKit reads no third sign
            } else {
                size = number(1);
            }
            if (size > 4) return false;  // RDKit refuses some of these
            atom.charge = sign == '+' ? size : -size;
        }
        if (i < text.size() && text[i] == ':') {
            const std::size_t first = ++i;
            while (i < text.size() && is_digit(text[i])) ++i;
            if (i == first) return false;
        }
        return i == text.size();
    }

    // The most bonds of an atom that check_atoms accepts: those of sulfur.
    static constexpr int most_bonds = 6;

    // Afterwards near_[near_start_[v]] ... near_[near_start_[v + 1] - 1] are the neighbors of atom v; none twice. An atom
    // with too many is refused first, or looking for repeats would take the square of their number.
    bool link() {
        near_start_.assign(atoms.size() + 1, 0);
        for (const Edge& edge : edges) ++near_start_[edge.first + 1], ++near_start_[edge.second + 1];
        for (std::size_t v = 0; v < atoms.size(); ++v) {
            atoms[v].degree = near_start_[v + 1];
            if (atoms[v].degree > most_bonds) return false;
            near_start_[v + 1] += near_start_[v];
        }
        near_.resize(2 * edges.size());
        std::vector<std::int32_t> next(near_start_.begin(), near_start_.end() - 1);
        for (std::size_t e = 0; e < edges.size(); ++e) {
            near_[next[edges[e].first]++] = {edges[e].second, static_cast<std::int32_t>(e)};
            near_[next[edges[e].second]++] = {edges[e].first, static_cast<std::int32_t>(e)};
        }
        for (std::size_t v = 0; v < atoms.size(); ++v)
            for (std::int32_t i = near_start_[v]; i < near_start_[v + 1]; ++i)
                for (std::int32_t j = near_start_[v]; j < i; ++j)
                    if (near_[i][0] == near_[j][0]) return false;
        return true;
    }

    // Marks the edges on cycles of the edges that `is_used` accepts, by mark(edge): all but bridges.
    template <class IsUsed, class Mark>
    void for_cycle_edges(const IsUsed& is_used, const Mark& mark) const {
        const auto size = static_cast<std::int32_t>(atoms.size());
        std::vector<std::int32_t> order(size, -1), low(size), via(size, -1),
            next(near_start_.begin(), near_start_.end() - 1);
        std::vector<std::int32_t> path;
        std::int32_t count = 0;
        for (std::int32_t root = 0; root < size; ++root) {
            if (order[root] >= 0) continue;
            order[root] = low[root] = count++;
            path.push_back(root);
            // The path leads from the root to the atom being searched; low is the earliest atom reached from below.
            while (!path.empty()) {
                const std::int32_t v = path.back();
                if (next[v] < near_start_[v + 1]) {
                    const auto [u, e] = near_[next[v]++];
                    if (e == via[v] || !is_used(e)) continue;
                    if (order[u] >= 0) {
                        low[v] = std::min(low[v], order[u]);
                        if (order[u] < order[v]) mark(e);
                    } else {
                        order[u] = low[u] = count++;
                        via[u] = e;
                        path.push_back(u);
                    }
                } else {
                    path.pop_back();
                    if (via[v] < 0) continue;
                    const std::int32_t above = path.back();
                    low[above] = std::min(low[above], low[v]);
                    if (low[v] <= order[above]) mark(via[v]);
                }
            }
        }
    }

    bool mark_rings() {
        for_cycle_edges([](std::int32_t) { return true; },
                        [&](std::int32_t e) {
                            edges[e].is_ring = atoms[edges[e].first].is_ring = atoms[edges[e].second].is_ring = true;
                        });
        return true;
    }

    bool both_aromatic(const Edge& edge) const {
        return atoms[edge.first].is_aromatic && atoms[edge.second].is_aromatic;
    }

    // Types of bonds: without a sign between aromatic atoms aromatic if in a cycle of such bonds, else single.
    bool set_bonds() {
        for (Edge& edge : edges) {
            if (edge.written == written_aromatic && !both_aromatic(edge)) return false;
            if (edge.written == written_double) edge.type = molecules::bond_double;
            if (edge.written == written_triple) edge.type = molecules::triple;
            if (both_aromatic(edge) && (edge.written == written_double || edge.written == written_triple)) return false;
        }
        const auto may_be = [&](std::int32_t e) {
            return both_aromatic(edges[e]) && (edges[e].written == unset || edges[e].written == written_aromatic);
        };
        for_cycle_edges(may_be, [&](std::int32_t e) { edges[e].type = molecules::aromatic; });
        for (const Edge& edge : edges) {
            if (edge.written == written_aromatic && edge.type != molecules::aromatic) return false;
            if (edge.type == molecules::aromatic) continue;
            const int order = edge.type == molecules::single ? 1 : edge.type == molecules::bond_double ? 2 : 3;
            for (const auto [own, other] : {std::array{edge.first, edge.second}, std::array{edge.second, edge.first}}) {
                atoms[own].orders += order;
                if (!atoms[own].is_aromatic || order == 1) continue;
                const int element = atoms[other].element;
                if (order == 3 || (element != 7 && element != 8 && element != 16)) return false;
                atoms[own].has_exocyclic = true;
            }
        }
        return true;
    }

    // Hydrogens of atoms without brackets, and whether RDKit accepts every atom as it is.
    bool check_atoms() {
        for (Atom& atom : atoms) {
            const int element = atom.element, orders = atom.orders;
            if (atom.is_aromatic) {
                if (atom.degree < 2 || atom.degree > 3) return false;
                if (element != 6 && atom.has_exocyclic) return false;
                if ((element == 8 || element == 16) && (atom.degree != 2 || atom.hydrogens || atom.charge))
                    return false;
                if (element == 7 && atom.is_bracket &&
                    !((atom.hydrogens == 1 && atom.charge == 0 && atom.degree == 2) ||
                      (atom.charge == 1 && atom.hydrogens == 0 && atom.degree == 3) ||
                      (atom.charge == 0 && atom.hydrogens == 0) ||
                      (atom.charge == 1 && atom.hydrogens == 1 && atom.degree == 2)))
                    return false;
                if (element == 6 && atom.is_bracket &&
                    (atom.charge != 0 || atom.hydrogens != (atom.degree == 2 ? 1 : 0)))
                    return false;
                if (element == 6 && !atom.is_bracket) atom.hydrogens = atom.degree == 2 ? 1 : 0;
                continue;
            }
            if (!atom.is_bracket) {
                // The lowest usual valence that is not below the orders of the bonds.
                int valence = 0;
                switch (element) {
                    case 5: valence = 3; break;
                    case 6: valence = 4; break;
                    case 7: valence = 3; break;
                    case 8: valence = 2; break;
                    case 15: valence = orders <= 3 ? 3 : 5; break;
                    case 16: valence = orders <= 2 ? 2 : orders <= 4 ? 4 : 6; break;
                    default: valence = 1;
                }
                if (orders > valence) return false;
                atom.hydrogens = valence - orders;
                continue;
            }
            if (atom.degree == 0 && atom.hydrogens == 0) continue;  // an ion
            const int total = orders + atom.hydrogens;
            int most = 0;
            // Atoms with a charge have the valence of the element with as many electrons.
            if (element == 6 && atom.charge == 0) most = 4;
            if (element == 7) most = atom.charge == 1 ? 4 : atom.charge == 0 ? 3 : atom.charge == -1 ? 2 : 0;
            if (element == 8) most = atom.charge == 1 ? 3 : atom.charge == 0 ? 2 : atom.charge == -1 ? 1 : 0;
            if (element == 5) most = atom.charge == -1 ? 4 : atom.charge == 0 ? 3 : 0;
            if (element == 16) most = atom.charge == 0 ? 6 : atom.charge == 1 ? 3 : atom.charge == -1 ? 1 : 0;
            if (element == 15) most = atom.charge == 0 ? 5 : atom.charge == 1 ? 4 : 0;
            if (element == 14 && atom.charge == 0) most = 4;
            if (element == 34 && atom.charge == 0) most = 2;
            if (total > most) return false;
        }
        // RDKit separates the charges of P with several double bonds.
        for (std::size_t v = 0; v < atoms.size(); ++v) {
            if (atoms[v].element != 15) continue;
            int doubles = 0;
            for (std::int32_t i = near_start_[v]; i < near_start_[v + 1]; ++i)
                doubles += edges[near_[i][1]].type == molecules::bond_double;
            if (doubles > 1) return false;
        }
        return true;
    }

    // Electrons that an aromatic atom gives to its ring.
    static int electrons(const Atom& atom) {
        if (atom.element == 6) return atom.has_exocyclic ? 0 : 1;
        if (atom.element == 7) return atom.charge == 0 && (atom.degree == 3 || atom.hydrogens == 1) ? 2 : 1;
        return 2;
    }

    // Whether no bond and no atom outside a ring joins two of its atoms that are not neighbors: among the smallest rings,
    // where RDKit looks for aromatic ones, is then this ring and not those on both sides of such a bridge.
    bool is_open(const std::vector<std::int32_t>& ring) const {
        const auto place = [&](std::int32_t v) { return std::find(ring.begin(), ring.end(), v) - ring.begin(); };
        const auto size = static_cast<std::ptrdiff_t>(ring.size());
        const auto are_far = [&](std::ptrdiff_t first, std::ptrdiff_t second) {
            const std::ptrdiff_t steps = std::abs(first - second);
            return steps > 1 && steps < size - 1;
        };
        for (std::ptrdiff_t own = 0; own < size; ++own)
            for (std::int32_t i = near_start_[ring[own]]; i < near_start_[ring[own] + 1]; ++i) {
                const std::int32_t u = near_[i][0];
                if (const std::ptrdiff_t other = place(u); other < size) {
                    if (are_far(own, other)) return false;
                    continue;
                }
                for (std::int32_t j = near_start_[u]; j < near_start_[u + 1]; ++j)
                    if (const std::ptrdiff_t other = place(near_[j][0]); other < size && are_far(own, other))
                        return false;
            }
        return true;
    }

    // Whether a path of aromatic bonds of at most `left` more atoms leads from v to the end with 4k + 2 electrons in all.
    bool closes(std::int32_t v, std::int32_t end, int left, int sum, int size, std::vector<std::int32_t>& path) const {
        for (std::int32_t i = near_start_[v]; i < near_start_[v + 1]; ++i) {
            const auto [u, e] = near_[i];
            if (edges[e].type != molecules::aromatic) continue;
            if (u == end) {
                if (size >= 5 && sum % 4 == 2 && is_open(path)) return true;
                continue;
            }
            if (left == 0 || std::find(path.begin(), path.end(), u) != path.end()) continue;
            path.push_back(u);
            const bool found = closes(u, end, left - 1, sum + electrons(atoms[u]), size + 1, path);
            path.pop_back();
            if (found) return true;
        }
        return false;
    }

    // Every aromatic bond is in a ring of five to seven atoms with 4k + 2 electrons, and double bonds can be placed.
    bool check_aromatic() {
        std::vector<std::int32_t> path;
        std::vector<std::int8_t> has_bond(atoms.size(), 0);
        for (const Edge& edge : edges) {
            if (edge.type != molecules::aromatic) continue;
            has_bond[edge.first] = has_bond[edge.second] = 1;
            // The path may not begin with the bond itself: it starts behind the first atom's other bonds.
            bool found = false;
            for (std::int32_t i = near_start_[edge.first]; i < near_start_[edge.first + 1] && !found; ++i) {
                const auto [u, e] = near_[i];
                if (edges[e].type != molecules::aromatic || u == edge.second) continue;
                path.assign({edge.second, edge.first, u});  // in the order of the ring
                const int sum = electrons(atoms[edge.first]) + electrons(atoms[edge.second]) + electrons(atoms[u]);
                found = closes(u, edge.second, 4, sum, 3, path);
            }
            if (!found) return false;
        }
        for (std::size_t v = 0; v < atoms.size(); ++v)
            if (atoms[v].is_aromatic && !has_bond[v]) return false;
        return can_place_double_bonds();
    }

    // Pairs atoms of one electron along aromatic bonds, those with the fewest choices first.
    bool can_place_double_bonds() const {
        std::vector<std::int8_t> is_free(atoms.size(), 0);
        for (std::size_t v = 0; v < atoms.size(); ++v) is_free[v] = atoms[v].is_aromatic && electrons(atoms[v]) == 1;
        int steps = 0;
        return pair_atoms(is_free, steps);
    }

    bool pair_atoms(std::vector<std::int8_t>& is_free, int& steps) const {
        if (++steps > 2000) return false;
        std::int32_t chosen = -1;
        int fewest = 4;
        for (std::int32_t v = 0; v < static_cast<std::int32_t>(atoms.size()); ++v) {
            if (!is_free[v]) continue;
            int choices = 0;
            for (std::int32_t i = near_start_[v]; i < near_start_[v + 1]; ++i)
                choices += edges[near_[i][1]].type == molecules::aromatic && is_free[near_[i][0]];
            if (choices < fewest) fewest = choices, chosen = v;
        }
        if (chosen < 0) return true;
        is_free[chosen] = 0;
        for (std::int32_t i = near_start_[chosen]; i < near_start_[chosen + 1]; ++i) {
            const auto [u, e] = near_[i];
            if (edges[e].type != molecules::aromatic || !is_free[u]) continue;
            is_free[u] = 0;
            if (pair_atoms(is_free, steps)) return true;
            is_free[u] = 1;
        }
        is_free[chosen] = 1;
        return false;
    }

    // Atoms in capitals are in no ring that RDKit could find aromatic, as those of Kekule structures are.
    bool has_no_hidden_rings() const {
        std::vector<std::int8_t> may_be(atoms.size(), 0);
        for (std::size_t v = 0; v < atoms.size(); ++v) {
            const Atom& atom = atoms[v];
            const bool has_pair = (atom.element == 7 && atom.charge <= 0) || atom.element == 8 || atom.element == 16 ||
                                  atom.element == 34 || atom.element == 15 || atom.element == 5;
            may_be[v] = atom.is_aromatic || has_pair || atom.orders > atom.degree || (atom.element == 6 && atom.charge);
        }
        bool is_hidden = false;
        for_cycle_edges([&](std::int32_t e) { return may_be[edges[e].first] && may_be[edges[e].second]; },
                        [&](std::int32_t e) { is_hidden |= edges[e].type != molecules::aromatic; });
        return !is_hidden;
    }
};

}  // namespace egonet::smiles
