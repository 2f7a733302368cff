// Reads the two ids of each record of a text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "input/name_table.hpp"
#include "input/record_scanner.hpp"

namespace egonet::input {

// Reads records one after another. Ids are whole numbers until the first that is not, then names throughout; ids that are
// numbers are first kept as values, then as keys.
class EdgeRecords {
public:
    // A part stops before a record that is at fault or turns numbers to names; `names`: all ids are names.
    EdgeRecords(const TextFormat& format, bool is_part, bool names)
        : scanner(format), whole(!names), has_text(names), format_(format), is_part_(is_part) {}

    // Reads records up to the end, a fault, or where a part stops. Returns how far.
    const char* read(const char* cursor, const char* end, bool last) {
        const char* before = cursor;
        std::int64_t lines = scanner.line;
        while (read_one(cursor, end, last)) {
            before = cursor;
            lines = scanner.line;
        }
        if (!is_part_ || (scanner.fault == Fault::none && !names_appeared_)) return cursor;
        scanner.line = lines;
        return before;
    }

    // Reads one record; false if there is none, or after a fault.
    bool read_one(const char*& cursor, const char* end, bool last) {
        if (cursor == end || scanner.fault != Fault::none) return false;
        return read_plain(cursor) || read_record(cursor, end, last);
    }

    // Whether a part that starts here would read records as this does.
    bool is_settled() const { return !format_.skip && (whole || has_text); }

    // Every id is kept as a name from now on, even if it is a number.
    void expect_names() { whole = false; }

    // Takes over what a part found after what this has read; its ids are left to the caller.
    void add(const EdgeRecords& part) {
        if (!trimmed_line && part.trimmed_line) trimmed_line = scanner.line + part.trimmed_line;
        num_trimmed += part.num_trimmed;
        has_extra = has_extra || part.has_extra;
        if (float_doubt.fault == Fault::none && part.float_doubt.fault != Fault::none) {
            float_doubt = part.float_doubt;
            float_doubt.line += scanner.line;
        }
        scanner.line += part.scanner.line;
    }

    RecordScanner scanner;
    std::size_t num_found = 0;  // fields in the record at fault
    bool whole;                 // all ids fit 64 bits
    bool has_text;              // some id is no number
    bool has_extra = false;     // some record has more than two fields
    std::int64_t num_trimmed = 0, trimmed_line = 0;
    std::vector<std::int64_t> values;
    std::vector<Key> keys;        // their lines are counted from first_line
    std::int64_t first_line = 0;  // set before each call
    struct Doubt {
        Fault fault = Fault::none;
        std::int64_t line = 0;
        std::string text;
    } doubt;            // the first id that is an error unless the file has names
    Doubt float_doubt;  // the first id that is an error if the file has names

private:
    // The common line, "123<delimiter>456<break>", without the general scanner; false leaves `cursor` in place.
    bool read_plain(const char*& cursor) {
        if (!whole || format_.source != 0 || format_.target != 1 || format_.num_fields > 2 || format_.skip)
            return false;
        const char* at = cursor;
        std::int64_t ends[2];
        for (int side = 0; side < 2; ++side) {
            const char* begin = at;
            std::uint64_t value = 0;
            // `value` is the number in [begin, at), if it has at most 18 digits; the buffer ends in a NUL.
            while (is_digit(*at)) value = 10 * value + static_cast<std::uint64_t>(*at++ - '0');
            if (at == begin || at - begin > 18 || (*begin == '0' && at - begin > 1)) return false;
            ends[side] = static_cast<std::int64_t>(value);
            if (side == 0) {
                if (format_.delimiter ? *at != format_.delimiter : !is_blank(*at)) return false;
                ++at;
            }
        }
        if (*at == '\r') ++at;
        if (*at != '\n') return false;
        cursor = at + 1;
        ++scanner.line;
        values.push_back(ends[0]);
        values.push_back(ends[1]);
        return true;
    }

    bool read_record(const char*& cursor, const char* end, bool last) {
        if (!scanner.next(cursor, end, last)) return false;
        if (format_.skip) {
            --format_.skip;
            return true;
        }
        num_found = scanner.fields.size();
        if (num_found <= std::max(format_.source, format_.target)) return scanner.fail(Fault::few_fields);
        if (format_.num_fields && num_found != format_.num_fields) return scanner.fail(Fault::field_count);
        if (repeats_header(scanner.fields[format_.source], scanner.fields[format_.target]))
            return scanner.fail(Fault::header);
        has_extra = has_extra || num_found > 2;
        return take(scanner.fields[format_.source], scanner.fields[format_.target]);
    }

    // Whether a record is the header again, as where files were joined; in quotes it is an edge.
    bool repeats_header(const Field& source, const Field& target) const {
        return !format_.header_source.empty() && source.text == format_.header_source &&
               target.text == format_.header_target && !source.quoted && !target.quoted;
    }

    bool take(const Field& source, const Field& target) {
        if (!has_text) {
            std::int64_t ends[2];
            const IdKind kinds[2] = {kind_of(source, ends[0]), kind_of(target, ends[1])};
            for (const IdKind kind : kinds) {
                const bool is_whole = kind == IdKind::whole || kind == IdKind::whole_float;
                if (kind == IdKind::missing) return scanner.fail(Fault::missing_id);
                if (!is_whole && is_part_) return !(names_appeared_ = true);
                if (!is_whole) whole = false;
                if (kind == IdKind::whole_float && float_doubt.fault == Fault::none)
                    float_doubt = {Fault::float_id, scanner.record_line, std::string(scanner.record.substr(0, 200))};
                if (kind == IdKind::text) has_text = true;
                if (kind == IdKind::number && doubt.fault == Fault::none)
                    doubt = {Fault::not_whole, scanner.record_line, std::string(scanner.record.substr(0, 200))};
            }
            if (whole) values.insert(values.end(), ends, ends + 2);
        } else if (is_missing(source) || is_missing(target)) {
            return scanner.fail(Fault::missing_id);
        }
        if (source.trimmed || target.trimmed) {
            num_trimmed += source.trimmed + target.trimmed;
            if (!trimmed_line) trimmed_line = scanner.record_line;
        }
        if (whole) return true;
        for (const std::string_view text : {source.text, target.text})
            keys.push_back({text.data(), static_cast<std::uint32_t>(text.size()),
                            static_cast<std::uint32_t>(scanner.record_line - first_line)});
        return true;
    }

    TextFormat format_;
    bool is_part_;
    bool names_appeared_ = false;
};

}  // namespace egonet::input
