//! The numbers of a text, digit by digit: how people write them, and whether one is another as far as that one is told.
//!
//! Groups are read as they are written in English (`1,234,567`), in Italian (`1.234.567`), with blanks (`1 234 567`) and in
//! India (`12,34,567`). `1,234` groups, as of a comma before three digits, and `3,5` does not; one point alone never does.

/// A number as it is written: its digits, without what groups them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Numeral {
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
    pub(super) fn value(&self) -> f64 {
        let sign = if self.is_below { "-" } else { "" };
        let written = format!("{sign}{}.{}", self.whole, self.decimals);
        written.parse().unwrap_or_default()
    }

    /// Whether it is this number: the same once it is rounded to as many decimals as that has. Digits, and not what they are
    /// worth: 2.675 is no number of a processor, and rounded there it is 2.67.
    pub(super) fn is(&self, gold: &Self) -> bool {
        let places = gold.decimals.len();
        let (ours, theirs) = (self.rounded(places), gold.rounded(places));
        // Nothing is neither above nor below it.
        ours == theirs && (self.is_below == gold.is_below || theirs.is_empty())
    }

    /// The digits up to so many decimals, without zeros before them.
    fn rounded(&self, places: usize) -> String {
        let mut digits = format!("{}{:0<places$.places$}", self.whole, self.decimals);
        let next = self.decimals.as_bytes().get(places);
        if next.is_some_and(|next| *next >= b'5') {
            digits = one_more(&digits);
        }
        digits.trim_start_matches('0').to_owned()
    }
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

/// The numbers that a text has, in their order. What stands within a name (`Q3`, `10K`) is none.
pub(super) fn numerals(text: &str) -> Vec<Numeral> {
    let signs: Vec<char> = text.chars().collect();
    let (mut numerals, mut place) = (Vec::new(), 0);
    while place < signs.len() {
        let before = place.checked_sub(1).map(|before| signs[before]);
        if !signs[place].is_ascii_digit() || before.is_some_and(is_of_a_name) {
            place += 1;
            continue;
        }
        let start = place;
        place = end(&signs, start);
        let next = signs.get(place).copied();
        if next.is_some_and(|sign| sign.is_ascii_alphabetic()) {
            continue;
        }
        let is_below = before.is_some_and(|sign| matches!(sign, '-' | '−' | '('))
            && !start
                .checked_sub(2)
                .is_some_and(|two| signs[two].is_alphanumeric());
        // A bracket alone is no minus: in tables `(12)` is, and `(12 months)` is not.
        let is_below = is_below && (before != Some('(') || next == Some(')'));
        let run: String = signs[start..place].iter().collect();
        let mut read = read(&run);
        if let Some(first) = read.first_mut() {
            first.is_below = is_below;
        }
        numerals.append(&mut read);
    }
    numerals
}

fn is_of_a_name(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || sign == '.' || sign == ','
}

/// A blank that may stand between groups, also one at which no line breaks.
fn is_blank(sign: char) -> bool {
    matches!(sign, ' ' | '\u{a0}' | '\u{202f}')
}

/// Where the number ends that begins here: behind its digits, the groups with blanks before them, and the commas and points
/// between them.
fn end(signs: &[char], start: usize) -> usize {
    let is_digit = |place: usize| signs.get(place).is_some_and(char::is_ascii_digit);
    let mut place = start;
    while is_digit(place) {
        place += 1;
    }
    let may_be_grouped = signs[start] != '0' && place - start <= 3;
    let blank = signs.get(place).copied().filter(|sign| is_blank(*sign));
    if let Some(blank) = blank.filter(|_| may_be_grouped) {
        // Three digits, and no part of something longer: `3 100K` is no 3100.
        let is_group = |at: usize| {
            (at..at + 3).all(is_digit)
                && !signs.get(at + 3).is_some_and(char::is_ascii_alphanumeric)
        };
        while signs.get(place) == Some(&blank) && is_group(place + 1) {
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

/// The numbers of digits with blanks, commas and points between them: one most often.
fn read(run: &str) -> Vec<Numeral> {
    match one(run) {
        Some(numeral) => vec![numeral],
        // A list without blanks, as 1,2,3. What points divide, as 3.5.2021, is a date or a version, and no number.
        None if run.contains(',') => run.split(',').filter_map(one).collect(),
        None => Vec::new(),
    }
}

/// The number that this is, if it is one.
fn one(run: &str) -> Option<Numeral> {
    let digits: String = run.chars().filter(|sign| !is_blank(*sign)).collect();
    let Some(last) = digits.rfind([',', '.']) else {
        return Some(Numeral::of(&digits, ""));
    };
    let (before, behind) = (&digits[..last], &digits[last + 1..]);
    let (mark, other) = match digits[last..].starts_with(',') {
        true => (',', '.'),
        false => ('.', ','),
    };
    let is_alone = !before.contains(mark);
    // 1,234 is grouped, and 1.234 is not: with a comma for decimals there are seldom three of them.
    if is_grouped(&digits, mark) && !(is_alone && mark == '.') {
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
        ] {
            assert_eq!(values(text), numbers, "{text}");
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
        ] {
            assert_eq!(values(text), numbers, "{text}");
        }
        // Long ones are digits as well.
        let long = "9".repeat(60);
        assert_eq!(numerals(&long), [Numeral::of(&long, "")]);
    }

    #[test]
    fn one_is_another_if_it_is_so_with_the_digits_of_that() {
        let is = |one: &str, gold: &str| {
            let (one, gold) = (numerals(one), numerals(gold));
            one[0].is(&gold[0])
        };
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
        ] {
            assert!(!is(one, gold), "{one} is not {gold}");
        }
        let nines = "9".repeat(60);
        assert!(is(&format!("{nines}.5"), &format!("1{}", "0".repeat(60))));
    }
}
