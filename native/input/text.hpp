// Reads edge lists from text as it streams in: two columns of ids, whole numbers as long as all of them are.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "input/edge_records.hpp"
#include "input/name_table.hpp"

namespace egonet::input {

// Takes text in chunks of any size. Large chunks are cut at line ends and read by several workers. A part is taken over
// if the one before it was read to its end, so that it began at the begin of a record; same result for any threads.
class EdgeText {
public:
    static constexpr std::size_t kLongestLine = std::size_t{64} << 20;

    explicit EdgeText(const TextFormat& format) : format_(format), records_(format, false, false) {}

    // Returns false once there is a fault; what follows is then not read. A NUL must follow the chunk in memory. Chunks of
    // at least two parts of `least_part` bytes are read by several workers.
    bool feed(Job& job, std::string_view chunk, bool last, std::int64_t least_part) {
        RecordScanner& scanner = records_.scanner;
        if (scanner.fault != Fault::none) return false;
        job.threads = static_cast<int>(std::clamp<std::int64_t>(std::ssize(chunk) / least_part, 1, job.threads));
        const std::size_t nul = chunk.find('\0');
        std::string_view text = chunk.substr(0, nul);
        // rest_ is the begin of a record. Most end with the first line of the chunk, and what follows is read in place.
        if (!rest_.empty() || last) {
            const std::size_t line = last ? text.size() : std::min(text.find('\n'), text.size() - 1) + 1;
            rest_.append(text.substr(0, line));
            text.remove_prefix(line);
            rest_.erase(0, read(job, rest_, last, least_part));
            if (!rest_.empty()) {
                rest_.append(std::exchange(text, {}));
                rest_.erase(0, read(job, rest_, last, least_part));
            }
        }
        rest_.append(text.substr(read(job, text, last, least_part)));
        if (scanner.fault == Fault::none && (rest_.size() > kLongestLine || nul != std::string_view::npos)) {
            scanner.record = rest_;
            scanner.record_line = scanner.line + 1;
            scanner.fail(nul != std::string_view::npos ? Fault::nul : Fault::long_line);
        }
        const EdgeRecords::Doubt& doubt = records_.has_text ? records_.float_doubt : records_.doubt;
        if (last && scanner.fault == Fault::none && doubt.fault != Fault::none) {
            scanner.fault = doubt.fault;
            scanner.fault_line = doubt.line;
            scanner.fault_text = doubt.text;
        }
        return scanner.fault == Fault::none;
    }

    void expect_names() { records_.expect_names(); }

    const EdgeRecords& records() const { return records_; }
    const NameTable& names() const { return names_; }
    // The ids so far, in lists one after another: values if all of them are whole numbers, else codes of names.
    std::vector<std::vector<std::int64_t>> take_values() { return std::exchange(values_, {}); }
    std::vector<std::vector<std::int32_t>> take_codes() { return std::exchange(codes_, {}); }

private:
    // Keys of the text at hand, whose lines are counted from first_line, and the memory of those that are not in it.
    struct Found {
        std::vector<Key> keys;
        std::int64_t first_line;
        std::deque<std::string> copies;
    };

    // Reads records up to the last whole one, and returns how many bytes.
    std::size_t read(Job& job, std::string_view text, bool last, std::int64_t least_part) {
        if (records_.scanner.fault != Fault::none) return 0;
        const char *cursor = text.data(), *end = cursor + text.size();
        records_.first_line = records_.scanner.line;
        if (job.threads > 1) cursor = read_parts(job, cursor, end, least_part);
        if (records_.whole) records_.values.reserve((end - cursor) / 6);
        cursor = records_.read(cursor, end, last);
        keep_own();
        number_names(job);  // before the bytes they point into move
        return cursor - text.data();
    }

    // Reads what several workers can read, and returns how far.
    const char* read_parts(Job& job, const char* cursor, const char* end, std::int64_t least_part) {
        // One record before each attempt: a header, the change from numbers to names, or what a part stopped at.
        for (int attempt = 0; attempt < 4 && end - cursor >= 2 * least_part; ++attempt) {
            if (!records_.read_one(cursor, end, false) || !records_.is_settled()) return cursor;
            const std::int64_t size = end - cursor;
            std::vector<const char*> cuts{cursor};
            const std::int64_t most = std::clamp<std::int64_t>(size / least_part, 1, 2 * job.threads);
            for (std::int64_t part = 1; part <= most; ++part) {
                const char* from = std::max(cuts.back(), cursor + size * part / most - 1);
                const void* line_end = std::memchr(from, '\n', end - from);
                if (line_end) cuts.push_back(static_cast<const char*>(line_end) + 1);
            }
            // The last line is left for the next chunk, which may continue it.
            std::vector<EdgeRecords> parts(cuts.size() - 1,
                                           EdgeRecords(format_without_header(), true, !records_.whole));
            std::vector<const char*> stops(parts.size());
            for_ranges(job, std::ssize(parts), 1, [&](std::int64_t i, std::int64_t) {
                if (records_.whole) parts[i].values.reserve((cuts[i + 1] - cuts[i]) / 6);
                stops[i] = parts[i].read(cuts[i], cuts[i + 1], false);
            });
            keep_own();
            std::size_t i = 0;
            for (; i < parts.size(); ++i) {
                const std::int64_t first_line = records_.scanner.line;
                records_.add(parts[i]);
                if (records_.whole) values_.push_back(std::move(parts[i].values));
                found_.push_back({std::move(parts[i].keys), first_line, std::move(parts[i].scanner.copies)});
                if ((cursor = stops[i]) != cuts[i + 1]) break;
            }
            records_.first_line = records_.scanner.line;
            if (i == parts.size()) return cursor;
        }
        return cursor;
    }

    TextFormat format_without_header() const {
        TextFormat format = format_;
        format.skip = 0;
        return format;
    }

    // Moves the ids that records_ has read behind those before them.
    void keep_own() {
        if (!records_.values.empty()) values_.push_back(std::exchange(records_.values, {}));
        found_.push_back(
            {std::exchange(records_.keys, {}), records_.first_line, std::exchange(records_.scanner.copies, {})});
    }

    // Values become names once an id is none: they were read in their shortest form, so writing them out gives their text.
    void number_names(Job& job) {
        const std::deque<Found> all = std::exchange(found_, {});
        if (records_.whole) return;
        for (const std::vector<std::int64_t>& list : std::exchange(values_, {})) {
            std::vector<std::array<char, 20>> digits(list.size());
            codes_.emplace_back(list.size());
            const auto make_key = [&](std::int64_t i) {
                const auto end = std::to_chars(digits[i].data(), digits[i].data() + 20, list[i]).ptr;
                return Key{digits[i].data(), static_cast<std::uint32_t>(end - digits[i].data()), 0};
            };
            number_keys(job, names_, std::ssize(list), make_key, codes_.back().data());
        }
        std::vector<KeyRun> runs;
        for (const Found& found : all) {
            codes_.emplace_back(found.keys.size());
            runs.push_back({found.keys.data(), found.keys.size(), codes_.back().data(), found.first_line});
        }
        names_.number(job, runs);
    }

    TextFormat format_;
    std::string rest_;  // the begin of a record whose end is in the next chunk
    EdgeRecords records_;
    std::vector<std::vector<std::int64_t>> values_;
    std::vector<std::vector<std::int32_t>> codes_;
    std::deque<Found> found_;  // a vector would copy its elements as it grows, and keys point into their copies
    NameTable names_;
};

}  // namespace egonet::input
