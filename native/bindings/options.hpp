// Options that Python gives by name.
#pragma once

#include <nanobind/nanobind.h>

#include <map>
#include <string>

#include "core/graph.hpp"

namespace egonet::bindings {

template <class Value>
Value choose(const std::map<std::string, Value>& options, const std::string& option, const char* name) {
    const auto found = options.find(option);
    if (found == options.end())
        throw nanobind::value_error((std::string(name) + " is unknown: " + option + ".").c_str());
    return found->second;
}

// What kernels count whose graphs list every arc once.
inline const std::map<std::string, Degrees> degree_names = {
    {"total", Degrees::total}, {"layered", Degrees::layered}, {"full", Degrees::full}};

inline Degrees choose_degrees(const std::string& option) {
    return option == "in_out" ? Degrees::in_out : choose(degree_names, option, "degrees");
}

inline const std::map<std::string, Follow> follow_names = {
    {"any", Follow::any}, {"out", Follow::out}, {"in", Follow::in}};

}  // namespace egonet::bindings
