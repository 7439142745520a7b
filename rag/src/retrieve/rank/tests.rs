//! Walks over graphs that are small enough for paper.

use super::super::trial::{Trial, called};
use super::super::{Mentions, Question};
use super::*;
use stratigraph::ReadTxn;
use stratigraph::graph::Entity;
use stratigraph::{NodeId, RelationshipId};

/// rock - One - basalt - Two - sea, and facts from basalt to both ends.
fn path() -> Trial {
    let trial = Trial::new();
    let said = ("Basalt", "is", "rock");
    trial.put("one.md", 2021, "# A\n\nOne: Basalt is rock.\n", &[said]);
    let said = ("Basalt", "under", "sea");
    trial.put("two.md", 2022, "# B\n\nTwo: Basalt under sea.\n", &[said]);
    trial
}

fn near(items: &[Item], wanted: &[f64]) {
    let found: Vec<f32> = items.iter().map(|item| item.score.value).collect();
    let alike = |(found, wanted): (&f32, &f64)| (f64::from(*found) - wanted).abs() < 1e-6;
    assert!(
        found.len() == wanted.len() && found.iter().zip(wanted).all(alike),
        "{found:?}"
    );
    assert!(items.iter().all(|item| item.score.scale == Scale::Visits));
}

fn along_mentions(rank: Rank) -> Rank {
    rank.along([Along::Mentions])
}

#[test]
fn shares_are_those_of_the_equations() {
    path().ask("rock", |desk| {
        let rock = Mentions::new(1).run(desk).unwrap();
        // For shares r, o, b, t, s of the path from rock: r = 1/2 + o/4, o = r/2 + b/4, b = o/4 + t/4, t = b/4 + s/2,
        // s = t/4; so that they are 97, 52, 14, 4 and 1 of 168.
        let chunks = along_mentions(Rank::chunks(9)).exact();
        let chunks = chunks.run(desk, &rock).unwrap();
        assert_eq!(called(desk, &chunks), ["One:", "Two:"]);
        near(&chunks, &[52.0 / 168.0, 4.0 / 168.0]);
        let entities = along_mentions(Rank::entities(9)).exact();
        let entities = entities.run(desk, &rock).unwrap();
        assert_eq!(called(desk, &entities), ["rock", "Basalt", "sea"]);
        near(&entities, &[97.0 / 168.0, 14.0 / 168.0, 1.0 / 168.0]);
        // The way of the second chunk: by rock, the first chunk and basalt.
        let from: Vec<Entity> = chunks[1].way.iter().map(|step| step.from).collect();
        assert_eq!(from, [rock[0].entity, chunks[0].entity, entities[1].entity]);
        assert!(chunks[1].way.iter().all(|step| step.by == "MENTIONS"));
        // Facts lead there as well: of basalt's four relationships one goes to rock.
        let facts = Rank::entities(9).exact().run(desk, &rock).unwrap();
        assert!(facts[1].score.value > entities[1].score.value);
        let first = along_mentions(Rank::chunks(1)).run(desk, &rock).unwrap();
        assert_eq!(called(desk, &first), ["One:"]);
    });
}

#[test]
fn what_is_handed_on_in_parts_is_nearly_exact() {
    let trial = Trial::new();
    // Things name each other in a ring with chords, and a hub is named by all.
    for at in 0..24 {
        let (next, far) = (
            format!("T{}x", (at + 1) % 24),
            format!("T{}x", (at * 5 + 3) % 24),
        );
        let this = format!("T{at}x");
        let text = format!("# H\n\nC{at} {this} {next} {far} Hub.\n");
        let said = [
            (this.as_str(), "near", next.as_str()),
            ("Hub", "has", far.as_str()),
        ];
        trial.put(&format!("{at}.md"), 2021, &text, &said);
    }
    trial.ask("T7x and T20x", |desk| {
        let seeds = Mentions::new(9).run(desk).unwrap();
        let run = |rank: Rank| rank.run_traced(desk, &seeds).unwrap();
        let (exact, all) = run(Rank::chunks(99).exact());
        assert!(all.left < 1e-9 && !all.is_cut);
        for least in [1e-2, 1e-3, 1e-4] {
            let (items, walked) = run(Rank::chunks(99).least(least));
            // Each chunk names four things.
            let bound = least as f32 * 4.0 + 1e-6;
            for item in &items {
                let alike = exact.iter().find(|other| other.entity == item.entity);
                let less = alike.unwrap().score.value - item.score.value;
                assert!((-1e-6..bound).contains(&less), "{least}: {less}");
            }
            // The sum of what was handed on is at most 1.
            assert!(walked.edges as f64 <= 1.0 / (0.5 * least), "{walked:?}");
            assert!(walked.edges < all.edges);
        }
        let (items, _) = run(Rank::chunks(99).least(1e-6));
        assert_eq!(called(desk, &items[..6]), called(desk, &exact[..6]));
        // A walk that is stopped says so, and follows no more than it may.
        let (_, walked) = run(Rank::chunks(9).least(1e-6).most(50));
        assert!(
            walked.is_cut && walked.edges <= 50 && walked.left > 0.1,
            "{walked:?}"
        );
        // Nobody reads the many neighbours of a hub for shares that are worth nothing.
        let (_, walked) = run(Rank::chunks(9).least(0.02));
        let (_, more) = run(Rank::chunks(9).least(0.0005));
        assert!(walked.edges < 24 && more.edges > 48, "{walked:?} {more:?}");
    });
}

#[test]
fn a_walk_that_would_stay_where_it_begins_takes_one_step() {
    path().ask("rock, sea", |desk| {
        let named = Mentions::new(9).run(desk).unwrap();
        let rank = along_mentions(Rank::chunks(9)).least(2.0);
        // Half of each half goes to the one chunk that names it, and of that half would stay there.
        let (chunks, walked) = rank.run_traced(desk, &named).unwrap();
        near(&chunks, &[0.125, 0.125]);
        assert_eq!((walked.pushes, walked.edges), (2, 2));
        let (chunks, walked) = rank.most(1).run_traced(desk, &named).unwrap();
        assert_eq!((chunks.len(), walked.is_cut), (1, true));
    });
}

/// The share of each seed, which is what somebody visits who never goes on.
fn begins(rank: Rank) -> Rank {
    rank.damping(0.0).exact()
}

#[test]
fn seeds_are_weighed_by_their_kinds() {
    path().ask("basalt, rock", |desk| {
        let named = Mentions::new(9).run(desk).unwrap();
        // Basalt is named by two chunks, rock by one.
        let shares = begins(Rank::entities(9)).run(desk, &named).unwrap();
        assert_eq!(called(desk, &shares), ["rock", "Basalt"]);
        near(&shares, &[2.0 / 3.0, 1.0 / 3.0]);
        let shares = begins(Rank::entities(9))
            .unspecific()
            .run(desk, &named)
            .unwrap();
        near(&shares, &[0.5, 0.5]);
        // A chunk counts a twentieth, and its cosine is no matter where it is the only one.
        let chunk = along_mentions(Rank::chunks(1)).run(desk, &named).unwrap();
        let chunk = Item::found(chunk[0].entity, Scale::Cosine.score(0.3));
        let all: Vec<Item> = named.iter().chain([&chunk]).cloned().collect();
        let shares = begins(Rank::chunks(9)).run(desk, &all).unwrap();
        near(&shares, &[0.05 / 1.55]);
        let shares = begins(Rank::chunks(9))
            .passages(1.0)
            .run(desk, &all)
            .unwrap();
        near(&shares, &[1.0 / 2.5]);
        // What has no score is no beginning, and without any there is no walk.
        let nothing = Item::found(named[0].entity, Scale::Cosine.score(-0.2));
        assert_eq!(Rank::chunks(9).run(desk, &[nothing]).unwrap(), []);
        assert_eq!(Rank::chunks(9).run(desk, &[]).unwrap(), []);
    });
}

fn facts(desk: &Desk<'_, ReadTxn>) -> Vec<Item> {
    let ids = desk
        .read()
        .relationships_of_type("FACT")
        .unwrap()
        .into_iter();
    let score = |predicate: &str| Scale::Cosine.score(if predicate == "is" { 0.8 } else { 0.4 });
    let fact = |id| {
        let id = RelationshipId::new(id);
        let predicate = desk.read().property(id, "predicate").unwrap();
        Item::found(id, score(predicate.as_str().unwrap()))
    };
    ids.map(fact).collect()
}

#[test]
fn facts_begin_at_both_of_their_ends() {
    path().ask("What?", |desk| {
        let facts = facts(desk);
        // 1 for rock, 1/2 for the sea, and for basalt the mean of both, halved for its two chunks.
        let shares = begins(Rank::entities(9)).run(desk, &facts).unwrap();
        assert_eq!(called(desk, &shares), ["rock", "sea", "Basalt"]);
        near(&shares, &[1.0 / 1.875, 0.5 / 1.875, 0.375 / 1.875]);
        let is = facts.iter().find(|fact| fact.score.value == 0.8).unwrap();
        assert_eq!(
            (shares[0].way[0].from, &*shares[0].way[0].by),
            (is.entity, "FACT")
        );
    });
}

#[test]
fn nobody_gets_stuck_where_nothing_leads_on() {
    path().ask("rock", |desk| {
        let rock = Mentions::new(1).run(desk).unwrap();
        let alone = Rank::entities(9).along([Along::Refers]).exact();
        // Two instances refer to basalt, and one to rock: back and forth, 2/3 of the visits are at rock.
        near(&alone.run(desk, &rock).unwrap(), &[2.0 / 3.0]);
        let alone = Rank::entities(9).along([]).exact();
        near(&alone.run(desk, &rock).unwrap(), &[1.0]);
    });
}

#[test]
fn chunks_that_a_question_is_not_about_are_not_on_the_way() {
    let question = Question::new("rock").unwrap().only("year", 2021);
    path().ask_for(&question, |desk| {
        let rock = Mentions::new(1).run(desk).unwrap();
        let rank = along_mentions(Rank::chunks(9)).exact();
        // rock - One - basalt: o = (r + b) / 2, r = 1/2 + o/4, b = o/4.
        near(&rank.run(desk, &rock).unwrap(), &[1.0 / 3.0]);
        let other = desk.read().nodes_with_label("Chunk").unwrap();
        let other = &other - desk.allowed().unwrap().unwrap();
        let other = NodeId::new(other.min().unwrap());
        let other = Item::found(other, Scale::Cosine.score(1.0));
        assert_eq!(rank.run(desk, &[other]).unwrap(), []);
    });
}

#[test]
fn settings_that_cannot_be_are_refused() {
    path().ask("rock", |desk| {
        let rank = || Rank::chunks(1);
        let cases = [
            (rank().damping(1.0), "`damping`"),
            (rank().damping(f64::NAN), "`damping`"),
            (rank().least(0.0), "`least`"),
            (rank().passages(-1.0), "`passages`"),
        ];
        for (rank, name) in cases {
            let refused = rank.run(desk, &[]).unwrap_err().to_string();
            assert!(
                refused.contains(name) && refused.contains("rank"),
                "{refused}"
            );
        }
    });
}
