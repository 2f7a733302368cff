// Cuts text into records of fields, and says what a field could be as an id.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace egonet::input {

struct TextFormat {
    char delimiter = 0;      // 0: fields are parted by runs of blanks
    std::string comment;     // a line that starts with one of these is skipped
    std::string doubtful;    // a line that starts with one of these is a fault
    std::size_t source = 0;  // columns of the two ids
    std::size_t target = 1;
    std::size_t num_fields = 0;  // 0: any number that reaches both columns; else exactly this many
    std::size_t skip = 0;        // records to pass over first (a header)
    std::string header_source;   // what a header says in the two columns; empty without one
    std::string header_target;
};

enum class Fault {
    none,
    few_fields,
    field_count,
    missing_id,
    not_whole,
    float_id,
    open_quote,
    after_quote,
    long_line,
    doubtful,
    header,
    nul
};

struct Field {
    std::string_view text;
    bool quoted = false;
    bool trimmed = false;  // blanks before or after it were left out
};

// What a field could be as an id. `whole_float` is a whole number as 17.0, which programs write for a column with gaps:
// an error in a file that has names. `number` is a broken number or a word for "missing": an error in a file of numbers,
// an ordinary name in a file that has names.
enum class IdKind { whole, whole_float, large, number, missing, text };

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

// The spellings that programs write for a missing value; "Nan", "null" and "NA" are names.
inline bool is_missing(const Field& field) {
    if (field.text.empty()) return true;
    if (field.quoted || field.text.size() > 4) return false;
    for (const char* word : {"nan", "NaN", "NAN", "NULL", "None", "\\N", "<NA>", "N/A"}) {
        if (field.text == word) return true;
    }
    return false;
}

// Whether all characters are digits, of which there is at least one.
inline bool is_digits(std::string_view text) {
    bool digits = !text.empty();
    for (const char c : text) digits = digits && is_digit(c);
    return digits;
}

// The largest number of digits of a float that is a whole number, all of which a float keeps.
inline constexpr std::size_t kExactDigits = 15;

inline IdKind kind_of(const Field& field, std::int64_t& value) {
    const std::string_view text = field.text;
    if (is_missing(field)) return IdKind::missing;
    const bool negative = text[0] == '-';
    std::string_view digits = text.substr(negative);
    const bool is_float = !field.quoted && digits.ends_with(".0") && digits.size() <= kExactDigits + 2;
    if (is_float) digits.remove_suffix(2);
    if (is_digits(digits)) {
        const bool zero = digits[0] == '0';
        if (zero && digits.size() > 1) return IdKind::text;      // 007 is not 7
        if (zero && negative && !is_float) return IdKind::text;  // nor is -0 the same as 0
        const char* last = digits.data() + digits.size();
        const auto [end, problem] = std::from_chars(text.data(), last, value);
        if (problem != std::errc() || end != last) return IdKind::large;
        return is_float ? IdKind::whole_float : IdKind::whole;
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

}  // namespace egonet::input
