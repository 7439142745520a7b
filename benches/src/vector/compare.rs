//! Ours beside one peer after the other on one set, in alternating rounds.
//!
//! A peer that fails is named and left out: a run of hours must not end with the weakest of them.

use super::curve::{Point, at_recall, recall_at};
use super::in_process::InProcess;
use super::ours::Ours;
use super::peer::{Built, Peer};
use super::peers::{Known, PEERS, Places};
use super::set::VectorSet;
use super::table;
use crate::measure::Setup;
use crate::measure::rounds::{Rounds, median};
use anyhow::Result;
use std::path::Path;

/// How long the search list is, or how many lists are looked through.
pub(super) const BREADTHS: [usize; 12] = [10, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512];
/// Where a curve ends: the figures stop at 0.99.
const UNTIL: f64 = 0.995;
/// The recalls that speeds are quoted at.
pub(super) const RECALLS: [f64; 2] = [0.95, 0.99];

/// What is to be measured on a set.
pub(super) struct Plan<'a> {
    pub(super) places: &'a Places,
    pub(super) peers: Vec<&'static Known>,
    pub(super) rounds: usize,
    /// How often the first peer and ours are built, in turn.
    pub(super) builds: usize,
    /// Whether everybody is built by two threads as well.
    pub(super) two_threads: bool,
}

/// What was measured of one peer, ours included.
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) built: Built,
    pub(super) wall_two_s: Option<f64>,
    pub(super) recall_48: Option<f64>,
    pub(super) speeds: [Option<Speed>; 2],
}

/// Queries per second at a recall, medians of the rounds.
#[derive(Clone, Copy)]
pub(super) struct Speed {
    pub(super) cpu: f64,
    pub(super) wall: f64,
}

/// A peer beside ours.
pub(super) struct Beside {
    pub(super) row: Row,
    /// Ours and theirs at each of [`RECALLS`], in queries per second of processor time.
    pub(super) speeds: [Rounds; 2],
    /// Processor time of builds that followed each other; the first peer only.
    pub(super) builds: Rounds,
    /// By case, as `speeds`, at the last of [`RECALLS`].
    pub(super) filtered: Vec<(String, FilteredRow)>,
}

/// A peer's filtered search beside ours.
pub(super) struct FilteredRow {
    pub(super) rounds: Rounds,
    pub(super) ours: Vec<Point>,
    pub(super) theirs: Vec<Point>,
}

/// Everything on one set.
pub(super) struct Compared {
    pub(super) ours: Row,
    /// Wall time of builds by one thread and by two, in turn.
    pub(super) two_threads: Rounds,
    pub(super) peers: Vec<Beside>,
}

pub(super) fn compare(
    setup: &Setup,
    set: &VectorSet,
    plan: &Plan<'_>,
    folder: &Path,
) -> Result<Compared> {
    let mut ours = InProcess::<Ours>::new(set);
    setup.progress(&format!("{}: build ours", set.name));
    let mut row = built(&mut ours, "ours")?;
    let mut peers = Vec::new();
    let mut curves = Vec::new();
    for known in &plan.peers {
        setup.progress(&format!("{}: {}", set.name, known.name));
        match beside(set, plan, known, folder, &mut ours, &mut curves) {
            Ok(one) => {
                table::print_beside(set, &one);
                peers.push(one);
            }
            Err(error) => println!("{:<10} {} left out: {error:#}", set.name, known.name),
        }
    }
    if curves.is_empty() {
        curves.push(ours.search(&BREADTHS, UNTIL)?);
    }
    measured(&mut row, &curves);
    let mut two_threads = Rounds::default();
    if plan.two_threads {
        for _ in 0..plan.rounds {
            let one = ours.build(1)?.wall_s;
            two_threads.push(one, ours.build(2)?.wall_s);
        }
        row.wall_two_s = Some(two_threads.raw());
    }
    Ok(Compared {
        ours: row,
        two_threads,
        peers,
    })
}

/// What is searched is what one thread has built: the same graph every time.
fn built(peer: &mut impl Peer, name: &'static str) -> Result<Row> {
    Ok(Row {
        name,
        built: peer.build(1)?,
        wall_two_s: None,
        recall_48: None,
        speeds: [None; 2],
    })
}

fn beside(
    set: &VectorSet,
    plan: &Plan<'_>,
    known: &Known,
    folder: &Path,
    ours: &mut impl Peer,
    our_curves: &mut Vec<Vec<Point>>,
) -> Result<Beside> {
    let mut peer = plan.places.start(known, folder)?;
    let mut row = built(&mut peer, known.name)?;
    let mut builds = Rounds::default();
    if known.name == PEERS[0].name {
        for _ in 0..plan.builds {
            let mine = ours.build(1)?;
            builds.push(mine.cpu_s, peer.build(1)?.cpu_s);
        }
    }
    let mut speeds = [Rounds::default(), Rounds::default()];
    let mut curves = Vec::new();
    for round in 0..plan.rounds {
        let (mine, theirs) = in_turn(round, ours, &mut peer, |peer| peer.search(&BREADTHS, UNTIL))?;
        for (rounds, recall) in speeds.iter_mut().zip(RECALLS) {
            push(rounds, &mine, &theirs, recall);
        }
        our_curves.push(mine);
        curves.push(theirs);
    }
    measured(&mut row, &curves);
    let mut filtered = Vec::new();
    for case in set.cases.iter().filter(|_| known.filters) {
        // Sets of every query's own take a peer long, and are reported only.
        let rounds = if case.groups.len() > 1 {
            1
        } else {
            plan.rounds
        };
        if let Some(one) = filtered_beside(&case.name, rounds, ours, &mut peer, at_last)? {
            filtered.push((case.name.clone(), one));
        }
    }
    if plan.two_threads {
        row.wall_two_s = Some(peer.build(2)?.wall_s);
    }
    Ok(Beside {
        row,
        speeds,
        builds,
        filtered,
    })
}

/// One case; nothing if the peer has no filters. `theirs_at` is the speed of the peer that ours at the last of
/// [`RECALLS`] is beside.
pub(super) fn filtered_beside(
    case: &str,
    rounds: usize,
    ours: &mut impl Peer,
    peer: &mut impl Peer,
    theirs_at: fn(&[Point]) -> Option<f64>,
) -> Result<Option<FilteredRow>> {
    let mut row = FilteredRow {
        rounds: Rounds::default(),
        ours: Vec::new(),
        theirs: Vec::new(),
    };
    for round in 0..rounds {
        let (mine, theirs) = in_turn(round, ours, peer, |peer| {
            peer.filtered(case, &BREADTHS, RECALLS[1])
        })?;
        let (Some(mine), Some(theirs)) = (mine, theirs) else {
            return Ok(None);
        };
        if let (Some(speed), Some(beside)) = (at_last(&mine), theirs_at(&theirs)) {
            row.rounds.push(speed, beside);
        }
        (row.ours, row.theirs) = (mine, theirs);
    }
    Ok(Some(row))
}

/// The speed at the last of [`RECALLS`].
pub(super) fn at_last(points: &[Point]) -> Option<f64> {
    at_recall(points, RECALLS[1], |point| point.qps_cpu)
}

/// The best speed of somebody who only looks at all codes, whatever he finds.
pub(super) fn fastest(points: &[Point]) -> Option<f64> {
    points.iter().map(|point| point.qps_cpu).reduce(f64::max)
}

/// Ours and theirs, who goes first changing with the round.
fn in_turn<T>(
    round: usize,
    ours: &mut impl Peer,
    peer: &mut impl Peer,
    what: impl Fn(&mut dyn Peer) -> Result<T>,
) -> Result<(T, T)> {
    if round.is_multiple_of(2) {
        let mine = what(ours)?;
        Ok((mine, what(peer)?))
    } else {
        let theirs = what(peer)?;
        Ok((what(ours)?, theirs))
    }
}

fn push(rounds: &mut Rounds, mine: &[Point], theirs: &[Point], recall: f64) {
    let speed = |points| at_recall(points, recall, |point| point.qps_cpu);
    if let (Some(mine), Some(theirs)) = (speed(mine), speed(theirs)) {
        rounds.push(mine, theirs);
    }
}

/// The medians of the rounds.
fn measured(row: &mut Row, curves: &[Vec<Point>]) {
    row.recall_48 = curves.first().and_then(|curve| recall_at(curve, 48));
    for (speed, recall) in row.speeds.iter_mut().zip(RECALLS) {
        let over = |what: fn(&Point) -> f64| -> Vec<f64> {
            let curves = curves.iter();
            curves
                .filter_map(|curve| at_recall(curve, recall, what))
                .collect()
        };
        let (cpu, wall) = (over(|point| point.qps_cpu), over(|point| point.qps_wall));
        *speed = (!cpu.is_empty()).then(|| Speed {
            cpu: median(&cpu),
            wall: median(&wall),
        });
    }
}
