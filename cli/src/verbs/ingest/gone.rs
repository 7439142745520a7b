//! What `--prune` would take out of a whole database, and when that has to be meant: documents of another folder are forgotten
//! more often than they are gone.

use crate::output::{count, first_of, things};
use std::collections::HashSet;

/// One of so many documents may go without a word.
const ONE_OF: usize = 4;
/// So many of those that would go are named.
const MOST_NAMED: usize = 3;

/// What would go, if more than a quarter of the documents would, or all that lie in one folder, or in none.
pub(super) fn doubt(documents: &[String], is_gone: impl Fn(&str) -> bool) -> Option<String> {
    let ids = documents.iter().map(String::as_str);
    let (mut gone, stay): (Vec<&str>, Vec<&str>) = ids.partition(|id| is_gone(id));
    gone.sort_unstable();
    let kept: HashSet<Option<&str>> = stay.into_iter().map(folder).collect();
    let mut folders = gone.iter().map(|id| folder(id));
    let emptied = folders.find(|folder| !kept.contains(folder));
    if emptied.is_none() && gone.len() * ONE_OF <= documents.len() {
        return None;
    }
    let none_left = match emptied {
        Some(Some(folder)) => format!(", and leave none under {folder}/"),
        Some(None) => ", and leave none that lies in no folder".to_owned(),
        None => String::new(),
    };
    Some(format!(
        "--prune would take out {} of {} ({}){none_left}: without --under it looks at all of the database. Mean it with --yes, or give the documents of each folder a name with --under",
        count(gone.len() as u64),
        things(documents.len() as u64, "document"),
        first_of(MOST_NAMED, gone.iter().copied())
    ))
}

/// The first folder of a document's name; nothing if it lies in none.
fn folder(id: &str) -> Option<&str> {
    id.split_once('/').map(|(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What would go of these documents if those with `gone` in their names did.
    fn said(ids: &[&str]) -> Option<String> {
        let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
        let said = doubt(&ids, |id| id.contains("gone"))?;
        let (said, ways) = said.split_once(": without").unwrap();
        assert!(ways.contains("--yes") && ways.contains("--under"), "{ways}");
        Some(
            said.trim_start_matches("--prune would take out ")
                .to_owned(),
        )
    }

    #[test]
    fn a_quarter_may_go() {
        assert_eq!(said(&[]), None);
        assert_eq!(said(&["a", "b"]), None);
        assert_eq!(said(&["a", "b", "c", "gone"]), None);
        assert_eq!(
            said(&["a", "b", "gone"]).unwrap(),
            "1 of 3 documents (gone)"
        );
        let half = ["gone4", "gone3", "gone2", "gone1", "gone5", "a", "b", "c"];
        assert_eq!(
            said(&half).unwrap(),
            "5 of 8 documents (gone1, gone2, gone3 and 2 more)"
        );
    }

    #[test]
    fn no_folder_may_go() {
        let others = ["a/1", "a/2", "a/3", "a/4", "a/5", "a/6", "b/1"];
        let with = |id: &'static str| said(&[&others[..], &[id]].concat());
        assert_eq!(with("b/gone"), None);
        assert_eq!(with("a/b/gone"), None);
        assert_eq!(
            with("c/gone").unwrap(),
            "1 of 8 documents (c/gone), and leave none under c/"
        );
        assert_eq!(
            with("gone").unwrap(),
            "1 of 8 documents (gone), and leave none that lies in no folder"
        );
    }
}
