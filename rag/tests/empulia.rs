//! Relations that nobody here wrote: the names of EmPULIA's triples, Italian law, clustered as its authors do.
//!
//! The triples lie outside the repository, as does MiniLM; without them the test says so and passes. What comes
//! out is printed, as it depends on the embedder; only what must be true for any is asserted.

mod shared;

use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::sync::Mutex;
use stratigraph::storage::cancel::Watch;
use stratigraph_models::{Embedder, Lexical, LocalEmbedder, ModelError, Rows, cached_minilm};
use stratigraph_rag::extract::Triple;
use stratigraph_rag::relations::{Clustering, Kept, Negations, Relations, negates, rename};

fn triples(rows: &[Value]) -> Vec<Triple> {
    let triple = |row: &Value| {
        let field = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        Triple {
            subject: field("e1"),
            predicate: field("rel"),
            object: field("e2"),
            source: field("source"),
            description: String::new(),
        }
    };
    rows.iter().map(triple).collect()
}

fn cluster(names: &BTreeSet<&str>, embedder: &dyn Embedder, negations: Negations) -> Relations {
    let clustering = Clustering {
        negations,
        ..Clustering::default()
    };
    let mut watch = Watch::quiet();
    Relations::cluster(names.iter().copied(), embedder, clustering, &mut watch).unwrap()
}

/// Embeds each text once: a model takes long in a build for tests.
struct Once<'a> {
    embedder: &'a dyn Embedder,
    rows: Mutex<HashMap<String, Vec<f32>>>,
}

impl Embedder for Once<'_> {
    fn name(&self) -> &str {
        self.embedder.name()
    }
    fn dimensions(&self) -> usize {
        self.embedder.dimensions()
    }
    fn max_tokens(&self) -> usize {
        self.embedder.max_tokens()
    }
    fn embed(&self, texts: &[&str]) -> Result<Rows, ModelError> {
        let mut known = self.rows.lock().unwrap();
        let new: Vec<&str> = texts
            .iter()
            .copied()
            .filter(|text| !known.contains_key(*text))
            .collect();
        for (text, row) in new.iter().zip(self.embedder.embed(&new)?.iter()) {
            known.insert((*text).to_owned(), row.to_vec());
        }
        let mut rows = Rows::zeros(texts.len(), self.dimensions())?;
        for (text, row) in texts.iter().zip(rows.iter_mut()) {
            row.copy_from_slice(&known[*text]);
        }
        Ok(rows)
    }
}

fn measure(embedder: &dyn Embedder, triples: &[Triple]) {
    let embedder = &Once {
        embedder,
        rows: Mutex::default(),
    };
    let names: BTreeSet<&str> = triples
        .iter()
        .map(|triple| triple.predicate.as_str())
        .collect();
    println!(
        "{}: {} triples, {} names of relations",
        embedder.name(),
        triples.len(),
        names.len()
    );
    for negations in [Negations::Apart, Negations::AsOthers] {
        let relations = cluster(&names, embedder, negations);
        let members: usize = relations
            .clusters()
            .iter()
            .map(|cluster| cluster.members.len())
            .sum();
        assert_eq!(members + relations.alone().len(), names.len());
        let merged = relations
            .opposites()
            .iter()
            .filter(|pair| pair.together)
            .count();
        let mut renamed = triples.to_vec();
        let changes = rename(&mut renamed, &relations);
        assert_eq!(
            renamed.len() + changes.duplicates + changes.loops,
            triples.len()
        );
        println!(
            "  {negations:?}: {} clusters of {members} names, {} alone, {} opposites near of which {merged} together, {changes:?}",
            relations.clusters().len(),
            relations.alone().len(),
            relations.opposites().len(),
        );
        for cluster in relations
            .clusters()
            .iter()
            .filter(|cluster| cluster.members.len() > 4)
            .take(5)
        {
            let members: Vec<&str> = cluster
                .members
                .iter()
                .map(|(name, _)| name.as_str())
                .collect();
            println!("    {}: {}", cluster.representative, members.join(", "));
        }
        for pair in relations.opposites().iter().take(5) {
            println!(
                "    {} / {} at {:.3}",
                pair.opposite, pair.name, pair.distance
            );
        }
        if negations == Negations::Apart {
            assert_eq!(merged, 0);
            for cluster in relations.clusters() {
                let negating = cluster
                    .members
                    .iter()
                    .filter(|(name, _)| negates(name))
                    .count();
                assert!(
                    negating == 0 || negating == cluster.members.len(),
                    "{}",
                    cluster.representative
                );
            }
        }
    }
    // Half of the names now, all that is found of them agreed to, and half later: how many go to what was agreed.
    let now: BTreeSet<&str> = names.iter().copied().step_by(2).collect();
    let before = cluster(&now, embedder, Negations::Apart);
    let mut kept = Kept::new();
    for one in before.clusters() {
        let members = one.members.iter().map(|(name, _)| name.as_str());
        kept.insert(&one.representative, members.collect());
    }
    let all = names.iter().copied();
    let mut watch = Watch::quiet();
    let after = Relations::assign(&kept, all, embedder, Clustering::default(), &mut watch).unwrap();
    for (stands, members) in &kept {
        assert!(
            members
                .iter()
                .all(|name| after.name_for(name) == Some(*stands))
        );
    }
    let (mut assigned, mut clustered, mut alone) = (0, 0, 0);
    for name in names.iter().filter(|name| !now.contains(*name)) {
        let stands = after.name_for(name).unwrap();
        match kept.get(stands) {
            Some(members) => {
                assert!(
                    members
                        .iter()
                        .all(|member| negates(member) == negates(name))
                );
                assigned += 1;
            }
            None if after.alone().any(|other| other == *name) => alone += 1,
            None => clustered += 1,
        }
    }
    println!(
        "  later names: {assigned} go to what was agreed, {clustered} are clustered, {alone} lie alone"
    );
}

/// Runs this on the triples, if they are there, and with MiniLM as well if that is.
fn on_triples(kept: impl Fn(usize) -> bool) {
    let Some(rows) = shared::rows("empulia/triples.jsonl.gz") else {
        return;
    };
    let mut triples = triples(&rows);
    let mut counts: HashMap<String, usize> = HashMap::new();
    for triple in &triples {
        *counts.entry(triple.predicate.clone()).or_default() += 1;
    }
    triples.retain(|triple| kept(counts[&triple.predicate]));
    measure(&Lexical::new(), &triples);
    match cached_minilm() {
        Some(folder) => measure(&LocalEmbedder::load(folder).unwrap(), &triples),
        None => eprintln!("SKIPPED: MiniLM is not there; `cargo xtask setup --models` fetches it"),
    }
}

#[test]
fn names_of_common_relations_are_clustered() {
    on_triples(|count| count >= 4);
}

#[test]
#[ignore = "takes minutes in a build for tests; prints the numbers for all names"]
fn names_of_all_relations_are_clustered() {
    on_triples(|_| true);
}
