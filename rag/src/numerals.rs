//! The numbers of a text, digit by digit: how people write them, and whether one is another as far as that one is told.
//!
//! Groups are read as they are written in English (`1,234,567`), in Italian (`1.234.567`), with blanks (`1 234 567`), in
//! Switzerland (`1’234’567`) and in India (`12,34,567`). `1,234` groups, as of a comma before three digits, and `3,5` does not;
//! one point alone never does.
//!
//! Three ask: [`numerals`] for what an answer has right, which is not to be found in the name of a quarter; [`claims`] for what a
//! sentence says, of which nothing may be left out; and [`placed`] for what a question may give to a query. Texts may be hostile,
//! as 100 KB of digits: reading them takes time with their length, and no number is compared with each of the others.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

/// A number as it is written: its digits, without what groups them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Numeral {
    is_below: bool,
    whole: String,
    decimals: String,
}

impl Numeral {
    fn of(whole: &str, decimals: &str) -> Self {
        Self {
            is_below: false,
            whole: whole.to_owned(),
            decimals: decimals.to_owned(),
        }
    }

    /// What it is worth.
    pub(crate) fn value(&self) -> f64 {
        let sign = if self.is_below { "-" } else { "" };
        let written = format!("{sign}{}.{}", self.whole, self.decimals);
        written.parse().unwrap_or_default()
    }

    /// Its digits without what tells nothing: of `-007.50` that is `-7.5`.
    pub(crate) fn plain(&self) -> String {
        let whole = self.whole.trim_start_matches('0');
        let whole = if whole.is_empty() { "0" } else { whole };
        let decimals = self.decimals.trim_end_matches('0');
        let point = if decimals.is_empty() { "" } else { "." };
        let is_nothing = whole == "0" && decimals.is_empty();
        let sign = if self.is_below && !is_nothing {
            "-"
        } else {
            ""
        };
        format!("{sign}{whole}{point}{decimals}")
    }

    /// What it is if its one point groups: `1.234` may be 1234.
    fn grouped(&self) -> Option<Self> {
        let written = format!("{}.{}", self.whole, self.decimals);
        is_grouped(&written, '.').then(|| Self {
            is_below: self.is_below,
            whole: written.replace('.', ""),
            decimals: String::new(),
        })
    }

    /// It with so many decimals at most, and without zeros that tell nothing.
    fn rounded(&self, places: usize) -> Self {
        let kept = self.decimals.get(..places).unwrap_or(&self.decimals);
        let mut digits = format!("{}{kept}", self.whole);
        let next = self.decimals.as_bytes().get(places);
        if next.is_some_and(|next| *next >= b'5') {
            digits = one_more(&digits);
        }
        let (whole, decimals) = digits.split_at(digits.len() - kept.len());
        let whole = whole.trim_start_matches('0');
        let rounded = Self::of(whole, decimals.trim_end_matches('0'));
        // Nothing is neither above nor below it.
        let is_nothing = rounded.whole.is_empty() && rounded.decimals.is_empty();
        Self {
            is_below: self.is_below && !is_nothing,
            ..rounded
        }
    }
}

/// Whether each of the numbers that are wanted is among those that are given: the same once that is rounded to as many decimals
/// as it has. Digits, and not what they are worth: 2.675 is no number of a processor, and rounded there it is 2.67.
pub(crate) fn has_all(given: &[Numeral], wanted: &[Numeral]) -> bool {
    let mut by_places: BTreeMap<usize, Vec<&Numeral>> = BTreeMap::new();
    for numeral in wanted {
        let places = numeral.decimals.len();
        by_places.entry(places).or_default().push(numeral);
    }
    by_places.into_iter().all(|(places, wanted)| {
        let given = given.iter().map(|numeral| numeral.rounded(places));
        let given: HashSet<Numeral> = given.collect();
        let mut wanted = wanted.into_iter();
        wanted.all(|numeral| given.contains(&numeral.rounded(places)))
    })
}

/// The next number.
fn one_more(digits: &str) -> String {
    let kept = digits.trim_end_matches('9');
    let zeros = "0".repeat(digits.len() - kept.len());
    match kept.char_indices().next_back() {
        Some((last, digit)) => {
            let next = digit.to_digit(10).unwrap_or_default() + 1;
            format!("{}{next}{zeros}", &kept[..last])
        }
        None => format!("1{zeros}"),
    }
}

/// The numbers that a text has, in their order. What stands within a name (`Q3`, `10K`) is none, and a bracket around nothing
/// else is a minus, as it is in tables.
pub(crate) fn numerals(text: &str) -> Vec<Numeral> {
    let counted = runs(text).into_iter().filter(|run| !run.is_of_a_name);
    counted
        .flat_map(|run| signed(read(&run.digits()), run.is_below || run.is_bracketed))
        .collect()
}

/// Numbers as a sentence says them, and what they may be if they are not meant so.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    /// What is meant: one number most often.
    pub(crate) numerals: Vec<Numeral>,
    /// What may be meant as well: 5 and 100 by `5 100`, and 1234 by `1.234`. Nothing if there is no doubt, as of `5'100`.
    pub(crate) otherwise: Vec<Numeral>,
}

/// All that a text says in digits, in its order: also what stands within names, and each part of what points divide, as a day.
/// A bracket is no minus here: what stands alone in one is a year more often than a loss.
pub(crate) fn claims(text: &str) -> Vec<Claim> {
    runs(text).iter().map(claim).collect()
}

fn claim(run: &Run) -> Claim {
    let digits = run.digits();
    let numerals = match one(&digits) {
        Some(numeral) => vec![numeral],
        None => digits.split(',').flat_map(parts).collect(),
    };
    let numerals = signed(numerals, run.is_below);
    let otherwise = match numerals.as_slice() {
        _ if run.written.contains(is_blank) => {
            let groups = run.written.split(is_blank).flat_map(read);
            signed(groups.collect(), run.is_below)
        }
        [one] => one.grouped().into_iter().collect(),
        _ => Vec::new(),
    };
    Claim {
        numerals,
        otherwise,
    }
}

/// The numbers of a text with the bytes that each is written in, its minus among them. What is part of a word (`10K`, `x_7`) is
/// none, nor a list or a version; what follows the point of `Art.5` is one. A bracket is no minus here either. Where blanks may
/// group and may divide, as in `5 100`, each group is given too, within the bytes of the number that they are together and
/// behind it: whoever takes one of them has to leave the other.
pub(crate) fn placed(text: &str) -> Vec<(Range<usize>, f64)> {
    let apart = runs(text).into_iter().filter(|run| !run.is_of_a_word);
    apart
        .flat_map(|run| {
            let together = value(&run.digits(), run.is_below);
            let together = together.map(|value| (run.span.clone(), value));
            together.into_iter().chain(groups(&run))
        })
        .collect()
}

/// What these digits are worth if they are one number.
fn value(digits: &str, is_below: bool) -> Option<f64> {
    let mut numeral = one(digits)?;
    numeral.is_below = is_below;
    Some(numeral.value())
}

/// The numbers that the blanks of a run divide, if they may.
fn groups(run: &Run) -> Vec<(Range<usize>, f64)> {
    let pieces: Vec<&str> = run.written.split_inclusive(is_blank).collect();
    // No number is written 000, and so `10 000` is one.
    if pieces.len() < 2 || pieces.iter().any(|piece| piece.starts_with('0')) {
        return Vec::new();
    }
    let mut groups = Vec::new();
    let mut next = run.span.end - run.written.len();
    for (at, piece) in pieces.into_iter().enumerate() {
        let is_first = at == 0;
        let start = if is_first { run.span.start } else { next };
        let digits = piece.trim_end_matches(is_blank);
        let end = next + digits.len();
        next += piece.len();
        if let Some(value) = value(digits, is_first && run.is_below) {
            groups.push((start..end, value));
        }
    }
    groups
}

/// One number, or what points divide, each by itself.
fn parts(digits: &str) -> Vec<Numeral> {
    match one(digits) {
        Some(numeral) => vec![numeral],
        None => digits
            .split('.')
            .map(|part| Numeral::of(part, ""))
            .collect(),
    }
}

/// Numbers of which the first is below nothing, or is not.
fn signed(mut numerals: Vec<Numeral>, is_below: bool) -> Vec<Numeral> {
    if let Some(first) = numerals.first_mut() {
        first.is_below = is_below;
    }
    numerals
}

/// Digits, and what stands between them and belongs to them.
struct Run {
    written: String,
    /// Its bytes, from the minus on.
    span: Range<usize>,
    /// There is a minus before it.
    is_below: bool,
    /// There is a bracket around it and nothing else.
    is_bracketed: bool,
    is_of_a_name: bool,
    /// Letters are beside it.
    is_of_a_word: bool,
}

impl Run {
    /// Without what stands between groups and can be nothing else.
    fn digits(&self) -> String {
        self.written
            .chars()
            .filter(|sign| !is_mark(*sign))
            .collect()
    }
}

fn runs(text: &str) -> Vec<Run> {
    let (bytes, signs): (Vec<usize>, Vec<char>) = text.char_indices().unzip();
    let byte = |place: usize| bytes.get(place).copied().unwrap_or(text.len());
    let (mut runs, mut place) = (Vec::new(), 0);
    while place < signs.len() {
        if !signs[place].is_ascii_digit() {
            place += 1;
            continue;
        }
        let start = place;
        let before = start.checked_sub(1).map(|before| signs[before]);
        let two_before = start.checked_sub(2).map(|before| signs[before]);
        let follows_a_name = before.is_some_and(is_of_a_name);
        place = end(&signs, start, !follows_a_name);
        let next = signs.get(place).copied();
        // A bracket alone is no minus: in tables `(12)` is, and neither `(12 months)` nor `f(12)`.
        let is_bracketed = before == Some('(')
            && next == Some(')')
            && !two_before.is_some_and(char::is_alphanumeric);
        let is_below = matches!(before, Some('-' | '−')) && may_precede_minus(&signs[..start - 1]);
        let precedes_a_letter = next.is_some_and(|sign| sign.is_ascii_alphabetic());
        let follows_a_letter = before.is_some_and(|sign| sign.is_ascii_alphabetic() || sign == '_');
        runs.push(Run {
            written: signs[start..place].iter().collect(),
            span: byte(start - usize::from(is_below))..byte(place),
            is_below,
            is_bracketed,
            is_of_a_name: follows_a_name || precedes_a_letter,
            is_of_a_word: follows_a_letter || precedes_a_letter,
        });
    }
    runs
}

/// Whether what follows these signs is a minus, and not a hyphen or the dash of a range: `A-1`, `2010-2012`, `5%-10%`, `1.-5.`.
/// What marks words in Markdown tells nothing: in `**A**-1` it follows a letter.
fn may_precede_minus(signs: &[char]) -> bool {
    let mut signs = signs.iter().rev();
    let sign = signs.find(|sign| !matches!(sign, '*' | '_' | '`'));
    sign.is_none_or(|sign| !sign.is_alphanumeric() && !HYPHENATED.contains(*sign))
}

/// Beside letters and digits, what a minus follows only behind a blank: units, what ends names, what closes, and what belongs to
/// what comes then.
const HYPHENATED: &str = "%‰％°℃℉′″¢#®™℠©&§¶)]}）］｝】./+-−–—";

fn is_of_a_name(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || sign == '.' || sign == ','
}

/// What may stand between groups beside commas and points: a blank, or an apostrophe.
fn is_mark(sign: char) -> bool {
    is_blank(sign) || matches!(sign, '\'' | '’')
}

/// A blank, also a thin one or one at which no line breaks.
fn is_blank(sign: char) -> bool {
    matches!(sign, ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}')
}

/// Where the number ends that begins here: behind its digits, the groups with one and the same mark before them, and the commas
/// and points between them.
fn end(signs: &[char], start: usize, may_have_marks: bool) -> usize {
    let is_digit = |place: usize| signs.get(place).is_some_and(char::is_ascii_digit);
    let mut place = start;
    while is_digit(place) {
        place += 1;
    }
    let may_be_grouped = may_have_marks && signs[start] != '0' && place - start <= 3;
    let mark = signs.get(place).copied().filter(|sign| is_mark(*sign));
    if let Some(mark) = mark.filter(|_| may_be_grouped) {
        // Three digits, and no part of something longer: `3 100K` is no 3100.
        let is_group = |at: usize| {
            (at..at + 3).all(is_digit)
                && !signs.get(at + 3).is_some_and(char::is_ascii_alphanumeric)
        };
        while signs.get(place) == Some(&mark) && is_group(place + 1) {
            place += 4;
        }
    }
    while matches!(signs.get(place), Some(',' | '.')) && is_digit(place + 1) {
        place += 1;
        while is_digit(place) {
            place += 1;
        }
    }
    place
}

/// The numbers of digits with commas and points between them: one most often.
fn read(digits: &str) -> Vec<Numeral> {
    match one(digits) {
        Some(numeral) => vec![numeral],
        // A list without blanks, as 1,2,3. What points divide, as 3.5.2021, is a date or a version, and no number.
        None if digits.contains(',') => digits.split(',').filter_map(one).collect(),
        None => Vec::new(),
    }
}

/// The number that this is, if it is one.
fn one(digits: &str) -> Option<Numeral> {
    let Some(last) = digits.rfind([',', '.']) else {
        return Some(Numeral::of(digits, ""));
    };
    let (before, behind) = (&digits[..last], &digits[last + 1..]);
    let (mark, other) = match digits[last..].starts_with(',') {
        true => (',', '.'),
        false => ('.', ','),
    };
    let is_alone = !before.contains(mark);
    // 1,234 is grouped, and 1.234 is not: with a comma for decimals there are seldom three of them.
    if is_grouped(digits, mark) && !(is_alone && mark == '.') {
        return Some(Numeral::of(&digits.replace(mark, ""), ""));
    }
    let is_whole = !before.contains(other) || is_grouped(before, other);
    (is_alone && is_whole).then(|| Numeral::of(&before.replace(other, ""), behind))
}

/// Whether these are digits in groups with this mark between them: the last of three, and those before it of three, or as in
/// India of two.
fn is_grouped(digits: &str, mark: char) -> bool {
    let groups: Vec<&str> = digits.split(mark).collect();
    let [first, middle @ .., last] = groups.as_slice() else {
        return false;
    };
    let is_of = |group: &str, lengths: std::ops::RangeInclusive<usize>| {
        lengths.contains(&group.len()) && group.bytes().all(|digit| digit.is_ascii_digit())
    };
    is_of(first, 1..=3)
        && !first.starts_with('0')
        && middle.iter().all(|group| is_of(group, 2..=3))
        && is_of(last, 3..=3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<f64> {
        numerals(text).iter().map(Numeral::value).collect()
    }

    fn plain(numerals: &[Numeral]) -> Vec<String> {
        numerals.iter().map(Numeral::plain).collect()
    }

    fn is(one: &str, gold: &str) -> bool {
        has_all(&numerals(one), &numerals(gold))
    }

    #[test]
    fn numbers_are_read_as_people_write_them() {
        for (text, numbers) in [
            ("12%", vec![12.0]),
            ("(1,234.5) and 7", vec![-1234.5, 7.0]),
            ("(12 months)", vec![12.0]),
            ("Q3 of FY2018, 10K", vec![]),
            ("2019-2021", vec![2019.0, 2021.0]),
            ("1.", vec![1.0]),
            ("a-5", vec![5.0]),
            ("−5 °C", vec![-5.0]),
            ("2022年", vec![2022.0]),
            // A dash is a minus only where one can stand.
            ("5%-10%", vec![5.0, 10.0]),
            ("(-2.5), $-3", vec![-2.5, -3.0]),
            ("f(12)", vec![12.0]),
        ] {
            assert_eq!(values(text), numbers, "{text}");
        }
    }

    #[test]
    fn a_minus_is_one_wherever_no_word_and_no_range_goes_on() {
        for (text, numbers) in [
            ("**-5.2%**", vec!["-5.2"]),
            ("fell: **-5.2%**", vec!["-5.2"]),
            ("_-5_", vec!["-5"]),
            ("`-5`", vec!["-5"]),
            ("（-5）", vec!["-5"]),
            ("|-5|\\-6", vec!["-5", "-6"]),
            ("10^-5", vec!["10", "-5"]),
            ("5%-10%", vec!["5", "10"]),
            ("5 ℃-10 ℃", vec!["5", "10"]),
            ("1990-1995", vec!["1990", "1995"]),
            ("*1990*-1995", vec!["1990", "1995"]),
            ("COVID-19", vec!["19"]),
            ("**COVID**-19", vec!["19"]),
            ("(A)-1", vec!["1"]),
            ("1.-5. May", vec!["1", "5"]),
            ("+/-5", vec!["5"]),
            ("10--20", vec!["10", "20"]),
            ("C#-7", vec!["7"]),
            ("Windows®-10", vec!["10"]),
            ("Model™-3", vec!["3"]),
            ("5¢-10¢", vec!["5", "10"]),
            ("R&-5, §-3, # -4", vec!["5", "3", "-4"]),
        ] {
            assert_eq!(plain(&numerals(text)), numbers, "{text}");
            let claimed = claims(text);
            let claimed = claimed.iter().flat_map(|claim| plain(&claim.numerals));
            assert_eq!(claimed.collect::<Vec<_>>(), numbers, "{text}");
        }
    }

    #[test]
    fn what_groups_is_told_from_what_divides() {
        for (text, numbers) in [
            // Commas.
            ("1,234", vec![1234.0]),
            ("1,234,567", vec![1_234_567.0]),
            ("12,34,567 rupees", vec![1_234_567.0]),
            ("3,5", vec![3.5]),
            ("10,00 €", vec![10.0]),
            ("0,125", vec![0.125]),
            ("1,2345", vec![1.2345]),
            ("1,2,3", vec![1.0, 2.0, 3.0]),
            ("-1,2,3", vec![-1.0, 2.0, 3.0]),
            // Points.
            ("1.234", vec![1.234]),
            ("1.234.567", vec![1_234_567.0]),
            ("3.5.2021", vec![]),
            // Both.
            ("1,234.5", vec![1234.5]),
            ("1.234,5", vec![1234.5]),
            ("1.234.567,89", vec![1_234_567.89]),
            ("1,234,567.89", vec![1_234_567.89]),
            ("1,5.2", vec![1.0, 5.2]),
            // Blanks.
            ("1 234", vec![1234.0]),
            ("1 234 567,8", vec![1_234_567.8]),
            ("12\u{a0}345\u{202f}678", vec![12345.0, 678.0]),
            ("12\u{202f}345\u{202f}678", vec![12_345_678.0]),
            ("in 2021 100 were sold", vec![2021.0, 100.0]),
            ("1 2345", vec![1.0, 2345.0]),
            ("06 123", vec![6.0, 123.0]),
            ("3 100K", vec![3.0]),
            ("Q3 100 tons", vec![100.0]),
            ("1\u{2009}234\u{2009}567", vec![1_234_567.0]),
            // Apostrophes.
            ("1’234’567.8 and 1'500", vec![1_234_567.8, 1500.0]),
            ("12'34", vec![12.0, 34.0]),
        ] {
            assert_eq!(values(text), numbers, "{text}");
        }
        // Long ones are digits as well.
        let long = "9".repeat(60);
        assert_eq!(numerals(&long), [Numeral::of(&long, "")]);
    }

    #[test]
    fn all_that_is_said_in_digits_is_claimed() {
        for (text, numerals, otherwise) in [
            ("FY2018", vec!["2018"], vec![]),
            ("20mg", vec!["20"], vec![]),
            ("(12)", vec!["12"], vec![]),
            ("-007.50", vec!["-7.5"], vec![]),
            ("-0", vec!["0"], vec![]),
            ("3,5", vec!["3.5"], vec![]),
            ("1,000", vec!["1000"], vec![]),
            ("3.5.2021", vec!["3", "5", "2021"], vec![]),
            ("1,2,3", vec!["1", "2", "3"], vec![]),
            ("1.2.3,4", vec!["1", "2", "3", "4"], vec![]),
            ("-1.234", vec!["-1.234"], vec!["-1234"]),
            ("0.125", vec!["0.125"], vec![]),
            ("1\u{a0}234,5", vec!["1234.5"], vec!["1", "234.5"]),
            // An apostrophe divides nothing.
            ("1'500", vec!["1500"], vec![]),
            ("1’234’567", vec!["1234567"], vec![]),
        ] {
            let claims = claims(text);
            assert_eq!(claims.len(), 1, "{text}");
            assert_eq!(plain(&claims[0].numerals), numerals, "{text}");
            assert_eq!(plain(&claims[0].otherwise), otherwise, "{text}");
        }
    }

    #[test]
    fn what_blanks_may_group_is_placed_together_and_apart() {
        for (text, numbers) in [
            (
                "the top 5 100-page books",
                vec![("5 100", 5100.0), ("5", 5.0), ("100", 100.0)],
            ),
            (
                "−5 100, 7",
                vec![
                    ("−5 100", -5100.0),
                    ("−5", -5.0),
                    ("100", 100.0),
                    ("7", 7.0),
                ],
            ),
            (
                "of 1\u{a0}234,5",
                vec![("1\u{a0}234,5", 1234.5), ("1", 1.0), ("234,5", 234.5)],
            ),
            // Groups and nothing else.
            ("10 000", vec![("10 000", 10_000.0)]),
            ("1 234 056", vec![("1 234 056", 1_234_056.0)]),
            ("5'100", vec![("5'100", 5100.0)]),
            // No number together.
            ("5 100.2.3", vec![("5", 5.0)]),
        ] {
            let placed = placed(text).into_iter();
            let placed: Vec<(&str, f64)> =
                placed.map(|(span, value)| (&text[span], value)).collect();
            assert_eq!(placed, numbers, "{text}");
        }
    }

    #[test]
    fn one_is_another_if_it_is_so_with_the_digits_of_that() {
        for (one, gold) in [
            ("2022", "2022"),
            ("10,000", "10000"),
            ("1577.4", "1,577"),
            ("1,577", "$1577.00"),
            ("3.14159", "3.14"),
            ("2.675", "2.68"),
            ("9.996", "10.00"),
            ("3,5", "3.5"),
            ("-0.4", "0"),
            ("007", "7"),
            ("0.50", "0.500"),
        ] {
            assert!(is(one, gold), "{one} is {gold}");
        }
        for (one, gold) in [
            ("2021", "2022"),
            ("10,005", "10,000"),
            ("1577.5", "1,577"),
            ("12.3", "12.34"),
            ("3.1", "3.14"),
            ("3", "3.14"),
            ("-5", "5"),
            ("35", "3,5"),
            ("0.5", "0.05"),
            ("0.5", "5"),
        ] {
            assert!(!is(one, gold), "{one} is not {gold}");
        }
        let nines = "9".repeat(60);
        assert!(is(&format!("{nines}.5"), &format!("1{}", "0".repeat(60))));
    }

    #[test]
    fn what_is_long_is_compared_as_well_and_in_no_long_time() {
        let long = format!("0.{}", "1".repeat(70_000));
        assert!(is(&long, &long) && is(&format!("{long}4"), &long));
        assert!(is(&long, "0.11") && !is("0.11", &long) && !is("1", &long));
        // Each of them one by one with each of the others would take minutes.
        let many: Vec<String> = (10_000..30_000).map(|number| number.to_string()).collect();
        let many = many.join(" ");
        assert!(is(&many, &many) && !is(&many, &format!("{many} 9")));
        let grouped = format!("1{}", " 234".repeat(25_000));
        assert_eq!(numerals(&grouped).len(), 1);
        assert_eq!(claims(&grouped)[0].otherwise.len(), 25_001);
        assert_eq!(placed(&grouped).len(), 25_002);
        assert_eq!(numerals(&"1,2.".repeat(25_000)).len(), 25_001);
        assert_eq!(numerals(&format!("{}-5", "*".repeat(100_000))).len(), 1);
    }
}
