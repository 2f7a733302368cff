#include "bitwise/bitwise.hpp"

namespace egonet {

const PassSteps& pass_steps(Simd simd) {
#if defined(EGONET_X86)
    if (simd == Simd::avx512) return avx512::steps;
    if (simd == Simd::avx2) return avx2::steps;
#else
    (void)simd;
#endif
    return baseline::steps;
}

namespace {

constexpr std::int32_t first_capacity = 256;

// From this many counts on their memory is always new: the C library takes 32 MB and more from the system.
constexpr std::int64_t from_system = std::int64_t{9} << 20;

std::int32_t* make_table(std::int64_t size) {
    std::int32_t* table = make_buffer<std::int32_t>(size).release();
    std::fill_n(table, size, -1);
    return table;
}

// An empty hash table that stays at most half full until the slots outgrow their capacity.
void make_hash(Slots& slots) {
    std::int64_t size = 64;
    while (size < 2 * std::int64_t{slots.capacity}) size *= 2;
    std::free(slots.slot_of);
    slots.slot_of = make_table(size);
    slots.hash_mask = size - 1;
}

void put_hash(Slots& slots, std::int32_t slot) {
    auto place = static_cast<std::int64_t>(hash_code(slots.code_of[slot])) & slots.hash_mask;
    while (slots.slot_of[place] >= 0) place = (place + 1) & slots.hash_mask;
    slots.slot_of[place] = slot;
}

}  // namespace

std::int32_t add_slot(Slots& slots, std::int64_t code) {
    if (slots.size == slots.most) {
        slots.overflow = true;
        return 0;
    }
    if (slots.size == slots.capacity) {
        const std::int32_t capacity = std::min(slots.most, 2 * slots.capacity);
        Buffer<std::int64_t> wider = make_buffer<std::int64_t>(capacity);
        std::copy_n(slots.code_of, slots.size, wider.get());
        std::free(slots.code_of);
        slots.code_of = wider.release();
        slots.capacity = capacity;
        if (slots.hash_mask) {
            make_hash(slots);
            for (std::int32_t slot = 0; slot < slots.size; ++slot) put_hash(slots, slot);
        }
    }
    const std::int32_t slot = slots.size++;
    if (slot == slots.num_cleared)
        std::fill_n(slots.counts + std::int64_t{slots.num_cleared++} * slots.lanes, slots.lanes, 0);
    slots.code_of[slot] = code;
    if (slots.hash_mask) put_hash(slots, slot);
    else slots.slot_of[code] = slot;
    return slot;
}

PassScratch::PassScratch(const Adjacency& adjacency, const Settings& settings, const KeyCodec& codec, bool direct,
                         const BitwiseOptions& options, const std::atomic<bool>& cancelled)
    : pass{},
      seen_(make_zeros<Lanes>(adjacency.num_nodes)),
      front_(make_zeros<Lanes>(adjacency.num_nodes)),
      next_(make_buffer<Lanes>(adjacency.num_nodes)),
      queued_(make_zeros<std::uint8_t>(adjacency.num_nodes)),
      frontier_(make_buffer<std::int32_t>(adjacency.num_nodes)),
      candidates_(make_buffer<std::int32_t>(adjacency.num_nodes)),
      touched_(make_buffer<std::int32_t>(adjacency.num_nodes)) {
    static_assert(sizeof(std::atomic<bool>) == sizeof(bool));
    pass.rows = adjacency.rows.get();
    pass.indices = adjacency.indices;
    pass.num_nodes = adjacency.num_nodes;
    for (std::int64_t v = 0; v < adjacency.num_nodes; ++v) pass.num_arcs += adjacency.rows[v].degree;
    pass.radius = settings.radius;
    pass.frontier_edges = settings.frontier_edges;
    pass.symmetric = settings.symmetric;
    pass.shape = {codec.degree_limit(), codec.degree_base(), codec.label_base(), settings.labels,
                  static_cast<int>(settings.degrees)};
    pass.seen = seen_.get();
    pass.front = front_.get();
    pass.next = next_.get();
    pass.queued = queued_.get();
    pass.frontier = frontier_.get();
    pass.candidates = candidates_.get();
    pass.touched = touched_.get();
    pass.cancelled = reinterpret_cast<const bool*>(&cancelled);
    Slots& slots = pass.slots;
    slots.most = static_cast<std::int32_t>(std::min(options.most_slots, codec.range()));
    slots.capacity = std::min(first_capacity, slots.most);
    slots.lanes = options.lanes;
    if (direct) slots.slot_of = make_table(codec.range());
    else make_hash(slots);
    slots.code_of = make_zeros<std::int64_t>(slots.capacity).release();
    // Capacity for the largest possible number, aligned for the widest vectors; unused pages are never touched. Much memory
    // comes from the system and is zero; less has been used before, and zeros would be written to all of it.
    const std::int64_t size = (std::int64_t{slots.most} + 1) * slots.lanes;
    if (size >= from_system) {
        counts_ = make_untouched_zeros<std::uint32_t>(size, Pages::large);
        slots.num_cleared = slots.most;
    } else {
        counts_ = make_buffer<std::uint32_t>(size);
    }
    slots.counts = reinterpret_cast<std::uint32_t*>((reinterpret_cast<std::uintptr_t>(counts_.get()) + 63) / 64 * 64);
}

PassScratch::~PassScratch() {
    std::free(pass.slots.slot_of);
    std::free(pass.slots.code_of);
}

void PassScratch::reset_slots() {
    Slots& slots = pass.slots;
    if (slots.hash_mask && slots.size * 8 > slots.hash_mask) {
        std::fill_n(slots.slot_of, slots.hash_mask + 1, -1);
    } else {
        for (std::int32_t slot = 0; slot < slots.size; ++slot) {
            if (!slots.hash_mask) {
                slots.slot_of[slots.code_of[slot]] = -1;
                continue;
            }
            // Walks the run the code was put into; runs end at slots that are empty or were emptied before.
            auto place = static_cast<std::int64_t>(hash_code(slots.code_of[slot])) & slots.hash_mask;
            while (slots.slot_of[place] != slot) place = (place + 1) & slots.hash_mask;
            slots.slot_of[place] = -1;
        }
    }
    slots.size = 0;
    slots.overflow = false;
}

bool sharing_is_low(const Pass& pass) {
    // The costs of predict_costs for the last ring alone, on the side of the pass, which has gone this far already.
    const bool total = pass.shape.degrees == 0;
    const auto pairs = double(pass.ring_pairs), arcs = double(pass.ring_arcs);
    const double degree = arcs / double(pass.frontier_size);
    const double by_source = pairs * (total ? 1.65 * degree + 8 : 2.5 * degree + 6);
    const double by_pass = total ? 13 * arcs + 1.2 * pairs : 16 * arcs + 14.5 * pairs;
    return by_source < by_pass;
}

}  // namespace egonet
