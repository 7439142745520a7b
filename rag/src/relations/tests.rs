use super::*;
use crate::extract::Triple;
use stratigraph::storage::cancel::{CancelToken, Progress};
use stratigraph_models::Rows;

/// Puts each name where the test says, at an angle in degrees.
struct Angles(Vec<(&'static str, f32)>);

impl Embedder for Angles {
    fn name(&self) -> &str {
        "angles"
    }
    fn dimensions(&self) -> usize {
        2
    }
    fn max_tokens(&self) -> usize {
        usize::MAX
    }
    fn embed(&self, texts: &[&str]) -> Result<Rows, ModelError> {
        let mut rows = Rows::zeros(texts.len(), 2)?;
        for (text, row) in texts.iter().zip(rows.iter_mut()) {
            if let Some((_, angle)) = self.0.iter().find(|(name, _)| name == text) {
                row.copy_from_slice(&[angle.to_radians().cos(), angle.to_radians().sin()]);
            }
        }
        Ok(rows)
    }
}

/// 1 - cos of 18 degrees is 0.049, of 19 degrees 0.054.
fn angles() -> Angles {
    Angles(vec![
        ("covers", 0.0),
        ("includes", 10.0),
        ("contains", 24.0),
        ("does not contain", 25.0),
        ("never includes", 12.0),
        ("pays", 90.0),
        ("comprises", 11.0),
        ("spans", 32.0),
        ("remunerates", 95.0),
        ("sleeps", 180.0),
    ])
}

fn clustered(names: &[&str], clustering: Clustering) -> Relations {
    let mut watch = Watch::quiet();
    Relations::cluster(names.iter().copied(), &angles(), clustering, &mut watch).unwrap()
}

const NAMES: [&str; 6] = [
    "covers",
    "includes",
    "contains",
    "does not contain",
    "pays",
    "",
];

#[test]
fn near_names_are_one_and_the_nearest_to_the_mean_stands_for_them() {
    let relations = clustered(&NAMES, Clustering::default());
    assert_eq!(relations.clusters().len(), 1);
    let cluster = &relations.clusters()[0];
    // The mean of 0, 10 and 24 degrees is at 11: covers and contains are not within eps of each other.
    assert_eq!(cluster.representative, "includes");
    let members: Vec<&str> = cluster
        .members
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(members, ["contains", "covers", "includes"]);
    assert_eq!(
        relations.alone().collect::<Vec<_>>(),
        ["does not contain", "pays"]
    );
    assert_eq!(relations.name_for("covers"), Some("includes"));
    assert_eq!(
        (relations.name_for("pays"), relations.name_for("unseen")),
        (Some("pays"), None)
    );
    let mut again = NAMES.to_vec();
    again.reverse();
    again.extend(NAMES);
    assert_eq!(clustered(&again, Clustering::default()), relations);
}

#[test]
fn what_differs_by_a_negation_is_reported_and_put_together_only_on_demand() {
    let apart = clustered(&NAMES, Clustering::default());
    let pairs = |relations: &Relations| -> Vec<(String, String, bool)> {
        let pairs = relations.opposites().iter();
        pairs
            .map(|pair| (pair.affirms.clone(), pair.negates.clone(), pair.together))
            .collect()
    };
    let pair = |one: &str, together| (one.to_owned(), "does not contain".to_owned(), together);
    assert_eq!(
        pairs(&apart),
        [pair("contains", false), pair("includes", false)]
    );
    let published = Clustering {
        negations: Negations::AsOthers,
        ..Clustering::default()
    };
    let mut together = clustered(&NAMES, published);
    assert_eq!(
        together.name_for("does not contain"),
        together.name_for("contains")
    );
    assert_eq!(
        pairs(&together),
        [pair("contains", true), pair("includes", true)]
    );
    // Whoever looks through them takes it out.
    assert!(together.take_out("does not contain"));
    assert!(!together.take_out("does not contain") && !together.take_out("unseen"));
    assert_eq!(
        together.name_for("does not contain"),
        Some("does not contain")
    );
    assert_eq!(
        pairs(&together),
        [pair("contains", false), pair("includes", false)]
    );
}

#[test]
fn what_stood_for_others_hands_that_on() {
    let mut relations = clustered(&["covers", "includes", "contains"], Clustering::default());
    relations.assign(["comprises"], &angles()).unwrap();
    assert!(relations.take_out("includes"));
    let next = relations.clusters()[0].representative.clone();
    assert_ne!(next, "includes");
    for name in ["covers", "contains", "comprises"] {
        assert_eq!(relations.name_for(name), Some(next.as_str()), "{name}");
    }
    assert_eq!(relations.name_for("includes"), Some("includes"));
}

#[test]
fn later_names_are_put_where_they_are_near() {
    let mut relations = clustered(&NAMES, Clustering::default());
    let later = [
        "comprises",
        "spans",
        "remunerates",
        "sleeps",
        "never includes",
        "covers",
    ];
    let assigned = relations.assign(later, &angles()).unwrap();
    let expected = [
        ("comprises", Assigned::Cluster),
        ("covers", Assigned::Known),
        // Within eps of a name that negates, as it does itself; the cluster's mean is nearer and does not.
        ("never includes", Assigned::Other),
        ("remunerates", Assigned::Other),
        ("sleeps", Assigned::Alone),
        // Near to a member and not to the mean.
        ("spans", Assigned::Alone),
    ];
    let expected: Vec<(String, Assigned)> =
        expected.map(|(name, how)| (name.to_owned(), how)).into();
    assert_eq!(assigned, expected);
    assert_eq!(relations.name_for("comprises"), Some("includes"));
    assert_eq!(relations.name_for("remunerates"), Some("pays"));
    assert_eq!(
        relations.name_for("never includes"),
        Some("does not contain")
    );
    assert!(
        relations
            .assign(later, &stratigraph_models::Lexical::new())
            .is_err()
    );
}

#[test]
fn triples_are_renamed_and_each_is_there_once() {
    let relations = clustered(&NAMES, Clustering::default());
    let triple = |subject: &str, predicate: &str, object: &str, source: &str| Triple {
        subject: subject.to_owned(),
        predicate: predicate.to_owned(),
        object: object.to_owned(),
        source: source.to_owned(),
        description: String::new(),
    };
    let mut triples = vec![
        triple("a", "covers", "b", "p. 1"),
        triple("a", "includes", "b", "p. 1"),
        triple("a", "contains", "b", "p. 2"),
        triple("a", "does not contain", "b", "p. 1"),
        triple("a", "pays", "a", ""),
        triple("a", "unseen", "b", ""),
    ];
    let renamed = rename(&mut triples, &relations);
    let expected = Renamed {
        renamed: 2,
        duplicates: 1,
        loops: 1,
    };
    assert_eq!(renamed, expected);
    let left: Vec<&str> = triples.iter().map(|triple| &*triple.predicate).collect();
    assert_eq!(left, ["includes", "includes", "does not contain", "unseen"]);
    assert_eq!(rename(&mut triples, &relations), Renamed::default());
}

#[test]
fn names_without_a_vector_lie_alone() {
    // The embedder knows none of these, and one is no word.
    let relations = clustered(&["unknown", "also unknown", "  "], Clustering::default());
    assert_eq!(
        (relations.clusters().len(), relations.alone().len()),
        (0, 3)
    );
    assert_eq!(clustered(&[], Clustering::default()).alone().len(), 0);
}

#[test]
fn looking_for_opposites_can_be_stopped() {
    let cancel = CancelToken::new();
    let told = cancel.clone();
    let mut report = |progress: Progress<'_>| {
        if progress.step == "look for opposites" {
            told.cancel();
        }
    };
    let mut watch = Watch::new(&mut report, cancel);
    let names = ["contains", "does not contain", "never includes"];
    let stopped = Relations::cluster(names, &angles(), Clustering::default(), &mut watch);
    assert!(matches!(
        stopped,
        Err(RelationError::Clusters(DbscanError::Stopped(_)))
    ));
}
