//! "Did you mean": the known name that is nearest to one that is not known.

/// The nearest of some names, if it is near enough to be what was meant.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// Longer names are no slips of the finger, and comparing them would cost their product.
    const LONGEST: usize = 64;
    if name.len() > LONGEST {
        return None;
    }
    let allowed = (name.chars().count() / 3).clamp(1, 3);
    let distances = known
        .into_iter()
        .filter(|other| other.len() <= LONGEST)
        .map(|other| (distance(name, other), other));
    let (distance, other) = distances.min_by_key(|(distance, _)| *distance)?;
    (distance <= allowed && distance < name.chars().count()).then_some(other)
}

/// How many letters must be inserted, removed, replaced or swapped with their neighbour; case does not count.
fn distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.chars().flat_map(char::to_lowercase).collect();
    let right: Vec<char> = right.chars().flat_map(char::to_lowercase).collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, one) in left.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, other) in right.iter().enumerate() {
            let replaced = row[j] + usize::from(one != other);
            let mut least = replaced.min(row[j + 1] + 1).min(next[j] + 1);
            let swapped = i > 0 && j > 0 && *one == right[j - 1] && left[i - 1] == *other;
            if swapped {
                least = least.min(before[j - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or(0)
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
}
