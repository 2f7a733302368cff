// The extension module: calls the bindings of every folder.
#include <nanobind/nanobind.h>

void bind_kernel(nanobind::module_& module);
void bind_text(nanobind::module_& module);
void bind_wl(nanobind::module_& module);
void bind_update(nanobind::module_& module);
void bind_store(nanobind::module_& module);
void bind_join(nanobind::module_& module);
void bind_dense(nanobind::module_& module);
void bind_learn(nanobind::module_& module);
void bind_links(nanobind::module_& module);
void bind_pairs(nanobind::module_& module);
void bind_temporal(nanobind::module_& module);
void bind_attributes(nanobind::module_& module);
void bind_molecules(nanobind::module_& module);
void bind_events(nanobind::module_& module);
void bind_ego_edges(nanobind::module_& module);

NB_MODULE(_native, module) {
    // An encoding that a global variable of a worker still refers to when the interpreter ends is freed by the system;
    // nanobind would report it on stderr as a leak.
    nanobind::set_leak_warnings(false);
    bind_kernel(module);
    bind_text(module);
    bind_wl(module);
    bind_update(module);
    bind_store(module);
    bind_join(module);
    bind_dense(module);
    bind_learn(module);
    bind_links(module);
    bind_pairs(module);
    bind_temporal(module);
    bind_attributes(module);
    bind_molecules(module);
    bind_events(module);
    bind_ego_edges(module);
}
