use super::*;
use crate::extract::Triple;
use stratigraph::storage::cancel::{CancelToken, Progress};
use stratigraph_models::{Coverage, Lexical, Placed, Rows};

/// Each name at its angle in degrees, and others without a direction.
fn at_angles(angles: impl IntoIterator<Item = (&'static str, f32)>) -> Placed {
    Placed::at_angles(angles, Some([0.0, 0.0]))
}

/// 1 - cos of 18 degrees is 0.049, of 19 degrees 0.054.
fn angles() -> Placed {
    at_angles([
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
        ("holds", 26.0),
        ("reaches", 44.0),
        ("lacks", 22.0),
        ("sends", 200.0),
        ("dispatches", 204.0),
        ("shipped to", 202.0),
        ("shipped from", 203.0),
        ("sends to", 205.0),
        ("ships to", 230.0),
        ("is employed by", 270.0),
        ("works for", 275.0),
        ("hires", 290.0),
        ("employs", 283.0),
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
    let pair = |one: &'static str, together| (one, "does not contain", together);
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
    let kept = kept(&[("includes", &["covers", "contains"])]);
    let mut relations = assigned(&kept, &["comprises"], Clustering::default());
    assert!(relations.take_out("includes"));
    let next = relations.clusters()[0].representative.clone();
    assert_ne!(next, "includes");
    for name in ["covers", "contains", "comprises"] {
        assert_eq!(relations.name_for(name), Some(next.as_str()), "{name}");
    }
    assert_eq!(relations.name_for("includes"), Some("includes"));
}

fn kept<'a>(clusters: &[(&'a str, &[&'a str])]) -> Kept<'a> {
    let clusters = clusters.iter();
    clusters
        .map(|(stands, others)| (*stands, others.iter().copied().collect()))
        .collect()
}

fn assigned(kept: &Kept<'_>, names: &[&str], clustering: Clustering) -> Relations {
    let names = names.iter().copied();
    let mut watch = Watch::quiet();
    Relations::assign(kept, names, &angles(), clustering, &mut watch).unwrap()
}

/// Of each pair the opposite, the one that negates or turns it around, and whether they are in one cluster.
fn pairs(relations: &Relations) -> Vec<(&str, &str, bool)> {
    let pairs = relations.opposites().iter();
    pairs
        .map(|pair| (&*pair.opposite, &*pair.name, pair.together))
        .collect()
}

#[test]
fn later_names_go_to_what_was_kept_and_the_others_are_clustered() {
    // The mean of 0, 10 and 24 degrees is at 11.
    let kept = kept(&[("covers", &["includes", "contains"])]);
    let later = [
        "comprises",
        "spans",
        "remunerates",
        "pays",
        "sleeps",
        "never includes",
        "does not contain",
        "covers",
        "",
    ];
    let relations = assigned(&kept, &later, Clustering::default());
    let stands: Vec<Option<&str>> = later.map(|name| relations.name_for(name)).into();
    let expected = [
        // Nearest to the mean, and yet it does not stand for the others.
        Some("covers"),
        // Near to a member and not to the mean.
        Some("spans"),
        Some("pays"),
        Some("pays"),
        Some("sleeps"),
        // Both are within eps of the mean, and negate: they are one, and not one with it.
        Some("does not contain"),
        Some("does not contain"),
        Some("covers"),
        None,
    ];
    assert_eq!(stands, expected);
    let members: Vec<&str> = { relations.clusters()[0].members.iter() }
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(members, ["comprises", "contains", "covers", "includes"]);
    assert_eq!(relations.alone().collect::<Vec<_>>(), ["sleeps", "spans"]);
    let told = [
        ("comprises", "does not contain", false),
        ("comprises", "never includes", false),
        ("covers", "never includes", false),
        ("spans", "does not contain", false),
    ];
    assert_eq!(pairs(&relations), told);
    let mut again = later;
    again.reverse();
    assert_eq!(assigned(&kept, &again, Clustering::default()), relations);
}
#[test]
fn what_negates_a_name_that_was_kept_is_told_and_put_with_it_only_on_demand() {
    // Facts have none of these names any more.
    let near = kept(&[("covers", &["includes", "contains"])]);
    let apart = assigned(&near, &["does not contain"], Clustering::default());
    assert_eq!(pairs(&apart), [("contains", "does not contain", false)]);
    assert_eq!(apart.name_for("does not contain"), Some("does not contain"));
    let published = Clustering {
        negations: Negations::AsOthers,
        ..Clustering::default()
    };
    let together = assigned(&near, &["does not contain"], published);
    assert_eq!(pairs(&together), [("contains", "does not contain", true)]);
    assert_eq!(together.name_for("does not contain"), Some("covers"));
    // Near to the mean of two, and to none of them.
    let wide = kept(&[("covers", &["reaches"])]);
    let between = assigned(&wide, &["lacks"], Clustering::default());
    assert_eq!(between.name_for("lacks"), Some("lacks"));
    assert_eq!(pairs(&between), [("covers", "lacks", false)]);
    // Somebody has put both kinds under one: then each differs from one of them.
    let both = kept(&[("contains", &["does not contain"])]);
    let beside = assigned(&both, &["holds", "never includes"], Clustering::default());
    let told = [
        ("contains", "never includes", false),
        ("holds", "does not contain", false),
        ("holds", "never includes", false),
    ];
    assert_eq!(pairs(&beside), told);
    assert_eq!(beside.name_for("holds"), Some("holds"));
}

#[test]
fn what_was_kept_apart_stays_apart() {
    let kept = kept(&[("spans", &["contains"]), ("includes", &["covers"])]);
    let names = ["spans", "includes", "comprises", "holds"];
    let relations = assigned(&kept, &names, Clustering::default());
    let stands = names.map(|name| relations.name_for(name).unwrap());
    assert_eq!(stands, ["spans", "includes", "includes", "spans"]);
    assert_eq!(relations.clusters().len(), 2);
    // What has no direction is near nothing, however near is near enough.
    let wide = Clustering {
        eps: 1.0,
        ..Clustering::default()
    };
    let nowhere = Kept::from([("unknown", ["also unknown"].into())]);
    let relations = assigned(&nowhere, &["covers", "unheard of"], wide);
    assert_eq!(
        relations.alone().collect::<Vec<_>>(),
        ["covers", "unheard of"]
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
fn assigning_and_looking_for_opposites_can_be_stopped() {
    stopped_at("assign names");
    stopped_at("compare directions");
    stopped_at("join clusters");
    stopped_at("look for opposites");
}

fn stopped_at(step: &str) {
    let cancel = CancelToken::new();
    let told = cancel.clone();
    let mut report = |progress: Progress<'_>| {
        if progress.step == step {
            told.cancel();
        }
    };
    let mut watch = Watch::new(&mut report, cancel);
    let names = [
        "contains",
        "covers",
        "pays",
        "does not contain",
        "never includes",
        "dispatches",
    ];
    let sends = kept(&[("sends", &[])]);
    let stopped = Relations::assign(&sends, names, &angles(), Clustering::default(), &mut watch);
    let is_stopped = matches!(
        stopped,
        Err(RelationError::Clusters(DbscanError::Stopped(_)))
    );
    assert!(is_stopped, "{step}");
}

fn by_letters(names: &[&str], negations: Negations) -> Relations {
    let clustering = Clustering {
        negations,
        ..Clustering::default()
    };
    let names = names.iter().copied();
    Relations::cluster(names, &Lexical::new(), clustering, &mut Watch::quiet()).unwrap()
}

#[test]
fn what_differs_by_direction_is_not_put_together_by_its_letters() {
    for (one, other) in [
        ("caused", "caused by"),
        ("preceded", "preceded by"),
        ("is supervised by", "supervised"),
        ("shipped from", "shipped to"),
        ("paid by", "paid to"),
        ("inherited by", "inherited from"),
        ("reports on", "reports to"),
        ("trasferito a", "trasferito da"),
        ("capital", "capital of"),
        ("awarded", "was awarded"),
        ("erlaubt", "nicht erlaubt"),
    ] {
        let published = by_letters(&[one, other], Negations::AsOthers);
        assert_eq!(published.clusters().len(), 1, "{one} / {other}");
        let apart = by_letters(&[one, other], Negations::Apart);
        assert!(apart.clusters().is_empty(), "{one} / {other}");
        // For somebody to look at, either way.
        for (relations, together) in [(&published, true), (&apart, false)] {
            let told = relations.opposites();
            assert_eq!((told.len(), told[0].together), (1, together), "{told:?}");
            let mut pair = [told[0].name.as_str(), told[0].opposite.as_str()];
            pair.sort_unstable();
            let mut names = [one, other];
            names.sort_unstable();
            assert_eq!(pair, names);
        }
    }
    let names = [
        "located in",
        "is located in",
        "is part of",
        "is a part of",
        "part_of",
    ];
    let relations = by_letters(&names, Negations::Apart);
    let members = relations.clusters().iter();
    let mut members: Vec<usize> = members.map(|cluster| cluster.members.len()).collect();
    members.sort_unstable();
    assert_eq!(members, [2, 3]);
    assert!(relations.opposites().is_empty());
}

#[test]
fn a_cluster_with_both_ends_of_a_relation_is_clustered_by_direction() {
    // Each is within eps of the next.
    let names = ["is employed by", "works for", "employs", "hires"];
    let relations = clustered(&names, Clustering::default());
    let stands = names.map(|name| relations.name_for(name).unwrap());
    assert_eq!(
        stands,
        ["is employed by", "works for", "employs", "employs"]
    );
    assert_eq!(pairs(&relations), [("employs", "is employed by", false)]);
    // Without its other end, names of other words are as near as their vectors are.
    let relations = clustered(&names[..2], Clustering::default());
    assert_eq!(relations.clusters().len(), 1);
    assert!(relations.opposites().is_empty());
}

#[test]
fn later_names_of_another_direction_do_not_join() {
    let ship = kept(&[("sends", &["dispatches"])]);
    let one = assigned(&ship, &["shipped to"], Clustering::default());
    assert_eq!(one.name_for("shipped to"), Some("sends"));
    // Two that are opposites come at once: none of them is the one that belongs there.
    let both = ["shipped to", "shipped from"];
    let relations = assigned(&ship, &both, Clustering::default());
    assert_eq!(both.map(|name| relations.name_for(name)), both.map(Some));
    assert_eq!(pairs(&relations), [("shipped from", "shipped to", false)]);
    // The other end of what was kept, and of which no fact has the name any more.
    let relations = assigned(&ship, &["sends to"], Clustering::default());
    assert_eq!(relations.name_for("sends to"), Some("sends to"));
    assert_eq!(pairs(&relations), [("sends", "sends to", false)]);
    // Somebody has put both ends under one: what says the same as one of them goes there.
    let both = kept(&[("shipped to", &["shipped from"])]);
    let relations = assigned(&both, &["Shipped_to"], Clustering::default());
    assert_eq!(relations.name_for("Shipped_to"), Some("shipped to"));
    // Both ends at once go there, too, and are told.
    let relations = assigned(
        &both,
        &["Shipped_to", "Shipped_from"],
        Clustering::default(),
    );
    for name in ["Shipped_to", "Shipped_from"] {
        assert_eq!(relations.name_for(name), Some("shipped to"), "{name}");
    }
    assert_eq!(pairs(&relations), [("Shipped_from", "Shipped_to", true)]);
    // Far from each other, they are two whatever their words are.
    let far = clustered(&["shipped from", "ships to"], Clustering::default());
    assert!(far.opposites().is_empty());
}

#[test]
fn of_many_opposites_that_come_at_once_the_nearest_are_told() {
    // All are within eps of the one that was kept, and the first are the farthest from "shipz to".
    let letters =
        ('a'..='y').flat_map(|one| [format!("ship{one} from"), format!("ship{one}s from")]);
    let mut from: Vec<&'static str> = letters.map(|name| &*name.leak()).collect();
    from.sort_unstable();
    let angles = from.iter().enumerate();
    let mut angles: Vec<(&str, f32)> = angles
        .map(|(place, name)| (*name, 183.0 + place as f32 * 0.05))
        .collect();
    angles.extend([("sends", 200.0), ("shipz to", 217.0)]);
    let sends = kept(&[("sends", &[])]);
    let names = from.iter().copied().chain(["shipz to"]);
    let clustering = Clustering::default();
    let mut watch = Watch::quiet();
    let relations = Relations::assign(&sends, names, &at_angles(angles), clustering, &mut watch);
    let relations = relations.unwrap();
    let nearest = from[from.len() - 32..].iter();
    let nearest: Vec<(&str, &str, bool)> = nearest.map(|name| (*name, "shipz to", false)).collect();
    assert_eq!(pairs(&relations), nearest);
}

/// Reads English letters, and has one vector for whatever it is given.
pub(crate) struct English;

impl Embedder for English {
    fn name(&self) -> &str {
        "english"
    }
    fn dimensions(&self) -> usize {
        2
    }
    fn max_tokens(&self) -> usize {
        usize::MAX
    }
    fn embed(&self, texts: &[&str]) -> Result<Rows, ModelError> {
        Rows::of([1.0, 0.0].repeat(texts.len()), 2)
    }
    fn coverage(&self, texts: &[&str]) -> Result<Option<Coverage>, ModelError> {
        let mut coverage = Coverage::default();
        for letter in texts.iter().flat_map(|text| text.chars()) {
            coverage.count(letter, letter.is_ascii());
        }
        Ok(Some(coverage))
    }
}

#[test]
fn names_that_the_embedder_cannot_read_lie_alone() {
    let names = ["允许", "属于", "批准", "禁止", "covers", "contains"];
    let clustering = Clustering::default();
    let relations = Relations::cluster(names, &English, clustering, &mut Watch::quiet()).unwrap();
    assert_eq!(relations.clusters().len(), 1);
    assert_eq!(relations.name_for("covers"), relations.name_for("contains"));
    assert_eq!(
        relations.alone().collect::<Vec<_>>(),
        ["允许", "属于", "批准", "禁止"]
    );
    // What was agreed stays, and nothing is proposed to go there.
    let agreed = kept(&[("允许", &["批准"]), ("contains", &[])]);
    let later = ["批准", "禁止", "covers"];
    let relations =
        Relations::assign(&agreed, later, &English, clustering, &mut Watch::quiet()).unwrap();
    let stands = later.map(|name| relations.name_for(name).unwrap());
    assert_eq!(stands, ["允许", "禁止", "contains"]);
}
