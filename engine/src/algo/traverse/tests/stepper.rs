//! A host in the loop: the same rows as the operator, and nothing happens out of turn.

use super::super::*;
use super::case::{Case, Dependence, Way, plain, projected};
use crate::algo::snapshot::ProjectionSteps;
use crate::clock::SystemClock;
use std::convert::Infallible;

/// Drives the stepper with the scores of the case, as a host would.
fn by_hand(case: &Case) -> Result<Traversal, TraverseError<Infallible>> {
    let clock = SystemClock::new();
    let mut graph = case.table();
    let mut stepper = case.traverse().stepper(&clock)?;
    while let Some(level) = stepper.next_level(&mut graph)? {
        let number = level.level();
        let of = |node: NodeId, way: Option<&Way>| match case.scores {
            Some(scores) => scores.of(node.get(), way, number).unwrap_or(f64::NAN),
            None => f64::NAN,
        };
        if case
            .scores
            .is_some_and(|scores| scores.on == Dependence::Arrival)
        {
            let mut scores = Vec::new();
            for (at, node) in level.nodes().iter().enumerate() {
                let ways: Vec<_> = level.arrivals(at).map(plain).collect();
                if ways.is_empty() {
                    scores.push(of(*node, None));
                }
                scores.extend(ways.iter().map(|way| of(*node, Some(way))));
            }
            stepper.admit_arrival_scores(&scores)?;
        } else {
            let scores: Vec<f64> = level.nodes().iter().map(|node| of(*node, None)).collect();
            stepper.admit_scores(&scores)?;
        }
    }
    Ok(stepper.finish())
}

#[test]
fn a_host_with_the_same_scores_gets_the_same_rows() {
    for seed in 0..3_000 {
        let mut case = Case::random(seed);
        case.recover = None;
        let told = |result: Result<Traversal, TraverseError<Infallible>>| match result {
            Ok(result) => Ok((result.rows.iter())
                .map(|row| format!("{:?}", facts(row)))
                .collect()),
            Err(error) => Err(error.to_string()),
        };
        let seen: Result<Vec<String>, String> = told(by_hand(&case));
        assert_eq!(seen, told(case.run()), "seed {seed}: {case:#?}");
    }
}

fn facts(row: Row<'_>) -> impl std::fmt::Debug {
    let roots = row.roots().map(<[NodeId]>::to_vec);
    (
        row.node,
        row.level,
        row.score,
        row.status,
        row.rank,
        row.path(),
        roots,
    )
}

/// 0 -> 1, 2; 2 -> 3.
fn small(run: impl FnOnce(&mut ProjectionSteps<'_>)) {
    let graph = projected(4, [(0, 1, 7), (0, 2, 8), (2, 3, 9)]);
    run(&mut ProjectionSteps::new(&graph).unwrap());
}

fn traverse<'a>() -> Traverse<'a, Infallible> {
    Traverse::from([NodeId::new(0)]).columns(Columns {
        arrivals: true,
        paths: true,
        roots: true,
    })
}

#[test]
fn a_language_model_may_say_yes_by_name_and_find_what_was_missed() {
    let [zero, one, two, three] = [0, 1, 2, 3].map(NodeId::new);
    let clock = SystemClock::new();
    small(|graph| {
        let nothing = |_: u32, _: &mut Vec<NodeId>| Ok(());
        let recover = Recover::new(nothing, Keep::all().top(1));
        let traverse = traverse()
            .levels(0, Some(2))
            .emit(Emit::Candidates)
            .recover(recover);
        let mut stepper = traverse.stepper(&clock).unwrap();
        assert_eq!(stepper.next_level(graph).unwrap().unwrap().nodes(), [zero]);
        stepper.admit(&[zero]).unwrap();
        let level = stepper.next_level(graph).unwrap().unwrap();
        assert_eq!((level.level(), level.nodes()), (1, &[one, two][..]));
        let parents: Vec<NodeId> = level.arrivals(1).map(|way| way.parent).collect();
        assert_eq!(parents, [zero]);
        stepper.admit(&[one]).unwrap();
        // In two calls: a candidate that was refused, and a node that is none.
        stepper.recover(&[(two, 0.5), (one, 0.9)]).unwrap();
        stepper.recover(&[(three, 0.7)]).unwrap();
        assert_eq!(stepper.next_level(graph).unwrap().unwrap().nodes(), []);
        stepper.admit(&[]).unwrap();
        assert!(stepper.next_level(graph).unwrap().is_none());
        let result = stepper.finish();
        let rows: Vec<_> = (result.rows.iter())
            .map(|row| (row.node, row.level, row.score, row.status, row.parent()))
            .collect();
        assert_eq!(
            rows,
            [
                (zero, 0, None, Status::Kept, None),
                (three, 1, Some(0.7), Status::Recovered, None),
                (two, 1, Some(0.5), Status::Recovered, None),
                (one, 1, None, Status::Kept, Some(zero)),
            ]
        );
        assert!(!result.summary.truncated);
    });
}

#[test]
fn nothing_happens_out_of_turn() {
    let [zero, one, two, three] = [0, 1, 2, 3].map(NodeId::new);
    let clock = SystemClock::new();
    small(|graph| {
        let mut stepper = traverse().stepper(&clock).unwrap();
        assert_eq!(stepper.admit(&[zero]), Err(TraverseError::NothingToDecide));
        assert_eq!(stepper.recover(&[]), Err(TraverseError::NothingToDecide));
        stepper.next_level(graph).unwrap();
        let undecided = stepper.next_level(graph).map(|_| ()).unwrap_err();
        assert_eq!(undecided, TraverseError::Undecided { level: 0 });
        assert_eq!(stepper.recover(&[]), Err(TraverseError::NothingToDecide));
        let stranger = TraverseError::NotACandidate {
            node: one,
            level: 0,
        };
        assert_eq!(stepper.admit(&[zero, one]), Err(stranger));
        let wrong = TraverseError::WrongScores {
            level: 0,
            expected: 1,
            found: 2,
        };
        assert_eq!(stepper.admit_scores(&[1.0, 2.0]), Err(wrong));
        stepper.admit(&[zero]).unwrap();
        assert_eq!(stepper.admit(&[zero]), Err(TraverseError::NothingToDecide));
        let early = TraverseError::NotRecoverable {
            node: three,
            level: 0,
        };
        assert_eq!(stepper.recover(&[(three, 1.0)]), Err(early));
        stepper.next_level(graph).unwrap();
        stepper.admit(&[two]).unwrap();
        let known = TraverseError::NotRecoverable {
            node: zero,
            level: 1,
        };
        assert_eq!(stepper.recover(&[(zero, 1.0)]), Err(known));
        // The host goes away while level 2 is open.
        assert_eq!(stepper.next_level(graph).unwrap().unwrap().nodes(), [three]);
        let result = stepper.finish();
        assert!(result.summary.truncated);
        assert_eq!(result.rows.nodes(), [zero, two]);
    });
}

#[test]
fn what_was_recovered_stays_as_it_is_and_null_recovers_nothing() {
    let [zero, one, two, three] = [0, 1, 2, 3].map(NodeId::new);
    let clock = SystemClock::new();
    small(|graph| {
        let mut stepper = traverse().levels(0, Some(1)).stepper(&clock).unwrap();
        stepper.next_level(graph).unwrap();
        stepper.admit(&[zero]).unwrap();
        stepper.next_level(graph).unwrap();
        stepper.admit(&[one]).unwrap();
        // A null score passes no RECOVER, and does not stand in the way of a better answer.
        stepper
            .recover(&[(two, f64::NAN), (three, f64::NAN)])
            .unwrap();
        stepper
            .recover(&[(three, f64::NAN), (three, 0.7), (two, 0.5)])
            .unwrap();
        stepper
            .recover(&[(two, 0.1), (three, 0.1), (one, 0.1)])
            .unwrap();
        let result = stepper.finish();
        let rows: Vec<_> = (result.rows.iter().skip(1))
            .map(|row| (row.node, row.score, row.status))
            .collect();
        assert_eq!(
            rows,
            [
                (three, Some(0.7), Status::Recovered),
                (two, Some(0.5), Status::Recovered),
                (one, None, Status::Kept),
            ]
        );
    });
}
