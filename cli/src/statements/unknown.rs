//! Names that a statement asked for and nothing has: a slip of the finger is no error, and finds nothing.
//!
//! Next: `session.rs`.

use super::names::Names;
use super::place::Place;
use std::collections::HashSet;
use stratigraph::{AskedName, NameOf};
use stratigraph_query_lang::nearest;

/// Longer texts are loads, which nobody types.
const LONGEST: usize = 64 << 10;

/// Names that were there when somebody asked for them: they are not looked up again.
#[derive(Default)]
pub(super) struct Known(HashSet<AskedName>);

impl Known {
    /// What is to be said of a statement that has run. Until then it may have made what it asks for.
    pub(super) fn notes(&mut self, place: &dyn Place, text: &str) -> Vec<String> {
        if text.len() > LONGEST {
            return Vec::new();
        }
        let mut asked = place.asked_names(text);
        asked.retain(|one| !self.0.contains(one));
        if asked.is_empty() {
            return Vec::new();
        }
        // The statement has its answer, and this is only said beside it.
        let Ok(names) = Names::of(place) else {
            return Vec::new();
        };
        let mut notes = Vec::new();
        for one in asked {
            let (what, all) = match one.of {
                NameOf::Label => ("label", &names.labels),
                NameOf::Type => ("relationship type", &names.types),
                NameOf::Property => ("property", &names.properties),
                _ => continue,
            };
            if all.contains(&one.name) {
                self.0.insert(one);
                continue;
            }
            let mut note = format!("there is no {what} `{}`", one.name);
            if let Some(near) = nearest(&one.name, all.iter().map(|name| &**name)) {
                note.push_str(&format!("; did you mean `{near}`?"));
            }
            notes.push(note);
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Failure;
    use crate::statements::{Asked, Folder, Take};
    use stratigraph::storage::cancel::CancelToken;
    use stratigraph::{Database, Value};

    #[test]
    fn names_that_nothing_has_are_told_with_what_may_have_been_meant() {
        let db = Database::in_memory().unwrap();
        let run = |text: &str| db.query(text, ()).unwrap().finish().unwrap();
        run("CREATE (:Chunk {text: 'a'})-[:NEXT]->(:Chunk {text: 'b'})");
        let place = Folder::new(db.clone());
        let mut known = Known::default();
        let mut told = |text: &str| known.notes(&place, text);
        assert_eq!(
            told("MATCH (n:Chnk)-[:NXT]->() RETURN n.txt"),
            [
                "there is no label `Chnk`; did you mean `Chunk`?",
                "there is no relationship type `NXT`; did you mean `NEXT`?",
                "there is no property `txt`; did you mean `text`?"
            ]
        );
        let passage = "MATCH (p:Passage)-->(c:Chunk) RETURN c.text";
        assert_eq!(told(passage), ["there is no label `Passage`"]);
        // What is made is nothing that anybody asks for, and afterwards it is there.
        run("MERGE (:Passage)");
        for text in [
            "CREATE (:Other {new: 1})",
            passage,
            "RETURN nonsense",
            "UNWIND [{txt: 1}] AS row RETURN row.txt",
        ] {
            assert!(told(text).is_empty(), "{text}");
        }
    }

    /// A place that is asked for names alone.
    struct Elsewhere;

    impl Place for Elsewhere {
        fn run(&mut self, _: Asked<'_>, _: Take<'_>) -> Result<(), Failure> {
            Ok(())
        }

        fn is_open(&self) -> bool {
            false
        }

        fn begin(&mut self, _: &CancelToken) -> Result<String, Failure> {
            Ok(String::new())
        }

        fn end(&mut self, _: bool) -> Result<(), Failure> {
            Ok(())
        }

        fn look(&self, _: &str) -> Result<Vec<Vec<Value>>, Failure> {
            Ok(vec![vec!["label".into(), "Chunk".into()]])
        }

        fn close(self: Box<Self>) -> Result<(), Failure> {
            Ok(())
        }
    }

    #[test]
    fn what_a_text_asks_for_is_known_wherever_the_database_is() {
        let told = Known::default().notes(&Elsewhere, "MATCH (a:Chunk)--(b:Chnuk) RETURN a");
        assert_eq!(told, ["there is no label `Chnuk`; did you mean `Chunk`?"]);
    }
}
