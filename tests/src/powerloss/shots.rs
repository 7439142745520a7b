//! At which points of a recording the power fails, and what is left then.
//!
//! Most moments of a database are alike: a block more or less of the log. So half of the points are
//! drawn next to the operations that everything rests on, and some inside bulk loads and openings.

use crate::power::{Mode, Op, Recording};
use std::ops::Range;

/// How an image is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// Opened without writing a byte.
    ReadOnly,
    /// Opened for writing, which recovers.
    Writing,
    /// Recovered by another recorded process, of which an image is taken in turn.
    RecordedRecovery,
}

/// One loss of power.
#[derive(Debug, Clone, Copy)]
pub struct Shot {
    /// After how many operations.
    pub point: usize,
    /// What is left.
    pub mode: Mode,
    /// Decides which blocks, sizes and names survive.
    pub seed: u64,
    /// How the image is looked at.
    pub look: Look,
}

/// Draws `count` shots, in the order of their points.
#[must_use]
pub fn draw(recording: &Recording, rng: &mut fastrand::Rng, count: u64) -> Vec<Shot> {
    let places = Places::of(recording);
    let mut shots: Vec<Shot> = (0..count).map(|_| shot(&places, rng)).collect();
    shots.sort_by_key(|shot| shot.point);
    shots
}

fn shot(places: &Places, rng: &mut fastrand::Rng) -> Shot {
    let next_to = |places: &[usize], rng: &mut fastrand::Rng| {
        rng.choice(places).map(|at| at + rng.usize(..2))
    };
    let special = match rng.u8(..100) {
        0..20 => next_to(&places.acks, rng),
        20..45 => next_to(&places.syncs, rng),
        45..60 => next_to(&places.names, rng),
        60..75 => rng.choice(places.loads.clone()).map(|load| rng.usize(load)),
        75..85 => Some(rng.usize(places.opening.clone())),
        _ => None,
    };
    Shot {
        point: special.unwrap_or_else(|| rng.usize(places.all.clone())),
        mode: match rng.u8(..100) {
            0..25 => Mode::SyncedOnly,
            25..65 => Mode::Random,
            65..95 => Mode::Torn,
            _ => Mode::Everything,
        },
        seed: rng.u64(..),
        look: match rng.u8(..100) {
            0..35 => Look::ReadOnly,
            35..80 => Look::Writing,
            _ => Look::RecordedRecovery,
        },
    }
}

/// The interesting indexes of a recording.
struct Places {
    /// Every legal point: nothing is lost of what was there before.
    all: Range<usize>,
    /// Until something was said, which first is that the database is open.
    opening: Range<usize>,
    acks: Vec<usize>,
    syncs: Vec<usize>,
    names: Vec<usize>,
    /// From the folder of a bulk load to its end, as far as the recording goes.
    loads: Vec<Range<usize>>,
}

impl Places {
    fn of(recording: &Recording) -> Self {
        let base = recording.base_len();
        let is_ack = |op: &Op| matches!(op, Op::Ack { .. });
        let opened = recording.ops().iter().position(is_ack);
        let mut places = Self {
            all: base..recording.len() + 1,
            opening: base..opened.unwrap_or(recording.len()) + 1,
            acks: Vec::new(),
            syncs: Vec::new(),
            names: Vec::new(),
            loads: Vec::new(),
        };
        for (at, op) in recording.ops().iter().enumerate().skip(base) {
            match op {
                Op::Ack { .. } => places.acks.push(at),
                Op::SyncBegin { .. } | Op::SyncEnd { .. } => places.syncs.push(at),
                Op::Create {
                    name,
                    directory: true,
                    ..
                } if name == b"load" => places.loads.push(at..recording.len()),
                Op::Unlink { name, .. } if name == b"load" => {
                    if let Some(load) = places.loads.last_mut() {
                        load.end = at + 1;
                    }
                }
                Op::Create { .. } | Op::Link { .. } | Op::Unlink { .. } | Op::Rename { .. } => {
                    places.names.push(at);
                }
                Op::Write { .. }
                | Op::Truncate { .. }
                | Op::Allocate { .. }
                | Op::Zero { .. }
                | Op::Fault { .. }
                | Op::BaseDone => {}
            }
        }
        places
    }
}
