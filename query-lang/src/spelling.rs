//! "Did you mean": the known name that is nearest to one that is not known.

/// Longer names are no slips of the finger, and comparing them would cost their product.
const LONGEST: usize = 64;

/// The nearest of some names, if it is near enough to be what was meant.
///
/// ```
/// use stratigraph_query_lang::nearest;
///
/// assert_eq!(nearest("scroe", ["score", "level"]), Some("score"));
/// assert_eq!(nearest("path", ["score", "level"]), None);
/// ```
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = name.chars().count();
    let allowed = (letters / 3).clamp(1, 3);
    let known = known.into_iter();
    let slips = known.filter_map(|other| Some((slips(name, other)?, other)));
    let (slips, other) = slips.min_by_key(|(slips, _)| *slips)?;
    (slips <= allowed && slips < letters).then_some(other)
}

/// How many letters are wrong, missing, added or swapped with their neighbour; case does not count. `None` if
/// one of the two is longer than names are.
///
/// ```
/// use stratigraph_query_lang::slips;
///
/// assert_eq!(slips("lables", "Labels"), Some(1));
/// assert_eq!(slips("kitten", "sitting"), Some(3));
/// ```
#[must_use]
pub fn slips(word: &str, meant: &str) -> Option<usize> {
    if word.len() > LONGEST || meant.len() > LONGEST {
        return None;
    }
    let letters = |text: &str| -> Vec<char> { text.chars().flat_map(char::to_lowercase).collect() };
    let (word, meant) = (letters(word), letters(meant));
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=meant.len()).collect();
    for (i, one) in word.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, other) in meant.iter().enumerate() {
            let replaced = row[j] + usize::from(one != other);
            let mut least = replaced.min(row[j + 1] + 1).min(next[j] + 1);
            let swapped = i > 0 && j > 0 && *one == meant[j - 1] && word[i - 1] == *other;
            if swapped {
                least = least.min(before[j - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_finger_are_seen_through() {
        let known = ["score", "level", "node", "n"];
        assert_eq!(nearest("scor", known), Some("score"));
        assert_eq!(nearest("lveel", known), Some("level"));
        assert_eq!(nearest("NODE", known), Some("node"));
        assert_eq!(nearest("path", known), None);
        assert_eq!(nearest("m", ["n"]), None);
        assert_eq!(nearest(&"x".repeat(100), known), None);
    }

    #[test]
    fn slips_are_counted() {
        assert_eq!(slips("", "abc"), Some(3));
        assert_eq!(slips("same", "SAME"), Some(0));
        assert_eq!(slips("x", &"x".repeat(65)), None);
    }
}
