//! A graph of the shape of LSQB (the Labelled Subgraph Query Benchmark, GRADES-NDA 2021), generated here, and its nine
//! patterns, which are counted: chains, stars and cycles over labels and types, with and without what must not be there.
//!
//! Who knows whom is kept once and asked for both ways, as there. Degrees are skewed. What differs between the two sides
//! is only how a message is called that is either a post or a comment: a label more in ours, two labels in the peer.

use super::cases::{Answers, Asked, Case};
use super::columns::rows;
use super::social::skewed;
use crate::measure::Setup;
use anyhow::Result;
use serde_json::json;
use std::collections::HashSet;
use std::path::Path;
use stratigraph::storage::cancel::Watch;
use stratigraph::{Database, NO_PROPERTIES, NodeId, Value};

/// The kinds of nodes: their label, one more for those that are messages, and how many there are for each person.
const KINDS: [(&str, Option<&str>, f64); 8] = [
    ("Country", None, 0.0),
    ("City", None, 0.02),
    ("Person", None, 1.0),
    ("Forum", None, 0.5),
    ("Post", Some("Message"), 2.0),
    ("Comment", Some("Message"), 4.0),
    ("Tag", None, 0.1),
    ("TagClass", None, 0.01),
];
const COUNTRY: usize = 0;
const CITY: usize = 1;
const PERSON: usize = 2;
const FORUM: usize = 3;
const POST: usize = 4;
const COMMENT: usize = 5;
const TAG: usize = 6;
const TAG_CLASS: usize = 7;

/// All relationships of a type between two kinds.
struct Links {
    name: &'static str,
    from: usize,
    to: usize,
    pairs: Vec<(u32, u32)>,
}

/// The whole graph, by numbers.
pub(super) struct Lsqb {
    counts: [usize; 8],
    links: Vec<Links>,
}

impl Lsqb {
    /// Of so many persons.
    pub(super) fn make(setup: &Setup, persons: usize) -> Self {
        let mut random = fastrand::Rng::with_seed(setup.seed);
        let counts = KINDS.map(|(_, _, each)| ((persons as f64 * each) as usize).max(8));
        // One of the other end for each, so that it is exactly one.
        let one = |random: &mut fastrand::Rng, name, from: usize, to: usize| Links {
            name,
            from,
            to,
            pairs: (0..counts[from] as u32)
                .map(|number| (number, skewed(random, counts[to])))
                .collect(),
        };
        // So many between any two, each once.
        let many = |random: &mut fastrand::Rng, name, (from, to): (usize, usize), each: f64| {
            let mut seen = HashSet::new();
            let wanted = (counts[from] as f64 * each) as usize;
            // Where there are hardly more pairs than that, fewer will do.
            for _ in 0..2 * wanted {
                let pair = (skewed(random, counts[from]), skewed(random, counts[to]));
                let (one, other) = pair;
                // Nobody knows himself, and each other once.
                let told = from == to && (one == other || seen.contains(&(other, one)));
                if !told && seen.len() < wanted {
                    seen.insert(pair);
                }
            }
            let mut pairs: Vec<(u32, u32)> = seen.into_iter().collect();
            pairs.sort_unstable();
            Links {
                name,
                from,
                to,
                pairs,
            }
        };
        let random = &mut random;
        let mut links = vec![
            one(random, "IS_PART_OF", CITY, COUNTRY),
            one(random, "IS_LOCATED_IN", PERSON, CITY),
            one(random, "HAS_TYPE", TAG, TAG_CLASS),
            one(random, "HAS_CREATOR", POST, PERSON),
            one(random, "HAS_CREATOR", COMMENT, PERSON),
            many(random, "KNOWS", (PERSON, PERSON), 5.0),
            many(random, "HAS_INTEREST", (PERSON, TAG), 3.0),
            many(random, "HAS_MEMBER", (FORUM, PERSON), 6.0),
            many(random, "HAS_TAG", (POST, TAG), 1.0),
            many(random, "HAS_TAG", (COMMENT, TAG), 1.0),
            many(random, "LIKES", (PERSON, POST), 4.0),
            many(random, "LIKES", (PERSON, COMMENT), 4.0),
        ];
        // A post is in one forum.
        let forums = (0..counts[POST] as u32).map(|post| (skewed(random, counts[FORUM]), post));
        links.push(Links {
            name: "CONTAINER_OF",
            from: FORUM,
            to: POST,
            pairs: forums.collect(),
        });
        // A comment answers a post, or a comment that came before it.
        let (mut to_posts, mut to_comments) = (Vec::new(), Vec::new());
        for comment in 0..counts[COMMENT] as u32 {
            match comment > 0 && random.bool() {
                true => to_comments.push((comment, random.u32(..comment))),
                false => to_posts.push((comment, skewed(random, counts[POST]))),
            }
        }
        for (to, pairs) in [(POST, to_posts), (COMMENT, to_comments)] {
            links.push(Links {
                name: "REPLY_OF",
                from: COMMENT,
                to,
                pairs,
            });
        }
        Self { counts, links }
    }

    /// How many nodes and relationships there are.
    pub(super) fn size(&self) -> (usize, usize) {
        let relationships = self.links.iter().map(|links| links.pairs.len());
        (self.counts.iter().sum(), relationships.sum())
    }

    /// Loads it into ours.
    pub(super) fn load(&self, db: &Database) -> Result<()> {
        let mut load = db.bulk_load()?;
        let (mut first, mut next) = ([0_u64; 8], 0_u64);
        for (at, (label, more, _)) in KINDS.iter().enumerate() {
            first[at] = next;
            for number in 0..self.counts[at] {
                let labels = [*label].into_iter().chain(*more);
                load.add_node(labels, [("id", Value::from(number as i64))])?;
            }
            next += self.counts[at] as u64;
        }
        for links in &self.links {
            let node = |kind: usize, number: u32| NodeId::new(first[kind] + u64::from(number));
            for (from, to) in &links.pairs {
                let (from, to) = (node(links.from, *from), node(links.to, *to));
                load.add_relationship(from, links.name, to, NO_PROPERTIES)?;
            }
        }
        load.finish(&mut Watch::quiet())?;
        Ok(())
    }

    /// Writes it for the peer; what it is to be told to read it.
    pub(super) fn write(&self, dir: &Path) -> Result<Vec<String>> {
        let mut statements = Vec::new();
        let at = |file: &str| dir.join(file).display().to_string();
        for (kind, (label, ..)) in KINDS.iter().enumerate() {
            let file = format!("{label}.csv");
            rows(
                &dir.join(&file),
                (0..self.counts[kind]).map(|number| number.to_string()),
            )?;
            statements.push(format!(
                "CREATE NODE TABLE {label}(id INT64, PRIMARY KEY(id))"
            ));
            statements.push(format!("COPY {label} FROM '{}'", at(&file)));
        }
        let mut names: Vec<&str> = self.links.iter().map(|links| links.name).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let of_name = || self.links.iter().filter(|links| links.name == name);
            let ends = |links: &Links| (KINDS[links.from].0, KINDS[links.to].0);
            let pairs = of_name().map(|links| {
                let (from, to) = ends(links);
                format!("FROM {from} TO {to}")
            });
            let pairs = pairs.collect::<Vec<_>>().join(", ");
            statements.push(format!("CREATE REL TABLE {name}({pairs})"));
            for links in of_name() {
                let (from, to) = ends(links);
                let file = format!("{name}_{from}_{to}.csv");
                let lines = links
                    .pairs
                    .iter()
                    .map(|(one, other)| format!("{one},{other}"));
                rows(&dir.join(&file), lines)?;
                let which = match of_name().count() {
                    1 => String::new(),
                    _ => format!(" (from='{from}', to='{to}')"),
                };
                statements.push(format!("COPY {name} FROM '{}'{which}", at(&file)));
            }
        }
        Ok(statements)
    }
}

/// The nine patterns. Ours walks no relationship twice within one MATCH, the peer does: where that could make a
/// difference, clauses are separate or ends are told apart, as in the benchmark.
const PATTERNS: [(&str, &str); 9] = [
    (
        "lsqb1_vs_kuzu",
        "MATCH (:Country)<-[:IS_PART_OF]-(:City)<-[:IS_LOCATED_IN]-(:Person)<-[:HAS_MEMBER]-(:Forum)-[:CONTAINER_OF]->(:Post)\
         <-[:REPLY_OF]-(:Comment)-[:HAS_TAG]->(:Tag)-[:HAS_TYPE]->(:TagClass) RETURN count(*)",
    ),
    (
        "lsqb2_vs_kuzu",
        "MATCH (one:Person)-[:KNOWS]-(other:Person), \
         (one)<-[:HAS_CREATOR]-(:Comment)-[:REPLY_OF]->(:Post)-[:HAS_CREATOR]->(other) RETURN count(*)",
    ),
    (
        "lsqb3_vs_kuzu",
        "MATCH (land:Country) \
         MATCH (a:Person)-[:IS_LOCATED_IN]->(:City)-[:IS_PART_OF]->(land) \
         MATCH (b:Person)-[:IS_LOCATED_IN]->(:City)-[:IS_PART_OF]->(land) \
         MATCH (c:Person)-[:IS_LOCATED_IN]->(:City)-[:IS_PART_OF]->(land) \
         MATCH (a)-[:KNOWS]-(b)-[:KNOWS]-(c)-[:KNOWS]-(a) RETURN count(*)",
    ),
    (
        "lsqb4_vs_kuzu",
        "MATCH (:Tag)<-[:HAS_TAG]-(said:Message)-[:HAS_CREATOR]->(:Person), \
         (said)<-[:LIKES]-(:Person), (said)<-[:REPLY_OF]-(:Comment) RETURN count(*)",
    ),
    (
        "lsqb5_vs_kuzu",
        "MATCH (one:Tag)<-[:HAS_TAG]-(:Message)<-[:REPLY_OF]-(:Comment)-[:HAS_TAG]->(other:Tag) \
         WHERE one.id <> other.id RETURN count(*)",
    ),
    (
        "lsqb6_vs_kuzu",
        "MATCH (one:Person)-[:KNOWS]-(:Person)-[:KNOWS]-(other:Person)-[:HAS_INTEREST]->(:Tag) \
         WHERE one.id <> other.id RETURN count(*)",
    ),
    (
        "lsqb7_vs_kuzu",
        "MATCH (:Tag)<-[:HAS_TAG]-(said:Message)-[:HAS_CREATOR]->(:Person) \
         OPTIONAL MATCH (said)<-[:LIKES]-(liker:Person) OPTIONAL MATCH (said)<-[:REPLY_OF]-(reply:Comment) RETURN count(*)",
    ),
    (
        "lsqb8_vs_kuzu",
        "MATCH (one:Tag)<-[:HAS_TAG]-(:Message)<-[:REPLY_OF]-(reply:Comment)-[:HAS_TAG]->(other:Tag) \
         WHERE one.id <> other.id AND NOT EXISTS { MATCH (reply)-[:HAS_TAG]->(one) } RETURN count(*)",
    ),
    (
        "lsqb9_vs_kuzu",
        "MATCH (one:Person)-[:KNOWS]-(:Person)-[:KNOWS]-(other:Person)-[:HAS_INTEREST]->(:Tag) \
         WHERE one.id <> other.id AND NOT EXISTS { MATCH (one)-[:KNOWS]-(other) } RETURN count(*)",
    ),
];

/// What is asked of both sides.
pub(super) fn cases() -> Vec<Case> {
    let case = |(name, query): (&'static str, &'static str)| Case {
        name,
        mark: None,
        ours: query,
        theirs: vec![Asked::Statements {
            all: vec![query.replace(":Message", ":Post:Comment")],
            after: 0,
        }],
        parameters: vec![json!({})],
        answers: Answers::Same,
    };
    PATTERNS.into_iter().map(case).collect()
}
