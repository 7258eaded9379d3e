//! Times on the command line: RFC 3339 or seconds since 1970.

/// Days from 1970-01-01 to a date of the Gregorian calendar (years counted from March, so that leap days end a year).
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The number of so many digits at the front, within bounds, and the rest.
fn number(text: &str, digits: usize, least: i64, most: i64) -> Option<(i64, &str)> {
    let (head, rest) = text.split_at_checked(digits)?;
    let value = head.bytes().all(|byte| byte.is_ascii_digit()).then(|| head.parse().ok())??;
    (least..=most).contains(&value).then_some((value, rest))
}

fn month_days(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn rfc3339(text: &str) -> Option<i64> {
    let (year, rest) = number(text, 4, 0, 9_999)?;
    let (month, rest) = number(rest.strip_prefix('-')?, 2, 1, 12)?;
    let (day, rest) = number(rest.strip_prefix('-')?, 2, 1, month_days(year, month))?;
    let (hour, rest) = number(rest.strip_prefix(['T', 't', ' '])?, 2, 0, 23)?;
    let (minute, rest) = number(rest.strip_prefix(':')?, 2, 0, 59)?;
    // A leap second is counted as the second before it, as POSIX time does.
    let (second, rest) = number(rest.strip_prefix(':')?, 2, 0, 60)?;
    let zone = match rest.strip_prefix('.') {
        Some(fraction) => {
            let zone = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
            (zone.len() < fraction.len()).then_some(zone)?
        }
        None => rest,
    };
    let ahead = match zone.as_bytes().first()? {
        b'Z' | b'z' if zone.len() == 1 => 0,
        sign @ (b'+' | b'-') => {
            let (hours, rest) = number(zone.get(1..)?, 2, 0, 23)?;
            let (minutes, rest) = number(rest.strip_prefix(':')?, 2, 0, 59)?;
            rest.is_empty().then_some(())?;
            (hours * 3_600 + minutes * 60) * if *sign == b'-' { -1 } else { 1 }
        }
        _ => return None,
    };
    Some(days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second.min(59) - ahead)
}

/// Seconds since 1970, UTC. The error says what is expected.
pub fn parse(text: &str) -> Result<i64, String> {
    text.parse().ok().or_else(|| rfc3339(text)).ok_or_else(|| {
        "expected RFC 3339 such as 2026-11-29T15:44:00Z or 2026-11-29T16:44:00+01:00, or seconds since 1970".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The right-hand sides are `date -u -d TEXT +%s` of GNU coreutils.
    #[test]
    fn times_are_what_date_says() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29T23:59:59Z", 951_868_799),
            ("2025-10-21T18:09:33.25+02:00", 1_761_062_973),
            ("1969-12-31 23:59:59-00:00", -1),
            ("2026-11-29T16:44:00+01:00", 1_795_967_040),
            ("1761062973", 1_761_062_973),
        ] {
            assert_eq!(parse(text), Ok(seconds), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "2025-02-29T00:00:00Z",
            "2025-10-21",
            "2025-10-21T18:09:33",
            "2025-10-21T18:09:33+2",
            "2025-13-01T00:00:00Z",
            "now",
            "2025-1é-01T00:00:00Z",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
