//! Runs side by side, of values written by hand.

use super::super::Evaluated;
use super::*;

fn run(set: &str, pipeline: &str, values: &[f64]) -> Evaluation {
    let questions = values.iter().enumerate();
    let questions = questions.map(|(number, value)| Evaluated {
        id: number.to_string(),
        kind: String::new(),
        values: [("r5".to_owned(), *value)].into(),
        found: Vec::new(),
        confidence: None,
        milliseconds: 1.0,
        units: 0,
        cost: Default::default(),
    });
    Evaluation {
        set: set.to_owned(),
        pipeline: pipeline.to_owned(),
        embedder: "e".to_owned(),
        questions: questions.collect(),
    }
}

fn compare(before: &[Evaluation], after: &[Evaluation]) -> Comparison {
    let saved = |evaluations: &[Evaluation]| Saved {
        evaluations: evaluations.to_vec(),
        refusals: Vec::new(),
    };
    Comparison::of(&saved(before), &saved(after))
}

#[test]
fn differences_are_of_the_same_questions_and_say_which() {
    let before: Vec<f64> = (0..40).map(|n| f64::from(n % 4) / 4.0).collect();
    let after: Vec<f64> = before.iter().map(|value| value + 0.25).collect();
    let comparison = compare(&[run("a", "p", &before)], &[run("a", "q", &after)]);
    let one = &comparison.differences[0];
    assert_eq!((one.before.as_str(), one.after.as_str()), ("p", "q"));
    assert_eq!((one.verdict(), one.changed.len()), (Verdict::Better, 40));
    assert!((one.mean_after - one.mean_before - 0.25).abs() < 1e-9);
    assert!((one.low - 0.25).abs() < 1e-9 && (one.high - 0.25).abs() < 1e-9);
    assert!(comparison.unmatched.is_empty() && comparison.worse() == 0);
    let back = compare(&[run("a", "q", &after)], &[run("a", "p", &before)]);
    assert_eq!(back.worse(), 1);
    let same = compare(&[run("a", "p", &before)], &[run("a", "p", &before)]);
    assert_eq!(same.differences[0].verdict(), Verdict::Alike);
    assert!(same.differences[0].changed.is_empty());
}

#[test]
fn questions_that_have_changed_most_are_named_first() {
    let before = [0.5, 0.5, 0.5, 0.5, 0.5];
    let after = [0.6, 0.0, 1.0, 0.5, 0.4];
    let comparison = compare(&[run("a", "p", &before)], &[run("a", "p", &after)]);
    let ids = |sides: [Vec<&Changed>; 2]| {
        sides.map(|side| side.iter().map(|one| one.id.clone()).collect::<Vec<_>>())
    };
    let one = &comparison.differences[0];
    assert_eq!(ids(one.sides()), [["2", "0"], ["1", "4"]]);
    assert_eq!(one.better(), 2);
    // Of what is refused wrongly less is better.
    let refused = Difference {
        measure: "own_refused".to_owned(),
        ..one.clone()
    };
    assert_eq!(ids(refused.sides()), [["1", "4"], ["2", "0"]]);
}

/// A run of which each question took so many milliseconds and units, and as many tokens.
fn took(pipeline: &str, questions: &[(&str, f64, usize)]) -> Evaluation {
    let mut run = run("a", pipeline, &vec![1.0; questions.len()]);
    for (question, (id, milliseconds, units)) in run.questions.iter_mut().zip(questions) {
        question.id = (*id).to_owned();
        question.milliseconds = *milliseconds;
        question.units = *units;
        question.cost.input_tokens = *units as u64;
    }
    run
}

#[test]
fn costs_stand_side_by_side_over_the_questions_that_both_have() {
    let before = took("p", &[("1", 2.0, 10), ("2", 4.0, 20), ("gone", 900.0, 900)]);
    let after = took("q", &[("2", 1.5, 24), ("1", 1.0, 10), ("new", 700.0, 700)]);
    let comparison = compare(&[before], std::slice::from_ref(&after));
    let told: Vec<(&str, [String; 3])> = { comparison.costs.iter() }
        .map(|one| (one.cost.as_str(), one.shown()))
        .collect();
    assert_eq!(
        told,
        [
            ("p50 ms", ["4.00", "1.50", "-2.50"]),
            ("p99 ms", ["4.00", "1.50", "-2.50"]),
            ("units", ["15", "17", "+2"]),
            ("calls", ["0.00", "0.00", "+0.00"]),
            ("tokens", ["15", "17", "+2"]),
        ]
        .map(|(cost, shown)| (cost, shown.map(str::to_owned)))
    );
    let one = &comparison.costs[2];
    assert_eq!((one.value_before, one.value_after), (15.0, 17.0));
    assert_eq!(
        (one.before.as_str(), one.after.as_str(), one.questions),
        ("p", "q", 2)
    );
    // They are no verdict, whatever they are.
    assert_eq!(comparison.worse(), 0);
    assert_eq!(verdicts(&comparison), [("r5", Verdict::Alike)]);
    let csv = comparison.csv();
    assert!(
        csv.contains("\r\na,p,q,units,15.000000,17.000000,,,2,,\r\n"),
        "{csv}"
    );
    // As many cells as have a heading.
    assert!(
        csv.lines().all(|line| line.matches(',').count() == 10),
        "{csv}"
    );
    // Who packs nothing has no units, and who is not timed no costs.
    let nothing = took("q", &[("1", 1.0, 0)]);
    let comparison = compare(std::slice::from_ref(&after), &[nothing]);
    let told = "a: the cost units is only in the first".to_owned();
    assert!(comparison.unmatched.contains(&told), "{comparison:?}");
    let untimed = took("q", &[("1", 0.0, 0)]);
    let comparison = compare(
        std::slice::from_ref(&untimed),
        std::slice::from_ref(&untimed),
    );
    assert!(comparison.costs.is_empty() && comparison.unmatched.is_empty());
}

#[test]
fn one_question_of_forty_may_be_chance() {
    let before = vec![0.0; 40];
    let mut after = before.clone();
    after[7] = 1.0;
    let comparison = compare(&[run("a", "p", &before)], &[run("a", "p", &after)]);
    let one = &comparison.differences[0];
    assert_eq!(one.verdict(), Verdict::Alike);
    assert_eq!(one.changed[0].id, "7");
}

#[test]
fn what_only_one_has_is_told() {
    let before = [
        run("a", "p", &[1.0]),
        run("a", "q", &[1.0]),
        run("b", "p", &[1.0]),
    ];
    let after = [
        run("a", "p", &[1.0, 0.0]),
        run("a", "r", &[1.0]),
        run("c", "p", &[1.0]),
    ];
    let comparison = compare(&before, &after);
    assert_eq!(comparison.differences.len(), 1);
    let told = comparison.unmatched.join("\n");
    for part in [
        "a by q is only in the first",
        "b by p",
        "a by r is only in the second",
        "c by p",
        "of 1 and 2 questions 1",
    ] {
        assert!(told.contains(part), "{part} is not in\n{told}");
    }
}

#[test]
fn a_measure_that_only_one_has_is_told() {
    let mut other = run("a", "p", &[1.0, 1.0]);
    other.questions[0].values.insert("late".to_owned(), 1.0);
    let before = [run("a", "p", &[1.0, 0.0])];
    let comparison = compare(&before, std::slice::from_ref(&other));
    assert_eq!(
        comparison.unmatched,
        ["a: the measure late is only in the second"]
    );
    let comparison = compare(std::slice::from_ref(&other), &before);
    assert_eq!(
        comparison.unmatched,
        ["a: the measure late is only in the first"]
    );
    // Both have it, of a question each.
    let mut another = run("a", "p", &[1.0, 1.0]);
    another.questions[1].values.insert("late".to_owned(), 0.0);
    let comparison = compare(&[other], &[another]);
    assert_eq!(comparison.differences.len(), 1);
    assert_eq!(
        comparison.unmatched,
        ["a: the measure late is in both, and of no question in both"]
    );
}

fn with_refusal(own: &[f64], foreign: &[f64], threshold: Option<f64>) -> Saved {
    let some = |values: &[f64]| values.iter().copied().map(Some).collect();
    let refusal = Refusal {
        set: "a".to_owned(),
        pipeline: "p".to_owned(),
        own: some(own),
        foreign: some(foreign),
        nothing: Vec::new(),
        threshold,
    };
    Saved {
        evaluations: vec![run("a", "p", &[1.0; 20])],
        refusals: vec![refusal],
    }
}

fn verdicts(comparison: &Comparison) -> Vec<(&str, Verdict)> {
    let all = comparison.differences.iter();
    all.map(|one| (one.measure.as_str(), one.verdict()))
        .collect()
}

#[test]
fn refusal_is_compared_as_well() {
    let others = [0.5; 20];
    let sure = with_refusal(&[0.9; 20], &others, None);
    let comparison = Comparison::of(&sure, &with_refusal(&[0.1; 20], &others, None));
    assert_eq!(
        verdicts(&comparison),
        [
            ("r5", Verdict::Alike),
            ("auroc", Verdict::Worse),
            ("refused2", Verdict::Worse)
        ]
    );
    let auroc = &comparison.differences[1];
    assert_eq!((auroc.mean_before, auroc.mean_after), (1.0, 0.0));
    assert_eq!((auroc.changed.len(), auroc.questions), (20, 20));
    assert_eq!((auroc.changed[2].id.as_str(), auroc.better()), ("own 3", 0));
    let same = Comparison::of(&sure, &sure);
    assert!(same.worse() == 0 && same.unmatched.is_empty());
    let without = Saved {
        refusals: Vec::new(),
        ..sure.clone()
    };
    let fewer = with_refusal(&[0.9; 19], &others, None);
    for (other, told) in [
        (&without, "a: refusal is only in the first"),
        (&fewer, "and of 19 own questions"),
    ] {
        let comparison = Comparison::of(&sure, other);
        assert_eq!(comparison.differences.len(), 1);
        assert!(
            comparison.unmatched[0].contains(told),
            "{:?}",
            comparison.unmatched
        );
    }
    let comparison = Comparison::of(&without, &sure);
    assert_eq!(comparison.unmatched, ["a: refusal is only in the second"]);
}

#[test]
fn fewer_of_its_own_that_are_refused_are_better() {
    // All are as sure as before, and the threshold is another.
    let low = with_refusal(&[0.6; 20], &[0.5; 20], Some(0.55));
    let high = with_refusal(&[0.6; 20], &[0.5; 20], Some(0.7));
    let comparison = Comparison::of(&low, &high);
    let expected = |own: Verdict| {
        [
            ("r5", Verdict::Alike),
            ("auroc", Verdict::Alike),
            ("refused2", Verdict::Alike),
            ("own_refused", own),
            ("others_refused", Verdict::Alike),
        ]
    };
    assert_eq!(verdicts(&comparison), expected(Verdict::Worse));
    assert_eq!(
        (comparison.worse(), comparison.differences[3].better()),
        (1, 0)
    );
    let back = Comparison::of(&high, &low);
    assert_eq!(verdicts(&back), expected(Verdict::Better));
    let own = &back.differences[3];
    assert_eq!((own.mean_before, own.mean_after), (1.0, 0.0));
    assert_eq!((own.better(), own.changed[0].id.as_str()), (20, "own 1"));
    // A graph that gives no threshold is not one that refuses nothing.
    let none = with_refusal(&[0.6; 20], &[0.5; 20], None);
    for (before, after, place) in [(&low, &none, "first"), (&none, &low, "second")] {
        let comparison = Comparison::of(before, after);
        assert_eq!(comparison.differences.len(), 3);
        assert_eq!(
            comparison.unmatched,
            ["own_refused", "others_refused"]
                .map(|measure| format!("a: the measure {measure} is only in the {place}"))
        );
    }
}
