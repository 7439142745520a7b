//! BAG-RAG: the entities of a piece with what it says of them and the sentences that do, then the relations
//! between them from these sentences. A piece that goes on with another is read with what that one said.

use serde::Deserialize;
use std::ops::Range;

use super::super::prompt::Filling;
use super::super::reply::{Checked, clean_name};
use super::super::task::Task;
use super::super::{Calls, ExtractError, Reading};
use super::{Asking, ByPrompts, known, place};

/// Reads entities and relations, each with a description.
#[derive(Clone, Debug)]
pub struct Bag {
    calls: Calls,
    version: String,
}

#[derive(Deserialize)]
struct Entities {
    entities: Vec<OneEntity>,
}

#[derive(Deserialize)]
struct OneEntity {
    name: String,
    kind: String,
    description: String,
    /// JSON has 3.0 for 3, too.
    sentences: Vec<f64>,
}

#[derive(Deserialize)]
struct Relations {
    relations: Vec<Relation>,
}

#[derive(Deserialize)]
struct Relation {
    subject: String,
    predicate: String,
    object: String,
    description: String,
}

impl Bag {
    /// Asks in this way.
    #[must_use]
    pub fn new(calls: Calls) -> Self {
        let tasks = [Task::BagEntities, Task::BagRelations];
        let version = format!("bag-1;{}", tasks.map(Task::versions).join(";"));
        Self { calls, version }
    }

    fn relations(
        &self,
        reading: &Reading<'_>,
        sentences: &[Range<usize>],
        asking: &mut Asking<'_>,
        checked: &mut Checked<'_>,
    ) -> Result<(), ExtractError> {
        let text = reading.document().text();
        let spans = checked
            .entities()
            .iter()
            .flat_map(|entity| &entity.sentences);
        let mut named: Vec<usize> = spans
            .map(|span| sentences.partition_point(|sentence| sentence.start < span.start))
            .collect();
        named.sort_unstable();
        named.dedup();
        let names: Vec<&str> = checked
            .entities()
            .iter()
            .map(|entity| &*entity.name)
            .collect();
        let fillings = [
            Filling::new("place", &place(reading)),
            Filling::new("entities", &names.join("\n")),
            Filling::new("sentences", &numbered(text, sentences, named.into_iter())),
        ];
        let reply = asking.ask::<Relations>(Task::BagRelations, &fillings, &[])?;
        for one in reply.into_iter().flat_map(|reply| reply.relations) {
            checked.triple(
                &one.subject,
                &one.predicate,
                &one.object,
                &one.description,
                "",
            );
        }
        Ok(())
    }
}

impl ByPrompts for Bag {
    fn calls(&self) -> &Calls {
        &self.calls
    }

    fn edition(&self) -> &str {
        &self.version
    }

    fn reads_on(&self) -> bool {
        true
    }

    fn go_through(
        &self,
        reading: &Reading<'_>,
        asking: &mut Asking<'_>,
        checked: &mut Checked<'_>,
    ) -> Result<(), ExtractError> {
        let text = reading.document().text();
        let sentences = reading.sentences();
        let numbered = numbered(text, &sentences, 0..sentences.len());
        let fillings = [
            Filling::new("place", &place(reading)),
            Filling::new("known", &known(reading.before())),
            Filling::new("carried", reading.carried().unwrap_or_default()),
            Filling::new("sentences", &numbered),
        ];
        let Some(reply) = asking.ask::<Entities>(Task::BagEntities, &fillings, &[])? else {
            return asking.guess(
                Task::BagRelations,
                &["place", "entities", "sentences"],
                &numbered,
                &[],
                1,
            );
        };
        for one in reply.entities {
            let told = one.sentences.iter().filter_map(|number| {
                let place = (*number as usize).checked_sub(1)?;
                sentences.get(place).cloned()
            });
            let mut spans: Vec<Range<usize>> = told.collect();
            if spans.is_empty() {
                spans = naming(text, &sentences, &one.name);
            }
            checked.entity(&one.name, Some(&one.kind), &one.description, spans);
        }
        if checked.entities().len() > 1 {
            self.relations(reading, &sentences, asking, checked)?;
        }
        Ok(())
    }
}

/// Sentences, each on a line of its own with its number.
fn numbered(text: &str, sentences: &[Range<usize>], places: impl Iterator<Item = usize>) -> String {
    let mut lines = String::new();
    for place in places {
        let Some(sentence) = sentences.get(place) else {
            continue;
        };
        lines.push_str(&format!("[{}] ", place + 1));
        for (count, word) in text[sentence.clone()].split_whitespace().enumerate() {
            if count > 0 {
                lines.push(' ');
            }
            lines.push_str(word);
        }
        lines.push('\n');
    }
    lines
}

/// The sentences that have a name letter by letter.
fn naming(text: &str, sentences: &[Range<usize>], name: &str) -> Vec<Range<usize>> {
    let Some(name) = clean_name(name) else {
        return Vec::new();
    };
    let names = |span: &&Range<usize>| text[(*span).clone()].contains(&name);
    sentences.iter().filter(names).cloned().collect()
}
