//! How numbers read, everywhere: counts, differences, shares, dates.
//!
//! A difference has a direction and a size and no verdict: nothing here says "better" or "worse".

use std::cmp::Ordering;

/// A count with thousands separators: `1234567` → `1,234,567`, `-1234` → `−1,234` (true minus).
pub fn count(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3 + 3);
    if value < 0 {
        out.push('−');
    }
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A value of a chart: whole numbers as [`count`], others with at most two decimals.
pub fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 9e15 {
        #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
        return count(value as i64);
    }
    let text = format!("{:.2}", value.abs());
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{}{text}", if value < 0.0 { "−" } else { "" })
}

/// `▲ +20`, `▼ −453`, `=`.
pub fn delta(before: i64, now: i64) -> String {
    let difference = now.saturating_sub(before);
    match difference.cmp(&0) {
        Ordering::Equal => "=".to_owned(),
        Ordering::Greater => format!("▲ +{}", count(difference)),
        Ordering::Less => format!("▼ {}", count(difference)),
    }
}

/// `+20`, `−453`, `0`: a difference where there is no room for a triangle, and in exports.
pub fn signed(difference: i64) -> String {
    if difference > 0 { format!("+{}", count(difference)) } else { count(difference) }
}

/// A difference of chart values, as [`delta`].
pub fn delta_number(before: f64, now: f64) -> String {
    let difference = now - before;
    if difference > 0.0 {
        format!("▲ +{}", number(difference))
    } else if difference < 0.0 {
        format!("▼ {}", number(difference))
    } else {
        "=".to_owned()
    }
}

/// A part of a whole in percent with one decimal (`37.5 %`); `–` when the whole is 0.
pub fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "–".to_owned();
    }
    format!("{:.1} %", part as f64 * 100.0 / whole as f64)
}

/// Thousandths as whole percent: `112` → `11 %`, `3` → `< 1 %`, `0` → `0 %`.
pub fn permille(value: u64) -> String {
    match value {
        1..10 => "< 1 %".to_owned(),
        _ => format!("{} %", (value + 5) / 10),
    }
}

/// Seconds since 1970 as a UTC day, `2025-10-13`; years beyond ±9999 are not cut.
///
/// Civil-from-days after Howard Hinnant's `chrono`-compatible low-level date algorithms.
pub fn day(seconds: i64) -> String {
    let days = seconds.div_euclid(86_400) + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// `1 kernel`, `2 kernels`.
pub fn plural(number: u64, word: &str) -> String {
    let number_text = count(i64::try_from(number).unwrap_or(i64::MAX));
    if number == 1 { format!("{number_text} {word}") } else { format!("{number_text} {word}s") }
}

/// Text without control characters, cut at a character boundary with a mark.
pub fn cut(text: &str, bytes: usize) -> String {
    const MARK: &str = "…";
    if text.len() <= bytes {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(bytes.saturating_sub(MARK.len()));
    format!("{}{MARK}", text.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousandths_read_as_percent() {
        let read = [0, 3, 10, 114, 115, 1000].map(permille);
        assert_eq!(read, ["0 %", "< 1 %", "1 %", "11 %", "12 %", "100 %"]);
    }

    #[test]
    fn counts_have_separators_and_a_true_minus() {
        for (value, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (-17_408, "−17,408"), (1_234_567, "1,234,567")]
        {
            assert_eq!(count(value), text);
        }
    }

    #[test]
    fn a_difference_says_direction_and_size() {
        assert_eq!(delta(0, 20), "▲ +20");
        assert_eq!(delta(863, 410), "▼ −453");
        assert_eq!(delta(64, 64), "=");
        assert_eq!(signed(-5), "−5");
        assert_eq!(signed(5), "+5");
        assert_eq!(delta_number(1.5, 1.25), "▼ −0.25");
    }

    #[test]
    fn values_of_charts_keep_two_decimals() {
        assert_eq!(number(605.4), "605.4");
        assert_eq!(number(-0.125), "−0.12");
        assert_eq!(number(20.0), "20");
    }

    #[test]
    fn days_are_civil_dates() {
        assert_eq!(day(0), "1970-01-01");
        assert_eq!(day(951_782_400), "2000-02-29");
        assert_eq!(day(-1), "1969-12-31");
        assert_eq!(day(1_760_313_600), "2025-10-13");
    }

    #[test]
    fn shares_of_nothing_are_a_dash() {
        assert_eq!(share(3, 8), "37.5 %");
        assert_eq!(share(0, 0), "–");
        assert_eq!(plural(1, "build"), "1 build");
        assert_eq!(plural(2_000, "build"), "2,000 builds");
    }

    #[test]
    fn cut_text_keeps_whole_characters_and_says_so() {
        assert_eq!(cut("äöü", 6), "äöü");
        assert_eq!(cut("äöüß", 6), "ä…");
    }
}
