// Reads edge lists from text as it streams in: two columns of ids, whole numbers as long as all of them are.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "input/factorize.hpp"

namespace egonet::input {

struct TextFormat {
    char delimiter = 0;      // 0: fields are parted by runs of blanks
    std::string comment;     // a line that starts with one of these is skipped
    std::string doubtful;    // a line that starts with one of these is a fault
    std::size_t source = 0;  // columns of the two ids
    std::size_t target = 1;
    std::size_t num_fields = 0;  // 0: any number that reaches both columns; else exactly this many
    std::size_t skip = 0;        // records to pass over first (a header)
};

enum class Fault {
    none,
    few_fields,
    field_count,
    missing_id,
    not_whole,
    open_quote,
    after_quote,
    long_line,
    doubtful,
    nul
};

struct Field {
    std::string_view text;
    bool quoted = false;
    bool trimmed = false;  // blanks before or after it were left out
};

// What a field could be as an id. `number` is a negative or broken number or a word for "missing": an error in
// a file of numbers, an ordinary name in a file that has names.
enum class IdKind { whole, large, number, missing, text };

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

inline bool same_word(std::string_view text, std::string_view lower) {
    if (text.size() != lower.size()) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] + 32) : text[i];
        if (c != lower[i]) return false;
    }
    return true;
}

// The spellings that programs write; "Nan" is a name.
inline bool is_missing(const Field& field) {
    const std::string_view text = field.text;
    return text.empty() || (!field.quoted && (text == "nan" || text == "NaN" || text == "NAN"));
}

inline IdKind kind_of(const Field& field, std::int64_t& value) {
    const std::string_view text = field.text;
    if (is_missing(field)) return IdKind::missing;
    bool digits = true;
    for (const char c : text) digits = digits && is_digit(c);
    if (digits) {
        if (text.size() > 1 && text[0] == '0') return IdKind::text;  // 007 is not 7
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
        return problem == std::errc() && end == text.data() + text.size() ? IdKind::whole : IdKind::large;
    }
    if (field.quoted) return IdKind::text;
    for (const char* word : {"nan", "na", "null", "none", "\\n", "inf", "-inf", "infinity", "-infinity"}) {
        if (same_word(text, word)) return IdKind::number;
    }
    double unused;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), unused);
    const bool number = problem != std::errc::invalid_argument && end == text.data() + text.size();
    return number ? IdKind::number : IdKind::text;
}

// Cuts bytes into records of fields. A record that ends beyond the bytes at hand is left for the next call.
class RecordScanner {
public:
    explicit RecordScanner(const TextFormat& format) : delimiter_(format.delimiter) {
        for (const char c : format.comment) role_[static_cast<unsigned char>(c)] |= kComment;
        for (const char c : format.doubtful) role_[static_cast<unsigned char>(c)] |= kDoubtful;
        for (const char c : {' ', '\t'}) role_[static_cast<unsigned char>(c)] |= c == delimiter_ ? 0 : kBlank;
        for (const char c : {'\n', '\r'}) role_[static_cast<unsigned char>(c)] |= kBreak;
        if (delimiter_) role_[static_cast<unsigned char>(delimiter_)] |= kDelimiter;
    }

    // Reads the next record that is neither blank nor a comment into `fields`; false at the end of the bytes,
    // or on a fault. `cursor` moves to the start of what has not been read.
    bool next(const char*& cursor, const char* end, bool last) {
        while (cursor < end) {
            const char* at = cursor;
            std::int64_t lines = 1;
            at = past(at, end, kBlank);
            const bool comment = at < end && is(*at, kComment);
            const bool doubtful = at < end && is(*at, kDoubtful);
            fields.clear();
            if (comment || doubtful) {
                at = until(at, end, kBreak);
            } else if (!(delimiter_ ? cut_delimited(cursor, at, end, last, lines)
                                    : cut_blanks(cursor, at, end, last, lines))) {
                return false;
            }
            if (!last && (at == end || (*at == '\r' && at + 1 == end))) return false;  // not yet complete
            record = {cursor, static_cast<std::size_t>(at - cursor)};
            record_line = line + 1;
            if (doubtful) return fail(Fault::doubtful);
            if (at < end) at += *at == '\r' && at + 1 < end && at[1] == '\n' ? 2 : 1;
            cursor = at;
            line += lines;
            const bool blank = fields.empty() || (fields.size() == 1 && fields[0].text.empty() && !fields[0].quoted);
            if (!comment && !blank) return true;
        }
        return false;
    }

    bool fail(Fault what) {
        fault = what;
        fault_line = record_line;
        fault_text = std::string(record.substr(0, 200));
        return false;
    }

    std::vector<Field> fields;
    std::deque<std::string> copies;  // fields that are not in the text as they are; the caller clears it
    std::string_view record;
    std::int64_t line = 0;         // lines read so far
    std::int64_t record_line = 0;  // where the current record starts, counted from 1
    Fault fault = Fault::none;
    std::int64_t fault_line = 0;
    std::string fault_text;

private:
    // Both cutters leave `at` on the line break (or the end) after the record.
    bool cut_blanks(const char* begin, const char*& at, const char* end, bool last, std::int64_t& lines) {
        for (;;) {
            at = past(at, end, kBlank);
            if (at < end && is(*at, kComment)) at = until(at, end, kBreak);  // the rest of the line is a remark
            if (at == end || is(*at, kBreak)) return true;
            if (*at == '"') {
                if (!cut_quoted(at, end, lines)) return last ? fail_at(Fault::open_quote, begin, end) : false;
                if (at < end && !is(*at, kBlank | kBreak)) return fail_after_quote(begin, at, end);
                continue;
            }
            const char* first = at;
            at = until(at, end, kBlank | kBreak);
            fields.push_back({{first, static_cast<std::size_t>(at - first)}});
        }
    }

    bool cut_delimited(const char* begin, const char*& at, const char* end, bool last, std::int64_t& lines) {
        for (;;) {
            const char* left = fields.empty() ? begin : at;
            at = past(at, end, kBlank);
            if (at < end && *at == '"') {
                if (!cut_quoted(at, end, lines)) return last ? fail_at(Fault::open_quote, begin, end) : false;
                at = past(at, end, kBlank);
                if (at < end && !is(*at, kDelimiter | kBreak)) return fail_after_quote(begin, at, end);
            } else {
                const char* first = at;
                at = until(at, end, kDelimiter | kBreak);
                const char* close = at;
                while (close > first && is(close[-1], kBlank)) --close;
                fields.push_back({{first, static_cast<std::size_t>(close - first)}, false, left < first || close < at});
            }
            if (at == end || is(*at, kBreak)) return true;
            ++at;  // past the delimiter: one more field follows, empty if nothing is there
        }
    }

    // From the opening quote to past the closing one; false if there is none. "" inside is one quote.
    bool cut_quoted(const char*& at, const char* end, std::int64_t& lines) {
        const char* begin = ++at;
        bool doubled = false;
        for (; at < end; ++at) {
            if (*at == '\n' || (*at == '\r' && !(at + 1 < end && at[1] == '\n'))) ++lines;
            if (*at != '"') continue;
            if (at + 1 < end && at[1] == '"') {
                doubled = true;
                ++at;
                continue;
            }
            std::string_view text{begin, static_cast<std::size_t>(at - begin)};
            ++at;
            if (doubled) text = undouble(text);
            fields.push_back({text, true});
            return true;
        }
        return false;
    }

    std::string_view undouble(std::string_view text) {
        std::string& plain = copies.emplace_back();
        for (std::size_t i = 0; i < text.size(); ++i) {
            plain.push_back(text[i]);
            if (text[i] == '"') ++i;
        }
        return plain;
    }

    bool fail_at(Fault what, const char* begin, const char* end) {
        record = {begin, static_cast<std::size_t>(end - begin)};
        record_line = line + 1;
        return fail(what);
    }

    bool fail_after_quote(const char* begin, const char*& at, const char* end) {
        at = until(at, end, kBreak);
        return fail_at(Fault::after_quote, begin, at);
    }

    // What a character may be; one table look-up a character, whatever the format.
    static constexpr std::uint8_t kBlank = 1, kBreak = 2, kDelimiter = 4, kComment = 8, kDoubtful = 16;

    bool is(char c, std::uint8_t roles) const { return role_[static_cast<unsigned char>(c)] & roles; }
    const char* past(const char* at, const char* end, std::uint8_t roles) const {
        while (at < end && is(*at, roles)) ++at;
        return at;
    }
    const char* until(const char* at, const char* end, std::uint8_t roles) const {
        while (at < end && !is(*at, roles)) ++at;
        return at;
    }

    char delimiter_;
    std::array<std::uint8_t, 256> role_{};
};

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
    } doubt;  // the first id that is an error unless the file has names

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
        has_extra = has_extra || num_found > 2;
        return take(scanner.fields[format_.source], scanner.fields[format_.target]);
    }

    bool take(const Field& source, const Field& target) {
        if (!has_text) {
            std::int64_t ends[2];
            const IdKind kinds[2] = {kind_of(source, ends[0]), kind_of(target, ends[1])};
            for (const IdKind kind : kinds) {
                if (kind == IdKind::missing) return scanner.fail(Fault::missing_id);
                if (kind != IdKind::whole && is_part_) return !(names_appeared_ = true);
                if (kind != IdKind::whole) whole = false;
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
        const EdgeRecords::Doubt& doubt = records_.doubt;
        if (last && scanner.fault == Fault::none && !records_.has_text && doubt.fault != Fault::none) {
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
