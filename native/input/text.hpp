// Reads edge lists from text as it streams in: two columns of ids, whole numbers as long as all of them are.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
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

inline bool is_missing(const Field& field) {
    return field.text.empty() || (field.text.size() == 3 && !field.quoted && same_word(field.text, "nan"));
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
    for (const char* word : {"na", "null", "none", "\\n", "inf", "-inf", "infinity", "-infinity"}) {
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
    std::string_view record;
    std::int64_t line = 0;         // lines read so far
    std::int64_t record_line = 0;  // where the current record starts, counted from 1
    Fault fault = Fault::none;
    std::int64_t fault_line = 0;
    std::string fault_text;

private:
    // Both cutters leave `at` on the line break (or the end) after the record.
    bool cut_blanks(const char* begin, const char*& at, const char* end, bool last, std::int64_t& lines) {
        if (!unescaped_.empty()) unescaped_.clear();
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
        if (!unescaped_.empty()) unescaped_.clear();
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
        std::string& plain = unescaped_.emplace_back();
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
    std::deque<std::string> unescaped_;
};

// Takes text in chunks of any size; ids are whole numbers until the first that is not, then strings throughout.
class EdgeText {
public:
    static constexpr std::size_t kLongestLine = std::size_t{64} << 20;

    explicit EdgeText(const TextFormat& format) : scanner(format), format_(format) {}

    // Returns false once there is a fault; what follows is then not read.
    bool feed(std::string_view chunk, bool last) {
        if (scanner.fault != Fault::none) return false;
        const std::size_t nul = chunk.find('\0');
        buffer_.append(chunk.substr(0, nul));
        const char* cursor = buffer_.data();
        const char* end = cursor + buffer_.size();
        while (read_plain(cursor) || read_record(cursor, end, last)) {
        }
        number_pending();  // before the bytes they point into move
        const auto rest = static_cast<std::size_t>(end - cursor);
        if (scanner.fault == Fault::none && (rest > kLongestLine || nul != std::string_view::npos)) {
            scanner.record = {cursor, rest};
            scanner.record_line = scanner.line + 1;
            scanner.fail(nul != std::string_view::npos ? Fault::nul : Fault::long_line);
        }
        if (last && scanner.fault == Fault::none && !has_text_ && doubt_.fault != Fault::none) take_doubt();
        buffer_.erase(0, buffer_.size() - rest);
        return scanner.fault == Fault::none;
    }

    // Every id is kept as a name from now on, even if it is a number: for a reader that cannot keep the values.
    void expect_names() {
        if (whole_) turn_to_names();
    }

    bool is_whole() const { return whole_; }        // all ids fit 64 bits: the values are the ids
    bool is_numeric() const { return !has_text_; }  // all ids are whole numbers, some perhaps larger
    std::vector<std::int64_t> take_values() { return std::exchange(values_, {}); }
    std::vector<std::int32_t> take_codes() { return std::exchange(codes_, {}); }
    const ByteTable& names() const { return names_; }
    const std::vector<std::int64_t>& name_lines() const { return name_lines_; }
    bool has_extra() const { return has_extra_; }
    std::int64_t num_trimmed() const { return num_trimmed_; }    // ids without the blanks around them
    std::int64_t trimmed_line() const { return trimmed_line_; }  // where the first of them is

    RecordScanner scanner;
    std::size_t num_found = 0;  // fields in the record at fault

private:
    // The common line, "123<delimiter>456<break>", without the general scanner; false leaves `cursor` in place.
    bool read_plain(const char*& cursor) {
        if (!whole_ || format_.source != 0 || format_.target != 1 || format_.num_fields > 2 || format_.skip)
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
        values_.push_back(ends[0]);
        values_.push_back(ends[1]);
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
        has_extra_ = has_extra_ || num_found > 2;
        return take(scanner.fields[format_.source], scanner.fields[format_.target]);
    }

    bool take(const Field& source, const Field& target) {
        if (source.trimmed || target.trimmed) {
            num_trimmed_ += source.trimmed + target.trimmed;
            if (!trimmed_line_) trimmed_line_ = scanner.record_line;
        }
        if (has_text_) {  // every id is a name now; only a missing one is left to look for
            if (is_missing(source) || is_missing(target)) return scanner.fail(Fault::missing_id);
            pend(source.text);
            pend(target.text);
            // A quoted field may live in the scanner's own memory, which the next record overwrites.
            if (num_pending_ == ByteTable::kBatch || source.quoted || target.quoted) number_pending();
            return true;
        }
        std::int64_t ends[2];
        const IdKind kinds[2] = {kind_of(source, ends[0]), kind_of(target, ends[1])};
        for (const IdKind kind : kinds) {
            if (kind == IdKind::missing) return scanner.fail(Fault::missing_id);
            if (kind != IdKind::whole && whole_) turn_to_names();
            if (kind == IdKind::text) has_text_ = true;
            if (kind == IdKind::number && doubt_.fault == Fault::none) {
                doubt_ = {Fault::not_whole, scanner.record_line, std::string(scanner.record.substr(0, 200))};
            }
        }
        if (whole_) {
            values_.insert(values_.end(), ends, ends + 2);
        } else {
            take_name(source.text);
            take_name(target.text);
        }
        return true;
    }

    void take_name(std::string_view name) {
        codes_.push_back(names_.number(name));
        if (names_.size() > name_lines_.size()) name_lines_.push_back(scanner.record_line);
    }

    void pend(std::string_view name) {
        pending_[num_pending_] = name;
        pending_lines_[num_pending_++] = scanner.record_line;
    }

    void number_pending() {
        std::int32_t codes[ByteTable::kBatch];
        names_.number_batch(pending_.data(), num_pending_, codes);
        codes_.insert(codes_.end(), codes, codes + num_pending_);
        // A code that has no line yet is the next new one: new codes rise by one each.
        for (std::size_t i = 0; i < num_pending_; ++i) {
            if (codes[i] == static_cast<std::int32_t>(name_lines_.size())) name_lines_.push_back(pending_lines_[i]);
        }
        num_pending_ = 0;
    }

    // Numbers were read in their shortest form, so writing them out gives the text they came from.
    void turn_to_names() {
        whole_ = false;
        codes_.reserve(values_.capacity());
        for (const std::int64_t value : values_) {
            char digits[24];
            const auto [end, problem] = std::to_chars(digits, digits + sizeof digits, value);
            take_name({digits, static_cast<std::size_t>(end - digits)});
        }
        values_ = {};
    }

    void take_doubt() {
        scanner.fault = doubt_.fault;
        scanner.fault_line = doubt_.line;
        scanner.fault_text = doubt_.text;
    }

    struct Doubt {
        Fault fault = Fault::none;
        std::int64_t line = 0;
        std::string text;
    };

    TextFormat format_;
    std::string buffer_;
    bool whole_ = true;
    bool has_text_ = false;
    bool has_extra_ = false;
    std::int64_t num_trimmed_ = 0, trimmed_line_ = 0;
    Doubt doubt_;
    std::vector<std::int64_t> values_;
    std::vector<std::int32_t> codes_;
    std::vector<std::int64_t> name_lines_;
    ByteTable names_;
    std::array<std::string_view, ByteTable::kBatch> pending_;
    std::array<std::int64_t, ByteTable::kBatch> pending_lines_;
    std::size_t num_pending_ = 0;
};

}  // namespace egonet::input
