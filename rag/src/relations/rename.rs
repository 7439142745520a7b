//! Triples under the names that stand for theirs, each once.

use std::collections::HashSet;

use super::Relations;
use crate::extract::Triple;

/// What renaming did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Renamed {
    /// How many triples have another predicate now.
    pub renamed: usize,
    /// How many were the same as one before them, and are gone.
    pub duplicates: usize,
    /// How many led from a thing to itself, and are gone.
    pub loops: usize,
}

/// Gives triples the names that stand for their predicates, and takes out those that say nothing new: the same
/// subject, predicate, object and source, or the same subject and object. Unknown predicates stay.
pub fn rename(triples: &mut Vec<Triple>, relations: &Relations) -> Renamed {
    let mut renamed = Renamed::default();
    let mut seen: HashSet<(String, String, String, String)> = HashSet::new();
    triples.retain_mut(|triple| {
        if triple.subject == triple.object {
            renamed.loops += 1;
            return false;
        }
        if let Some(name) = relations.name_for(&triple.predicate)
            && name != triple.predicate
        {
            triple.predicate = name.to_owned();
            renamed.renamed += 1;
        }
        let key = [
            &triple.subject,
            &triple.predicate,
            &triple.object,
            &triple.source,
        ];
        let [subject, predicate, object, source] = key.map(String::clone);
        let new = seen.insert((subject, predicate, object, source));
        renamed.duplicates += usize::from(!new);
        new
    });
    renamed
}
