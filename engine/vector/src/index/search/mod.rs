//! Searching: what is asked, how it is looked for, and what is answered.
//!
//! ```text
//! query -> code -> plan -> scan, walk or exact -> candidates -> all bits -> whole vectors -> hits
//! ```
//!
//! Whatever way is taken, as many rows come back as were asked for, or as there are: a walk that finds too
//! few is followed by a scan.

pub(crate) mod calibrate;
mod exact;
mod many;
mod plan;
mod proven;
mod query;
pub(crate) mod rank;
mod scan;
pub(crate) mod shortlist;
mod sieve;
mod sift;

use super::Index;
use super::room::Room;
use super::slots::LAST_SEQUENCE;
use crate::error::IndexError;
use crate::graph::ground::Ground;
use crate::graph::link::Starts;
use crate::graph::score::Scorer;
use crate::graph::walk::Accepting;
use plan::{PROBED, Plan};
pub(crate) use query::Stop;
pub use query::{Answer, Effort, Hit, How, Query, Strategy};
use rank::Found;
use roaring::RoaringBitmap;
pub use sift::{Sifted, Sifting};
use std::sync::atomic::Ordering;

/// A query that was checked, and what it may see.
#[derive(Clone, Copy, Debug)]
struct Asked<'a> {
    vector: &'a [f32],
    k: usize,
    /// How many candidates a walk keeps, if there may be a walk.
    breadth: Option<usize>,
    within: Option<&'a RoaringBitmap>,
    except: Option<&'a RoaringBitmap>,
    sequence: u64,
    threshold: Option<f32>,
    /// One that is looked for as if it were not there.
    hidden: Option<u32>,
    stop: Stop<'a>,
}

impl<'a> Asked<'a> {
    /// How far others are from a vector, and nothing else.
    fn only(vector: &'a [f32], stop: Stop<'a>) -> Self {
        Self {
            vector,
            k: 0,
            breadth: None,
            within: None,
            except: None,
            sequence: LAST_SEQUENCE,
            threshold: None,
            hidden: None,
            stop,
        }
    }

    /// Whether a slot is left out, whatever else is asked for.
    fn leaves_out(&self, slot: u32) -> bool {
        self.hidden == Some(slot) || self.except.is_some_and(|except| except.contains(slot))
    }
}

/// So often a search begins anew that lost what it had found to those who write.
const TRIES: usize = 8;

impl Index {
    /// The vectors that are nearest to one, the nearest first.
    ///
    /// # Errors
    ///
    /// [`IndexError`], if the query cannot be compared or a vector cannot be read.
    pub fn search(&self, query: &Query<'_>) -> Result<Answer, IndexError> {
        let coder = &self.graph.blocks.coder;
        let length = coder.check(query.vector)?;
        query.check()?;
        let used = self.used() as usize;
        let k = query.k.min(used);
        if k == 0 {
            return Ok(Answer::nothing());
        }
        // What no breadth that was measured finds, a scan does.
        let breadth = match query.effort {
            Effort::Breadth(breadth) => Some(breadth),
            Effort::Recall(recall) => self.breadth_for(recall, k)?,
            Effort::Scan | Effort::Proven | Effort::Exact => None,
        };
        let asked = Asked {
            vector: query.vector,
            k,
            breadth: breadth.map(|breadth| breadth.clamp(k, used)),
            within: query.within,
            except: query.except,
            sequence: query.sequence.unwrap_or(LAST_SEQUENCE).min(LAST_SEQUENCE),
            threshold: query.threshold,
            hidden: query.hidden,
            stop: query.stop,
        };
        let room = &mut *self.rooms.enter();
        // Looked at after entering: what is taken out from now on stays where it is until this search is over.
        let forgotten = self.forgotten.load(Ordering::SeqCst);
        if asked.sequence < forgotten {
            return Err(IndexError::Forgotten {
                sequence: asked.sequence,
                forgotten,
            });
        }
        // Codes of a few save less than it takes to make that of the query.
        let few = Self::candidates_by_vector(k).saturating_mul(2) as u64;
        let is_few = |within: &RoaringBitmap| within.len() <= few;
        let exact = matches!(query.effort, Effort::Exact) || query.within.is_some_and(is_few);
        let mut tries = 1;
        loop {
            let answer = if exact {
                self.exact(asked, room)?
            } else if matches!(query.effort, Effort::Proven) {
                self.proven(asked, length, room)?
            } else {
                coder.encode_query(query.vector, length, &mut room.code);
                self.search_by_codes(asked, room)?
            };
            // Who asks for what is there now gets all that he asked for, although others write.
            let lost = query.sequence.is_none() && room.missed && answer.hits.len() < k;
            if !lost || tries == TRIES {
                return Ok(answer);
            }
            tries += 1;
        }
    }

    fn search_by_codes(&self, asked: Asked<'_>, room: &mut Room) -> Result<Answer, IndexError> {
        let before = room.walker.work;
        // What is fresh is read before the walk begins: whatever is left out of it is linked.
        room.slots.clear();
        self.fresh.read(&mut room.slots);
        let fresh = room.slots.len();
        let allowed = self.allowed(asked);
        let mut plan = self.plan(asked, allowed, fresh);
        let code = std::mem::take(&mut room.code);
        let scorer = Scorer::new(&self.graph.blocks, &code);
        let mut complete = true;
        let probes = plan == Plan::Scan && self.is_worth_probing(asked, allowed, fresh);
        if probes || plan != Plan::Scan {
            self.start(&scorer, room);
        }
        if probes {
            plan = self.probe(asked, allowed, &scorer, room);
        }
        match plan {
            Plan::Scan => {}
            Plan::Walk { breadth } => {
                let ground = Ground {
                    hidden: asked.hidden,
                    ..self.ground(&|_| true)
                };
                let stop = asked.stop;
                let Room { walker, starts, .. } = &mut *room;
                walker.walk_until(&ground, &scorer, starts, breadth, stop)?;
                let found = room.walker.nearest.found();
                let candidates = found.iter().map(|near| near.node());
                let seen = candidates.filter(|slot| self.shows(asked, *slot));
                room.slots.clear();
                room.slots.extend(seen);
            }
            Plan::WalkAccepting {
                breadth,
                wanted,
                patience,
            } => {
                let ground = Ground {
                    hidden: asked.hidden,
                    ..self.ground(&|_| true)
                };
                let accepts = |slot| self.shows(asked, slot);
                let Room { walker, starts, .. } = &mut *room;
                let accepting = Accepting {
                    breadth,
                    wanted,
                    patience,
                    stop: asked.stop,
                };
                complete = walker.walk_accepting(&ground, &scorer, starts, accepting, accepts)?;
                room.slots.clear();
                let found = room.walker.accepted.found().iter();
                room.slots.extend(found.map(|near| near.node()));
            }
        }
        let mut found = Found::ByWalk;
        if matches!(plan, Plan::Scan) || !complete || room.slots.len() < asked.k {
            plan = Plan::Scan;
            found = match self.scan(asked, &scorer, room)? {
                true => Found::All,
                false => Found::ByScan,
            };
        }
        let ranked = self.rank(asked, &scorer, found, room);
        room.code = code;
        let (hits, how) = ranked?;
        let work = room.walker.work;
        Ok(Answer {
            hits,
            how,
            strategy: plan.strategy(),
            compared: work.distances - before.distances,
            steps: work.steps - before.steps,
            estimated_recall: self.estimate(how, plan, asked),
        })
    }

    /// Looks at whether what lies around the query is allowed: a set that was chosen for being near it is found by
    /// a walk, however small it is.
    fn probe(&self, asked: Asked<'_>, allowed: f64, scorer: &Scorer<'_>, room: &mut Room) -> Plan {
        let ground = self.ground(&|_| true);
        room.walker.walk(&ground, scorer, &room.starts, PROBED);
        let found = room.walker.nearest.found().iter();
        let shown = found.filter(|near| self.shows(asked, near.node())).count();
        if shown * 4 < PROBED * 3 {
            return Plan::Scan;
        }
        self.walk_accepting(asked, allowed, shown as f64 / PROBED as f64)
    }

    /// Where a walk begins: what is fresh, which is in `room.slots`, and what the upper levels know.
    fn start(&self, scorer: &Scorer<'_>, room: &mut Room) {
        self.graph.find(scorer, &mut room.walker, &mut room.starts);
        room.starts.extend_from_slice(&room.slots);
    }

    /// Whether a slot may be in the answer.
    fn shows(&self, asked: Asked<'_>, slot: u32) -> bool {
        self.slots.sees(slot, asked.sequence)
            && !asked.leaves_out(slot)
            && asked.within.is_none_or(|within| within.contains(slot))
    }
}
