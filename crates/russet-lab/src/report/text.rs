//! Numbers and names as people read them, safe in a page.

/// Text with the characters that mean something in HTML and SVG replaced.
pub(super) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // XML has no place for other control characters, not even escaped.
            control if control.is_control() && !matches!(control, '\n' | '\t') => safe.push('\u{fffd}'),
            other => safe.push(other),
        }
    }
    safe
}

/// A number with as many decimals as make three digits or more: 0.0123, 1.23, 12.3, 1,230.
pub(super) fn number(value: f64) -> String {
    if value.is_infinite() {
        return if value > 0.0 { "∞" } else { "−∞" }.to_owned();
    }
    let rounded = fixed(value, if value == 0.0 { 0 } else { decimals(value.abs(), 3) });
    if rounded.trim_matches(['−', '0', '.']).is_empty() { "0".to_owned() } else { rounded }
}

/// A ratio, to the decimal that matters: 0.87, 2.7, 33.
pub(super) fn ratio(value: f64) -> String {
    fixed(value, if value < 1.0 { 2 } else { usize::from(value < 9.95) })
}

/// A number with so many decimals, a true minus and commas between thousands.
pub(super) fn fixed(value: f64, decimals: usize) -> String {
    let plain = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = plain.split_at(plain.find('.').unwrap_or(plain.len()));
    let mut grouped = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let sign = if value < 0.0 && plain.chars().any(|digit| matches!(digit, '1'..='9')) { "−" } else { "" };
    format!("{sign}{grouped}{fraction}")
}

/// How many decimals show `digits` digits of a positive value, at most six.
pub(super) fn decimals(value: f64, digits: i32) -> usize {
    (digits - 1 - value.log10().floor() as i32).clamp(0, 6) as usize
}

/// A share in percent.
pub(super) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent > 0.0 && percent < 0.1 {
        "<0.1%".to_owned()
    } else {
        format!("{}%", fixed(percent, usize::from(percent < 9.95)))
    }
}

/// A stretch of time in the unit that suits it: 0.3 s, 12 s, 4.2 min, 3.1 h, 12 days.
pub(super) fn duration(seconds: f64) -> String {
    let (value, unit) = match seconds {
        seconds if seconds < 120.0 => (seconds, "s"),
        seconds if seconds < 7200.0 => (seconds / 60.0, "min"),
        seconds if seconds < 172_800.0 => (seconds / 3600.0, "h"),
        seconds => (seconds / 86_400.0, "days"),
    };
    format!("{} {unit}", ratio(value))
}

/// Names in a row: `a, b and c`.
pub(super) fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// `1 set`, `2 sets`.
pub(super) fn count(number: usize, noun: &str) -> String {
    format!("{} {noun}{}", fixed(number as f64, 0), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_harmless() {
        assert_eq!(escape("<script>'\"&\u{1}"), "&lt;script&gt;&#39;&quot;&amp;\u{fffd}");
    }

    #[test]
    fn numbers_have_three_digits() {
        let texts = [0.0, 0.012_34, -1.234, 12.34, 1234.5, 1e-9, f64::NEG_INFINITY, 999.96].map(number);
        assert_eq!(texts, ["0", "0.0123", "−1.23", "12.3", "1,234", "0", "−∞", "1,000"]);
    }

    #[test]
    fn times_ratios_and_shares() {
        assert_eq!([0.31, 90.0, 300.0, 10_000.0, 1e6].map(duration), ["0.31 s", "90 s", "5.0 min", "2.8 h", "12 days"]);
        assert_eq!([0.872, 2.71, 33.1].map(ratio), ["0.87", "2.7", "33"]);
        assert_eq!([0.0, 0.0001, 0.052, 0.5].map(percent), ["0.0%", "<0.1%", "5.2%", "50%"]);
    }

    #[test]
    fn names_in_a_row() {
        let names = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(list(&names), "a, b and c");
        assert_eq!(list(&names[..1]), "a");
        assert_eq!((count(1, "set"), count(2000, "set")), ("1 set".to_owned(), "2,000 sets".to_owned()));
    }
}
