//! Numbers of passages that a model writes into its sentences, `[2]` or `[2, 5]`, as it is shown passages by them. They are
//! sources of the sentence and no part of what it says.

use super::super::reply::{Ground, clean_long_text};

/// The most digits of a number of a passage: what has more is a year, or something else that stands in brackets.
const MOST_DIGITS: usize = 3;

/// A sentence of a reply without addresses that nobody gave the model and without such numbers, and the numbers.
pub(super) fn said(sentence: &str, ground: &Ground, most: usize) -> (String, Vec<i64>) {
    let mut text = clean_long_text(sentence, ground, most);
    let mut all = Vec::new();
    loop {
        let (kept, cited) = taken_out(&text);
        if cited.is_empty() {
            return (text, all);
        }
        all.extend(cited);
        // What stood on both sides of a number may be an address or a number now.
        text = clean_long_text(&kept, ground, most);
    }
}

/// A sentence without numbers of passages, and these in their order.
fn taken_out(text: &str) -> (String, Vec<i64>) {
    let mut kept = String::with_capacity(text.len());
    let mut cited = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('[') {
        let (before, bracket) = rest.split_at(at);
        kept.push_str(before);
        match numbers_in(bracket) {
            Some((numbers, after)) => {
                cited.extend(numbers);
                rest = after;
                // The blank before it goes as well, or a full stop would stand alone.
                if !after.starts_with(|sign: char| sign.is_alphanumeric() || sign == '(') {
                    kept.truncate(kept.trim_end().len());
                }
            }
            None => {
                kept.push('[');
                rest = &bracket[1..];
            }
        }
    }
    kept.push_str(rest);
    (kept, cited)
}

/// The numbers in the bracket that a text begins with, if there is nothing else in it, and what comes after it. Passages are
/// counted from 1: `[0, 1]` and `a[0]` are no numbers of theirs.
fn numbers_in(bracket: &str) -> Option<(Vec<i64>, &str)> {
    let (inner, after) = bracket.strip_prefix('[')?.split_once(']')?;
    let number = |part: &str| -> Option<i64> {
        let digits = part.trim();
        let is_short = (1..=MOST_DIGITS).contains(&digits.len());
        let is_number = is_short && digits.bytes().all(|byte| byte.is_ascii_digit());
        let number: Option<i64> = digits.parse().ok();
        number.filter(|number| is_number && *number > 0)
    };
    let numbers = inner.split([',', ';', '，', '、', '；']).map(number);
    let numbers: Option<Vec<i64>> = numbers.collect();
    Some((numbers?, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(text: &str) -> (String, Vec<i64>) {
        said(text, &Ground::of(["See https://bank.example/rates."]), 200)
    }

    #[test]
    fn numbers_of_passages_are_taken_out() {
        for (text, kept, cited) in [
            ("Basalt was lava [1].", "Basalt was lava.", &[1][..]),
            (
                "[2] Basalt was [3, 1] lava[7]!",
                "Basalt was lava!",
                &[2, 3, 1, 7],
            ),
            ("Lava [1][2] and [ 4;5 ] ash", "Lava and ash", &[1, 2, 4, 5]),
            ("Lava [1]was it", "Lava was it", &[1]),
            ("它是岩石[1]。", "它是岩石。", &[1]),
            ("[1]", "", &[1]),
        ] {
            assert_eq!(taken(text), (kept.to_owned(), cited.to_vec()), "{text}");
        }
    }

    #[test]
    fn what_else_stands_in_brackets_stays() {
        for text in [
            "It lies in [0, 1] and a[0] is first.",
            "In [2019] it was [sic] called [1a] or [-1] or [1.5] or [].",
            "[[ and [1",
        ] {
            assert_eq!(taken(text), (text.to_owned(), Vec::new()));
        }
    }

    #[test]
    fn what_is_taken_out_leaves_no_address_and_no_number_behind() {
        assert_eq!(
            taken("See /[1]/evil.example/b now"),
            ("See now".to_owned(), vec![1])
        );
        assert_eq!(taken("See [1[2]] now"), ("See now".to_owned(), vec![2, 1]));
        let hidden = "It is [\u{200B}3, https://evil.example/ 4].";
        assert_eq!(taken(hidden), ("It is.".to_owned(), vec![3, 4]));
        let link = "Look [1](//evil.example/b) or [1](https://bank.example/rates)";
        assert_eq!(taken(link).0, "Look or (https://bank.example/rates)");
    }
}
