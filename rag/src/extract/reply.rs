//! What replies are held to beyond their schema, before anything of them is an [`Extracted`].
//!
//! Names must be said by the text they are said to come from: an instruction in a document can make a model
//! write the names of other documents' things, and they end here. All texts are bounded and free of signs
//! that cannot be seen; an address that the text does not have is cut out. What is dropped is counted.

use super::{Chain, Domain, Entity, Extracted, Triple};
use crate::build::canonical;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

mod address;
mod ground;

use address::{is_address, is_foreign};
pub(super) use ground::Ground;

/// The most characters of a name.
pub(super) const LONGEST_NAME: usize = 200;
/// The most characters of what is said of something.
pub(super) const LONGEST_TEXT: usize = 1000;
/// The most characters of a summary.
pub(super) const LONGEST_SUMMARY: usize = 4000;
/// The most that one piece may say; a piece of text that names more is none that people wrote.
pub(super) const MOST_ENTITIES: usize = 500;
pub(super) const MOST_TRIPLES: usize = 1000;
/// The most domains between the root and an object tag.
pub(super) const DEEPEST_CHAIN: usize = 12;

/// What a reply says, as far as it may be said.
pub(super) struct Checked<'a> {
    ground: &'a Ground,
    extracted: Extracted,
    /// The places of entities by the names that the graph has for them.
    places: HashMap<String, usize>,
    triples: HashSet<Triple>,
    dropped: u64,
}

impl<'a> Checked<'a> {
    /// Nothing yet, about this text.
    pub(super) fn new(ground: &'a Ground) -> Self {
        Self {
            ground,
            extracted: Extracted::default(),
            places: HashMap::new(),
            triples: HashSet::new(),
            dropped: 0,
        }
    }

    /// What is left, and how much was dropped.
    pub(super) fn finish(self) -> (Extracted, u64) {
        (self.extracted, self.dropped)
    }

    /// What it is held to.
    pub(super) fn ground(&self) -> &'a Ground {
        self.ground
    }

    pub(super) fn entities(&self) -> &[Entity] {
        &self.extracted.entities
    }

    /// An entity. One of the same name says more about the same.
    pub(super) fn entity(
        &mut self,
        name: &str,
        kind: Option<&str>,
        description: &str,
        sentences: Vec<Range<usize>>,
    ) {
        let Some(place) = self.place_of(name) else {
            return;
        };
        let more = Entity {
            name: String::new(),
            kind: kind.and_then(clean_word),
            description: self.text(description),
            sentences,
        };
        self.extracted.entities[place].and(more);
    }

    /// A triple, whose ends are entities from then on. What leads from a thing to itself says nothing.
    pub(super) fn triple(
        &mut self,
        subject: &str,
        predicate: &str,
        object: &str,
        description: &str,
        source: &str,
    ) {
        let Some(predicate) = clean_word(predicate) else {
            self.dropped += 1;
            return;
        };
        let full = self.extracted.triples.len() >= MOST_TRIPLES;
        if full || !(self.may_name(subject) && self.may_name(object)) {
            self.dropped += 1;
            return;
        }
        if compared(subject) == compared(object) {
            self.dropped += 1;
            return;
        }
        let (Some(subject), Some(object)) = (self.place_of(subject), self.place_of(object)) else {
            return;
        };
        let name = |place: usize| self.extracted.entities[place].name.clone();
        let triple = Triple {
            subject: name(subject),
            predicate,
            object: name(object),
            description: self.text(description),
            source: self.text(source),
        };
        if self.triples.insert(triple.clone()) {
            self.extracted.triples.push(triple);
        }
    }

    /// A chain of domains, which are no names of the text, down to one of the entities.
    pub(super) fn chain(
        &mut self,
        root: &Domain,
        domains: &[(String, String)],
        object: &str,
        description: &str,
    ) {
        let Some(object) = self.known(object) else {
            self.dropped += 1;
            return;
        };
        let mut seen: HashSet<String> = [canonical(&root.name), canonical(&object)].into();
        let mut chain = vec![root.clone()];
        for (name, description) in domains {
            let name = clean_word(name);
            let name =
                name.filter(|name| chain.len() <= DEEPEST_CHAIN && seen.insert(canonical(name)));
            match name {
                Some(name) => chain.push(Domain {
                    name,
                    description: self.text(description),
                }),
                None => self.dropped += 1,
            }
        }
        self.extracted.chains.push(Chain {
            domains: chain,
            object,
            description: self.text(description),
        });
    }

    /// The name of the entity that is called so.
    fn known(&self, name: &str) -> Option<String> {
        let place = self.places.get(&compared(name)?)?;
        Some(self.extracted.entities[*place].name.clone())
    }

    /// Whether a name is an entity's, or the text's.
    fn may_name(&self, name: &str) -> bool {
        clean_name(name).is_some_and(|name| {
            self.places.contains_key(&canonical(&name)) || self.ground.says(&name)
        })
    }

    /// The entity of this name, which may be new if the text says it.
    fn place_of(&mut self, name: &str) -> Option<usize> {
        let name = clean_name(name);
        if let Some(place) = name
            .as_ref()
            .and_then(|name| self.places.get(&canonical(name)))
        {
            return Some(*place);
        }
        let full = self.extracted.entities.len() >= MOST_ENTITIES;
        let Some(name) = name.filter(|name| !full && self.ground.says(name)) else {
            self.dropped += 1;
            return None;
        };
        let place = self.extracted.entities.len();
        self.places.insert(canonical(&name), place);
        self.extracted.entities.push(Entity {
            name,
            ..Entity::default()
        });
        Some(place)
    }

    /// What is said of something.
    pub(super) fn text(&self, text: &str) -> String {
        clean_text(text, self.ground)
    }
}

/// A text of a reply: in one line, bounded, and without addresses that the ground has not.
pub(super) fn clean_text(text: &str, ground: &Ground) -> String {
    clean_long_text(text, ground, LONGEST_TEXT)
}

/// The same, with so many characters.
pub(super) fn clean_long_text(text: &str, ground: &Ground, most: usize) -> String {
    let mut kept = String::new();
    for word in one_line(text, 2 * most).split(' ') {
        if is_foreign(word, ground) {
            continue;
        }
        if !kept.is_empty() {
            kept.push(' ');
        }
        kept.push_str(word);
    }
    shorten(&mut kept, most);
    kept
}

/// A name as it is shown: one line without signs around it; nothing if it has no letter or is too long.
pub(super) fn clean_name(name: &str) -> Option<String> {
    let line = one_line(name, LONGEST_NAME + 2);
    let around = ['"', '“', '”', '«', '»', '`', ' ', ',', ';'];
    let name = line.trim_matches(around);
    let fits = name.contains(char::is_alphanumeric) && name.chars().count() <= LONGEST_NAME;
    fits.then(|| name.to_owned())
}

/// A name that the text need not have, of a kind, a relation or a domain: no address is one.
fn clean_word(name: &str) -> Option<String> {
    clean_name(name).filter(|name| !is_address(name))
}

/// A name of a reply as the graph compares names; nothing if it is none.
fn compared(name: &str) -> Option<String> {
    clean_name(name).map(|name| canonical(&name))
}

/// Words as such are compared that are no names of the graph.
pub(super) fn folded(name: &str) -> String {
    name.to_lowercase()
}

/// The text with single blanks and nothing that cannot be seen, so many characters of it.
fn one_line(text: &str, most: usize) -> String {
    let mut line = String::new();
    let mut count = 0;
    let mut blank = false;
    for sign in text.chars() {
        if sign.is_whitespace() {
            blank = true;
            continue;
        }
        if is_hidden(sign) {
            continue;
        }
        if blank && !line.is_empty() {
            line.push(' ');
            count += 1;
        }
        blank = false;
        if count >= most {
            break;
        }
        line.push(sign);
        count += 1;
    }
    line
}

/// Signs that steer how others are shown, or are not shown at all.
fn is_hidden(sign: char) -> bool {
    sign.is_control()
        || matches!(sign as u32, 0xAD | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0xFEFF
            | 0xFFF0..=0xFFFD | 0xE_0000..=0xE_0FFF)
}

/// Cuts at a character so that so many are left, and says that there was more.
pub(super) fn shorten(text: &mut String, most: usize) {
    if let Some((at, _)) = text.char_indices().nth(most) {
        let cut = text.char_indices().nth(most - 1).map_or(at, |(cut, _)| cut);
        text.truncate(cut);
        text.push('…');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ground() -> Ground {
        Ground::of([
            "The Bank of England raised rates. See https://bank.example/rates for the rates.",
        ])
    }

    #[test]
    fn names_are_those_of_the_text() {
        let ground = ground();
        let mut checked = Checked::new(&ground);
        checked.entity(
            "Bank of England",
            Some("bank\u{202E}"),
            "A bank.",
            vec![3..9, 0..2, 3..9],
        );
        checked.entity(
            " \"bank of  england\"\u{200B} ",
            Some("other"),
            "It raises rates.",
            vec![],
        );
        checked.entity("European Central Bank", None, "", vec![]);
        checked.entity("\u{7}\n", None, "", vec![]);
        let (extracted, dropped) = checked.finish();
        let expected = Entity {
            name: "Bank of England".to_owned(),
            kind: Some("bank".to_owned()),
            description: "A bank. It raises rates.".to_owned(),
            sentences: vec![0..2, 3..9],
        };
        assert_eq!((extracted.entities, dropped), (vec![expected], 2));
    }

    #[test]
    fn what_the_graph_calls_by_one_name_is_one_thing() {
        let ground = Ground::of(["Die Straße führt nach Rom."]);
        let mut checked = Checked::new(&ground);
        checked.entity("Straße", None, "Sie führt nach Rom.", vec![]);
        checked.entity("STRASSE", Some("road"), "", vec![]);
        checked.triple("Strasse", "leads to", "Rom", "", "");
        checked.triple("STRASSE", "is", "\"Straße\"", "", "");
        checked.chain(&Domain::default(), &[], "strasse", "");
        let (extracted, dropped) = checked.finish();
        let names: Vec<&str> = { extracted.entities.iter() }
            .map(|entity| &*entity.name)
            .collect();
        assert_eq!((names, dropped), (vec!["Straße", "Rom"], 1));
        assert_eq!(extracted.entities[0].kind.as_deref(), Some("road"));
        assert_eq!(extracted.triples[0].subject, "Straße");
        assert_eq!(extracted.chains[0].object, "Straße");
    }

    #[test]
    fn triples_have_ends_in_the_text_and_lead_somewhere() {
        let ground = ground();
        let mut checked = Checked::new(&ground);
        checked.triple("the rate", "is raised by", "BANK OF ENGLAND", "", "");
        checked.triple("rates", "are", "Rates", "", "");
        checked.triple(
            "Bank of England",
            "owns",
            "Springfield Mining Company",
            "",
            "",
        );
        checked.triple("Bank of England", "", "rates", "", "");
        checked.triple("Bank of England", "//evil.example/b", "rates", "", "");
        checked.triple("the rate", "is raised by", "Bank of England", "", "");
        let (extracted, dropped) = checked.finish();
        assert_eq!((extracted.triples.len(), dropped), (1, 4));
        assert_eq!(extracted.triples[0].object, "BANK OF ENGLAND");
        let names: Vec<&str> = extracted
            .entities
            .iter()
            .map(|entity| &*entity.name)
            .collect();
        assert_eq!(names, ["the rate", "BANK OF ENGLAND"]);
    }

    #[test]
    fn texts_have_only_the_addresses_of_the_text() {
        let text = "Read https://bank.example/rates, not http://evil.example/?q=1 or\u{0} www.evil.example now";
        let kept = "Read https://bank.example/rates, not or now";
        assert_eq!(clean_text(text, &ground()), kept);
        let text = "It is ![more](//evil.example/p.png?q=1) 3.5/4 [of \u{200B}all](//evil.example/b) and/or evil.example/c?q=1 km/h.";
        assert_eq!(clean_text(text, &ground()), "It is 3.5/4 [of and/or km/h.");
        let long = clean_text(&"岩".repeat(5000), &ground());
        assert_eq!(long.chars().count(), LONGEST_TEXT);
        assert!(clean_name(&"x".repeat(201)).is_none());
        assert!(clean_name(&"x".repeat(200)).is_some());
    }

    #[test]
    fn a_chain_has_each_name_once_and_ends_at_an_entity() {
        let ground = ground();
        let mut checked = Checked::new(&ground);
        checked.entity("Bank of England", None, "", vec![]);
        let root = Domain {
            name: "Money".to_owned(),
            description: String::new(),
        };
        let domain = |name: &str| (name.to_owned(), String::new());
        let domains = [
            "money",
            "Banks",
            "BANKS",
            "https://evil.example",
            "Bank of England",
            "Central banks",
        ];
        checked.chain(&root, &domains.map(domain), "bank of england", "");
        checked.chain(&root, &[], "Somebody else", "");
        let (extracted, dropped) = checked.finish();
        assert_eq!((extracted.chains.len(), dropped), (1, 5));
        let names: Vec<&str> = extracted.chains[0]
            .domains
            .iter()
            .map(|domain| &*domain.name)
            .collect();
        assert_eq!(names, ["Money", "Banks", "Central banks"]);
    }
}
