// Python bindings of rows per event: arrays in, arrays out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <vector>

#include "bindings/arrays.hpp"
#include "events/event_rows.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace egonet::bindings;
using namespace egonet::events;

namespace {

template <class Time>
void make_rows(EventRows<Time>* place, std::vector<std::optional<Time>> windows, std::int32_t radius, bool by_time,
               bool own, const std::vector<int>& groups, bool has_amounts, std::int32_t num_types,
               std::int32_t cycle_length, std::int64_t unit) {
    EventSettings<Time> settings;
    settings.windows = std::move(windows);
    settings.radius = radius;
    settings.by_time = by_time;
    settings.own = own;
    for (const int group : groups) settings.groups.push_back(static_cast<Group>(group));
    settings.has_amounts = has_amounts;
    settings.num_types = num_types;
    settings.cycle_length = cycle_length;
    settings.unit = unit;
    new (place) EventRows<Time>(std::move(settings));
}

template <class Time>
nb::object process(EventRows<Time>& rows, Int32s sources, Int32s targets, Array<const Time> times,
                   Array<const double> amounts, Int32s types, std::size_t num_nodes, bool wants_rows,
                   std::optional<Array<const std::uint8_t>> kept) {
    const std::size_t count = sources.size();
    const auto width = static_cast<std::size_t>(rows.width());
    const std::uint8_t* const is_kept = kept ? kept->data() : nullptr;
    egonet::Buffer<double> result =
        egonet::make_buffer<double>(static_cast<std::int64_t>(wants_rows ? count * width : 0));
    {
        nb::gil_scoped_release released;
        rows.reserve(num_nodes);
        for (std::size_t i = 0; i < count; ++i) {
            if (i + 4 < count) rows.prefetch(sources.data()[i + 4], targets.data()[i + 4]);
            rows.process({sources.data()[i], targets.data()[i], times.data()[i], amounts.data()[i], types.data()[i]},
                         wants_rows ? result.get() + i * width : nullptr, is_kept == nullptr || is_kept[i]);
        }
    }
    return wants_rows ? as_array(std::move(result), count, width) : nb::none();
}

// Keeps the GIL: one row takes microseconds.
template <class Time>
nb::object process_one(EventRows<Time>& rows, std::int32_t source, std::int32_t target, Time time, double amount,
                       std::int32_t type, std::size_t num_nodes) {
    rows.reserve(num_nodes);
    egonet::Buffer<double> result = egonet::make_buffer<double>(rows.width());
    rows.process({source, target, time, amount, type}, result.get());
    return as_array(std::move(result), 1, rows.width());
}

template <class Time>
nb::tuple log_of(const EventRows<Time>& rows) {
    const std::vector<Event<Time>> events = rows.log();
    std::vector<std::int32_t> sources, targets, types;
    std::vector<Time> times;
    std::vector<double> amounts;
    for (const Event<Time>& event : events) {
        sources.push_back(event.source);
        targets.push_back(event.target);
        times.push_back(event.time);
        amounts.push_back(event.amount);
        types.push_back(event.type);
    }
    return nb::make_tuple(as_array(std::move(sources)), as_array(std::move(targets)), as_array(std::move(times)),
                          as_array(std::move(amounts)), as_array(std::move(types)));
}

template <class Time>
EventRows<Time> copy_of(const EventRows<Time>& rows) {
    nb::gil_scoped_release released;
    return rows;
}

template <class Time>
void bind_rows(nb::module_& module, const char* name) {
    nb::class_<EventRows<Time>>(module, name)
        .def("__init__", &make_rows<Time>, "windows"_a, "radius"_a, "by_time"_a, "own"_a, "groups"_a, "has_amounts"_a,
             "num_types"_a, "cycle_length"_a, "unit"_a)
        .def("process", &process<Time>, "sources"_a.noconvert(), "targets"_a.noconvert(), "times"_a.noconvert(),
             "amounts"_a.noconvert(), "types"_a.noconvert(), "num_nodes"_a, "wants_rows"_a, "kept"_a.noconvert().none())
        .def("process_one", &process_one<Time>, "source"_a, "target"_a, "time"_a, "amount"_a, "type"_a, "num_nodes"_a)
        .def("log", &log_of<Time>)
        .def("copy", &copy_of<Time>)
        .def_prop_ro("magnitude", &EventRows<Time>::magnitude)
        .def_prop_ro("width", &EventRows<Time>::width);
}

}  // namespace

void bind_events(nb::module_& module) {
    bind_rows<std::int64_t>(module, "WholeEventRows");
    bind_rows<double>(module, "RealEventRows");
}
