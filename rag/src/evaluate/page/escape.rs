//! Text from outside, as text in a page.

/// A text that no browser takes for anything else, within an element or within quotes.
pub(super) fn text(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // Not allowed in a page at all.
            sign if sign.is_control() && !matches!(sign, '\n' | '\t') => safe.push('\u{fffd}'),
            sign => safe.push(sign),
        }
    }
    safe
}
