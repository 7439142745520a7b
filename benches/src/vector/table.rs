//! What was measured on a set: tables for people, and the figures of the report.

use super::compare::{Beside, Compared, FilteredRow, RECALLS, Row};
use super::curve::at_recall;
use super::peers::PEERS;
use super::set::VectorSet;
use crate::measure::report::Report;
use crate::measure::rounds::Rounds;

/// Whether hnswlib finds it as hard as sentences.
const HARD: std::ops::RangeInclusive<f64> = 0.94..=0.97;

/// Prints the tables of a set. A speed stands beside the recall it is at, by processor and by wall time.
pub(super) fn print(set: &VectorSet, compared: &Compared) {
    println!();
    println!(
        "{}: {} rows of {} dimensions, {} queries of 10",
        set.name,
        set.len(),
        set.dims,
        set.truth.len() / 10
    );
    println!(
        "{:<13} {:>9} {:>9} {:>7} {:>7} | {:>9} {:>9} {:>6} | {:>9} {:>9} {:>6}",
        "peer",
        "build cpu",
        "2 thr. s",
        "B/row",
        "ef 48",
        "q/s 0.95",
        "wall",
        "ours/",
        "q/s 0.99",
        "wall",
        "ours/"
    );
    print_row(set, &compared.ours, None);
    for peer in &compared.peers {
        print_row(set, &peer.row, Some(&peer.speeds));
    }
    let hardness = compared
        .peers
        .iter()
        .find(|peer| peer.row.name == PEERS[0].name)
        .and_then(|peer| peer.row.recall_48);
    if let Some(recall) = hardness {
        let word = if HARD.contains(&recall) {
            "as hard as sentences"
        } else if recall > *HARD.end() {
            "TOO EASY"
        } else {
            "TOO HARD"
        };
        println!(
            "hnswlib with a list of 48: {recall:.3}, wanted 0.94 to 0.97: {word}; {} of the queries' answers",
            set.truth.len()
        );
    }
}

/// One row, as soon as it is known: a run of hours may be ended before the tables are there.
pub(super) fn print_beside(set: &VectorSet, peer: &Beside) {
    print_row(set, &peer.row, Some(&peer.speeds));
    let builds = &peer.builds;
    if builds.ratio().is_finite() {
        println!(
            "{:<13} build beside ours: {:.3}",
            peer.row.name,
            builds.ratio()
        );
    }
}

fn print_row(set: &VectorSet, row: &Row, speeds: Option<&[Rounds; 2]>) {
    let number = |value: Option<f64>, digits: usize| {
        value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
    };
    let mut line = format!(
        "{:<13} {:>9.2} {:>9} {:>7.0} {:>7}",
        row.name,
        row.built.cpu_s,
        number(row.wall_two_s, 2),
        row.built.rss_bytes / set.len() as f64,
        number(row.recall_48, 3),
    );
    for (place, speed) in row.speeds.iter().enumerate() {
        let ratio = speeds.map(|speeds| speeds[place].ratio());
        line += &format!(
            " | {:>9} {:>9} {:>6}",
            number(speed.map(|speed| speed.cpu), 0),
            number(speed.map(|speed| speed.wall), 0),
            number(ratio.filter(|ratio| ratio.is_finite()), 2),
        );
    }
    println!("{line}");
}

/// Prints one line a case and peer: the speed at recall 0.99, or the best recall where that is not reached.
pub(super) fn print_filtered<'a>(rows: impl Iterator<Item = (&'a str, &'a str, &'a FilteredRow)>) {
    println!();
    println!(
        "{:<13} {:<12} {:>9} {:>9} {:>7} {:>6} {:>6} {:>6}",
        "filter", "peer", "ours q/s", "theirs", "recall", "rows", "ours", "ratio"
    );
    for (case, peer, row) in rows {
        let speed = |points| at_recall(points, RECALLS[1], |point| point.qps_cpu);
        let text = |value: Option<f64>| {
            value.map_or_else(|| "never".to_owned(), |value| format!("{value:.0}"))
        };
        let last = row.theirs.last();
        let ratio = row.rounds.ratio();
        println!(
            "{case:<13} {peer:<12} {:>9} {:>9} {:>7.3} {:>6.1} {:>6.1} {:>6}",
            text(speed(&row.ours)),
            text(speed(&row.theirs)),
            last.map_or(0.0, |point| point.recall),
            last.map_or(0.0, |point| point.rows),
            row.ours.last().map_or(0.0, |point| point.rows),
            if ratio.is_finite() {
                format!("{ratio:.2}")
            } else {
                "-".into()
            },
        );
    }
}

/// The figures of a set; those of the first one have the names of the summary line.
pub(super) fn figures(set: &VectorSet, compared: &Compared, first: bool, report: &mut Report) {
    let name = |what: &str| {
        if first {
            what.to_owned()
        } else {
            format!("{}_{what}", set.name)
        }
    };
    for (place, recall) in ["95", "99"].iter().enumerate() {
        let with = || {
            compared
                .peers
                .iter()
                .filter(|peer| peer.speeds[place].ratio().is_finite())
        };
        let unit = |peer: &Beside| format!("q/s {}", peer.row.name);
        for peer in with().filter(|peer| peer.row.name == PEERS[0].name) {
            let name = name(&format!("qps{recall}_vs_hnswlib"));
            report.compare(name, &peer.speeds[place], unit(peer), None);
        }
        if let Some(best) = with().min_by(|left, right| {
            let ratio = |peer: &Beside| peer.speeds[place].ratio();
            ratio(left).total_cmp(&ratio(right))
        }) {
            let name = name(&format!("qps{recall}_vs_best"));
            report.compare(name, &best.speeds[place], unit(best), None);
        }
    }
    if compared.two_threads.ratio().is_finite() {
        let name = name("build_one_vs_two_threads");
        report.compare(name, &compared.two_threads, "s wall", None);
    }
    let Some(reference) = compared
        .peers
        .iter()
        .find(|peer| peer.row.name == PEERS[0].name)
    else {
        return;
    };
    let pair = |ours: f64, theirs: f64| {
        let mut rounds = Rounds::default();
        rounds.push(ours, theirs);
        rounds
    };
    // Where nobody took turns, one build of each has to do.
    let once = pair(compared.ours.built.cpu_s, reference.row.built.cpu_s);
    let builds = match reference.builds.ratio().is_finite() {
        true => &reference.builds,
        false => &once,
    };
    report.compare(name("build_vs_hnswlib"), builds, "s cpu", None);
    if let (Some(ours), Some(theirs)) = (compared.ours.wall_two_s, reference.row.wall_two_s) {
        let rounds = pair(ours, theirs);
        report.compare(name("build2_vs_hnswlib"), &rounds, "s wall", None);
    }
    let each = |row: &Row| row.built.rss_bytes / set.len() as f64;
    let memory = pair(each(&compared.ours), each(&reference.row));
    report.compare(name("memory_vs_hnswlib"), &memory, "bytes", None);
}

/// One figure a case: ours beside the scan, or beside the quickest peer that reaches the recall.
pub(super) fn filter_figures(
    compared: &Compared,
    scans: &[(String, FilteredRow)],
    report: &mut Report,
) {
    for (case, scan) in scans {
        let short = case.strip_prefix("random-").unwrap_or(case);
        report.compare(
            format!("filtered{short}_vs_scan"),
            &scan.rounds,
            "q/s",
            None,
        );
        let peers = compared.peers.iter();
        let rows = peers.flat_map(|peer| {
            let rows = peer.filtered.iter().filter(|(known, _)| known == case);
            rows.map(|(_, row)| (peer.row.name, &row.rounds))
        });
        let best = rows
            .filter(|(_, rounds)| rounds.ratio().is_finite())
            .min_by(|left, right| left.1.ratio().total_cmp(&right.1.ratio()));
        if let Some((peer, rounds)) = best {
            let name = format!("filtered{short}_vs_best");
            report.compare(name, rounds, format!("q/s {peer}"), None);
        }
    }
}
