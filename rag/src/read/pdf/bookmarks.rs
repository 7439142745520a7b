//! The outline that a PDF brings along: titles, and how deep they lie.

use std::collections::HashSet;

use lopdf::{Dictionary, Document, Object, ObjectId, decode_text_string};

/// An entry of the outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bookmark {
    pub(super) title: String,
    /// From 1.
    pub(super) depth: usize,
    /// The page it leads to.
    pub(super) page: Option<ObjectId>,
}

/// The most entries that are read.
const MOST: usize = 20_000;
/// The deepest that they lie within each other.
const DEEPEST: usize = 32;

/// The entries in their order; none if there is no outline. What leads back into itself ends there.
pub(super) fn read(document: &Document) -> Vec<Bookmark> {
    let mut found = Vec::new();
    let Ok(catalog) = document.catalog() else {
        return found;
    };
    let Ok(root) = catalog
        .get_deref(b"Outlines", document)
        .and_then(Object::as_dict)
    else {
        return found;
    };
    let names = Names::of(document, catalog);
    let mut seen = HashSet::new();
    // What is still to be looked at: an entry, and how deep it lies.
    let mut open: Vec<(ObjectId, usize)> = root
        .get(b"First")
        .and_then(Object::as_reference)
        .map(|first| (first, 1))
        .into_iter()
        .collect();
    while let Some((id, depth)) = open.pop() {
        if found.len() >= MOST || !seen.insert(id) {
            continue;
        }
        let Ok(entry) = document.get_dictionary(id) else {
            continue;
        };
        if let Ok(next) = entry.get(b"Next").and_then(Object::as_reference) {
            open.push((next, depth));
        }
        if depth < DEEPEST
            && let Ok(first) = entry.get(b"First").and_then(Object::as_reference)
        {
            open.push((first, depth + 1));
        }
        let title = entry.get_deref(b"Title", document);
        let title = title.and_then(decode_text_string).unwrap_or_default();
        if title.chars().any(char::is_alphanumeric) {
            found.push(Bookmark {
                title,
                depth,
                page: names.page(document, entry),
            });
        }
    }
    found
}

/// Places that have names.
struct Names<'d> {
    all: Vec<(&'d [u8], &'d Object)>,
}

impl<'d> Names<'d> {
    fn of(document: &'d Document, catalog: &'d Dictionary) -> Self {
        let mut all: Vec<(&[u8], &Object)> = Vec::new();
        if let Ok(old) = catalog
            .get_deref(b"Dests", document)
            .and_then(Object::as_dict)
        {
            all.extend(old.iter().map(|(name, place)| (name.as_slice(), place)));
        }
        let tree = catalog
            .get_deref(b"Names", document)
            .and_then(Object::as_dict);
        let tree = tree.and_then(|names| names.get_deref(b"Dests", document));
        let mut open: Vec<&Dictionary> = tree.and_then(Object::as_dict).into_iter().collect();
        let mut looked = 0_usize;
        while let Some(node) = open.pop() {
            looked += 1;
            if looked > MOST || all.len() > MOST {
                break;
            }
            if let Ok(kids) = node.get_deref(b"Kids", document).and_then(Object::as_array) {
                let kids = kids.iter().filter_map(|kid| document.dereference(kid).ok());
                open.extend(kids.filter_map(|(_, kid)| kid.as_dict().ok()).take(MOST));
            }
            if let Ok(names) = node
                .get_deref(b"Names", document)
                .and_then(Object::as_array)
            {
                for pair in names.chunks_exact(2).take(MOST) {
                    if let Ok(name) = pair[0].as_str() {
                        all.push((name, &pair[1]));
                    }
                }
            }
        }
        all.sort_by_key(|(name, _)| *name);
        Self { all }
    }

    /// The page that an entry leads to.
    fn page(&self, document: &'d Document, entry: &'d Dictionary) -> Option<ObjectId> {
        let action = entry.get_deref(b"A", document).and_then(Object::as_dict);
        let place = match entry.get_deref(b"Dest", document) {
            Ok(place) => place,
            Err(_) => action.ok()?.get_deref(b"D", document).ok()?,
        };
        let place = match place {
            Object::Name(name) | Object::String(name, _) => {
                let known = |(known, _): &(&[u8], &Object)| known.cmp(&name.as_slice());
                let at = self.all.binary_search_by(known).ok()?;
                document.dereference(self.all[at].1).ok()?.1
            }
            place => place,
        };
        let place = match place {
            Object::Dictionary(place) => place.get_deref(b"D", document).ok()?,
            place => place,
        };
        place.as_array().ok()?.first()?.as_reference().ok()
    }
}
