//! Bounds, thresholds and what is refused at them, worked out by hand.

use super::*;

fn refusal(own: &[f64], foreign: &[f64]) -> Refusal {
    let some = |values: &[f64]| values.iter().copied().map(Some).collect();
    Refusal {
        own: some(own),
        foreign: some(foreign),
        ..Refusal::default()
    }
}

#[test]
fn who_guesses_has_a_half_and_ties_are_halves() {
    assert_eq!(refusal(&[1.0, 2.0], &[1.0, 2.0]).auroc(), Some(0.5));
    assert_eq!(refusal(&[3.0, 2.0], &[1.0, 0.0]).auroc(), Some(1.0));
    assert_eq!(refusal(&[0.0], &[1.0]).auroc(), Some(0.0));
    assert_eq!(refusal(&[], &[1.0]).auroc(), None);
    let nothing = Refusal {
        own: vec![None, Some(f64::NAN)],
        foreign: vec![None],
        ..Refusal::default()
    };
    assert_eq!(nothing.auroc(), Some(0.5));
}

#[test]
fn the_bound_refuses_as_many_of_its_own_as_it_may() {
    let own: Vec<f64> = (0..100).map(f64::from).collect();
    let foreign: Vec<f64> = (0..10).map(|n| f64::from(n) / 2.0).collect();
    let whole = Refusal {
        nothing: vec![None, Some(2.0)],
        ..refusal(&own, &foreign)
    };
    let refused = whole.refused_at(0.02).unwrap();
    assert_eq!(refused.nothing, 0.5);
    // 0 and 1 of its own, and 0, 0.5, 1 and 1.5 of the others.
    assert_eq!(
        (refused.below, refused.own, refused.foreign),
        (2.0, 0.02, 0.4)
    );
    // Alike ones are refused together or not at all.
    let refused = refusal(&[1.0, 1.0, 1.0, 5.0], &[0.0, 1.0])
        .refused_at(0.5)
        .unwrap();
    assert_eq!(
        (refused.below, refused.own, refused.foreign),
        (1.0, 0.0, 0.5)
    );
    assert!(refusal(&[], &[1.0]).refused_at(0.02).is_none());
    let all = refusal(&[1.0, 2.0], &[0.0]).refused_at(1.0).unwrap();
    assert!(all.own < 1.0);
}

#[test]
fn measures_are_means_over_questions() {
    let whole = Refusal {
        nothing: vec![None, Some(9.0)],
        ..refusal(&[2.0, 3.0], &[1.0, 2.0, 2.5, 0.0])
    };
    let measures = whole.measures();
    assert_eq!(
        measures,
        [
            ("auroc", 0.8125),
            ("refused2", 0.5),
            ("nothing_refused2", 0.5)
        ]
    );
    assert_eq!(whole.auroc(), Some(measures[0].1));
    assert!(refusal(&[], &[1.0]).measures().is_empty());
    assert!(refusal(&[1.0], &[]).measures().is_empty());
}

#[test]
fn a_threshold_is_gone_by_as_it_is() {
    let whole = Refusal {
        nothing: vec![None, Some(9.0)],
        threshold: Some(2.5),
        ..refusal(&[2.0, 3.0, 2.5, 4.0], &[1.0, 2.0, 2.5, 0.0])
    };
    // Who is as sure as the threshold says answers, and who found nothing does not.
    assert_eq!(
        whole.measures()[3..],
        [
            ("own_refused", 0.25),
            ("others_refused", 0.75),
            ("nothing_refused", 0.5)
        ]
    );
    let of_each: Vec<(&str, &str)> = { whole.of_each() }
        .map(|one| (one.measure, one.of))
        .skip(3)
        .collect();
    assert_eq!(
        of_each,
        [
            ("own_refused", "own"),
            ("others_refused", "other"),
            ("nothing_refused", "nothing")
        ]
    );
    assert!(less_is_better("own_refused") && !less_is_better("others_refused"));
    // Runs from before there was one are read as they were written.
    let old = r#"{"set": "a", "pipeline": "p", "own": [0.9], "foreign": [null]}"#;
    let old: Refusal = serde_json::from_str(old).unwrap();
    assert_eq!((old.threshold, old.measures().len()), (None, 2));
    let again = serde_json::to_string(&whole).unwrap();
    assert_eq!(serde_json::from_str::<Refusal>(&again).unwrap(), whole);
}

#[test]
fn means_have_the_interval_of_their_values() {
    let own: Vec<f64> = (0..40).map(f64::from).collect();
    let whole = Refusal {
        threshold: Some(20.0),
        ..refusal(&own, &[5.0, 15.0, 25.0, 35.0])
    };
    let means = whole.means();
    let plain: Vec<(&str, f64)> = means
        .iter()
        .map(|(name, mean)| (*name, mean.mean))
        .collect();
    assert_eq!(plain, whole.measures());
    // The same draws as of any other measure: half of forty are refused.
    let (name, own_refused) = &means[2];
    let halves: Vec<f64> = (0..40).map(|one| f64::from(u8::from(one < 20))).collect();
    assert_eq!(
        (*name, own_refused),
        ("own_refused", &Mean::of(&halves).unwrap())
    );
    for (name, mean) in &means {
        let (low, high) = (*mean.interval.start(), *mean.interval.end());
        assert!(low <= mean.mean && mean.mean <= high, "{name}: {mean:?}");
    }
    assert_eq!((means[0].1.count, means[1].1.count), (40, 4));
}

#[test]
fn all_sets_have_one_bound_and_each_its_threshold() {
    let one = Refusal {
        threshold: Some(1.5),
        ..refusal(&[1.0, 2.0], &[0.0])
    };
    let other = Refusal {
        threshold: Some(20.0),
        ..refusal(&[10.0, 30.0], &[25.0, 0.5])
    };
    let untold = refusal(&[3.0], &[9.0]);
    let all = Refusal::measures_of_all(&[&one, &other, &untold]);
    // One bound: 1.0, below which two of four others are.
    assert_eq!(
        all[1..],
        [
            ("refused2", 0.5),
            ("own_refused", 0.5),
            ("others_refused", 2.0 / 3.0)
        ]
    );
    assert!(Refusal::measures_of_all(&[]).is_empty());
    assert_eq!(Refusal::measures_of_all(&[&untold]), untold.measures());
}

#[test]
fn the_curve_leads_from_nothing_to_all() {
    let curve = refusal(&[2.0, 3.0], &[1.0, 2.0]).curve();
    assert_eq!(curve, [(0.0, 0.0), (0.0, 0.5), (0.5, 1.0), (1.0, 1.0)]);
}
