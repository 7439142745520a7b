//! What must hold of every slot and every link while nobody writes and nobody tends, and of every vector beside
//! the one that it was made of.

use super::{Index, Tended, Writer};
use crate::coding::{Code, Coding};
use crate::graph::blocks::{KEPT, NO_SLOT};
use crate::originals::Wanted;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

/// What was found to be wrong so far.
#[derive(Default)]
struct Wrong(Vec<String>);

impl Wrong {
    fn demand(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.0.push(what());
        }
    }
}

/// All slots that were ever used, and the lists of those that are not both living and linked.
struct Lists {
    used: BTreeSet<u32>,
    fresh: BTreeSet<u32>,
    free: BTreeSet<u32>,
    dead: BTreeSet<u32>,
    unused: BTreeSet<u32>,
}

impl Lists {
    fn linked(&self) -> BTreeSet<u32> {
        let others = [&self.fresh, &self.free, &self.unused];
        let mut linked = self.used.clone();
        linked.retain(|slot| !others.iter().any(|set| set.contains(slot)));
        linked
    }
}

impl Index {
    /// Looks at all slots and all links, and says what is wrong with them. Writers and whoever tends wait
    /// meanwhile.
    #[must_use]
    pub fn check(&self) -> Vec<String> {
        let mut wrong = Wrong::default();
        let tended = self.tended.lock();
        let writer = self.writer.lock();
        let lists = self.lists(&tended, &writer, &mut wrong);
        self.check_living(&lists, &writer, &mut wrong);
        let linked = lists.linked();
        wrong.demand(linked.len() == tended.linked, || {
            format!(
                "{} are linked, and {} were counted",
                linked.len(),
                tended.linked
            )
        });
        self.check_links(&linked, &mut wrong);
        self.check_ways(&linked, &lists.unused, &mut wrong);
        wrong.0
    }

    /// The lists, each of slots that were used and with none twice.
    fn lists(&self, tended: &Tended, writer: &Writer, wrong: &mut Wrong) -> Lists {
        let used: BTreeSet<u32> = (0..self.used()).collect();
        let mut fresh = Vec::new();
        self.fresh.read(&mut fresh);
        let unused: Vec<u32> = tended.unused().collect();
        let mut set = |slots: &[u32], what: &str| {
            let set: BTreeSet<u32> = slots.iter().copied().collect();
            wrong.demand(set.len() == slots.len(), || {
                format!("one is twice among the {what}")
            });
            wrong.demand(set.is_subset(&used), || {
                format!("one that was never used is among the {what}")
            });
            set
        };
        let fresh = set(&fresh, "fresh");
        let free = set(&writer.free, "free");
        let dead = set(&writer.dead, "dead");
        let unused = set(&unused, "unused");
        Lists {
            used,
            fresh,
            free,
            dead,
            unused,
        }
    }

    /// Who lives is who has an id, and everybody else is on one list.
    fn check_living(&self, lists: &Lists, writer: &Writer, wrong: &mut Wrong) {
        let slots = lists.used.iter().copied();
        let living: BTreeSet<u32> = slots.filter(|slot| self.slots.lives(*slot)).collect();
        wrong.demand(living.len() == writer.ids.len(), || {
            format!(
                "{} live, of whom {} have ids",
                living.len(),
                writer.ids.len()
            )
        });
        for slot in &living {
            let id = self.slots.id(*slot);
            wrong.demand(writer.ids.get(id, &self.slots) == Some(*slot), || {
                format!("{id} lives in slot {slot} and is not found there")
            });
        }
        let gone = lists.dead.len() + lists.free.len() + lists.unused.len();
        let counted = living.len() + gone;
        let mut everybody = living;
        for others in [&lists.dead, &lists.free, &lists.unused] {
            everybody.extend(others);
        }
        let is_everybody = everybody == lists.used && counted == lists.used.len();
        wrong.demand(is_everybody, || {
            "a slot is on no list, or on two".to_owned()
        });
        wrong.demand(self.dead.load(Ordering::Relaxed) as usize == gone, || {
            "the dead are counted wrongly".to_owned()
        });
    }

    /// Who is linked leads to others who are, and what must stay leads back.
    fn check_links(&self, linked: &BTreeSet<u32>, wrong: &mut Wrong) {
        let mut kept = 0;
        for slot in linked {
            let links = self.marked_links(*slot);
            let to: BTreeSet<u32> = links.iter().map(|link| link & !KEPT).collect();
            wrong.demand(to.len() == links.len(), || {
                format!("slot {slot} leads somewhere twice: {links:?}")
            });
            wrong.demand(!to.contains(slot), || {
                format!("slot {slot} leads to itself")
            });
            wrong.demand(to.is_subset(linked), || {
                let astray: Vec<&u32> = to.difference(linked).collect();
                format!("slot {slot} leads to {astray:?}, which are not linked")
            });
            for link in links.iter().filter(|link| **link & KEPT != 0) {
                kept += 1;
                let back = self.marked_links(link & !KEPT);
                wrong.demand(back.contains(&(slot | KEPT)), || {
                    format!("slot {slot} holds {} that does not hold it", link & !KEPT)
                });
            }
        }
        wrong.demand(kept == 2 * linked.len().saturating_sub(1), || {
            "what must stay is no tree".to_owned()
        });
    }

    /// Who is linked can be come by, and nobody else is above but those that were taken out.
    fn check_ways(&self, linked: &BTreeSet<u32>, unused: &BTreeSet<u32>, wrong: &mut Wrong) {
        let mut reached = BTreeSet::from_iter(self.graph.entry());
        let mut next: Vec<u32> = reached.iter().copied().collect();
        while let Some(slot) = next.pop() {
            let links = self.marked_links(slot).into_iter();
            let to = links.map(|link| link & !KEPT);
            next.extend(to.filter(|to| linked.contains(to) && reached.insert(*to)));
        }
        wrong.demand(reached == *linked, || {
            let lost: Vec<&u32> = linked.difference(&reached).collect();
            format!("nothing leads to {lost:?}, or walks begin nowhere")
        });
        for slot in self.graph.upper().slots() {
            wrong.demand(linked.contains(slot) || unused.contains(slot), || {
                format!("slot {slot} is above, and is not linked")
            });
        }
    }

    /// How many vectors a search at a sequence can find.
    #[must_use]
    pub fn count_at(&self, sequence: u64) -> u64 {
        let slots = 0..self.used();
        slots
            .filter(|slot| self.slots.sees(*slot, sequence))
            .count() as u64
    }

    /// What is wrong with what the index has of an id, beside the vector that it should have had since a
    /// sequence. Of whoever was written or removed later it is only asked whether the index had it then.
    #[must_use]
    pub fn differs(&self, sequence: u64, id: u64, vector: &[f32]) -> Option<&'static str> {
        let writer = self.writer.lock();
        let Some(slot) = writer.ids.get(id, &self.slots) else {
            // It may have been removed since: whoever reads at the sequence finds it still.
            let was_there =
                |slot| self.slots.record(slot).id == id && self.slots.sees(slot, sequence);
            return (!(0..self.used()).any(was_there)).then_some("is not there");
        };
        if self.slots.record(slot).born > sequence {
            return None;
        }
        let coder = &self.graph.blocks.coder;
        let (mut code, mut stored) = (Code::default(), Code::default());
        if coder.encode(vector, &mut code).is_err() {
            return Some("has a vector that cannot be there");
        }
        if self.settings.coding == Coding::Whole {
            let row = self.graph.blocks.whole(slot);
            return (row != code.components).then_some("has another vector");
        }
        self.graph.blocks.load(slot, false, &mut stored);
        let numbers = stored.numbers.iter();
        let mut bits = code.stored.iter().zip(numbers);
        // As a code is read again: what lies beyond the outermost cell is stored as 0, and no number is -128.
        let read = |byte: &u8| byte.wrapping_add(128).cast_signed().max(-127);
        let same = bits.all(|(byte, number)| read(byte) == *number);
        let mut found = None;
        let wanted = [Wanted { slot, id }];
        let shown = self
            .originals
            .as_ref()
            .map(|originals| originals.visit(&wanted, &mut |_, row| found = Some(row == vector)));
        match (shown, found) {
            (Some(Err(_)), _) | (Some(Ok(())), None) => Some("has lost its vector"),
            (_, Some(false)) => Some("has another vector"),
            _ => (!same).then_some("has the code of another vector"),
        }
    }

    /// The links of a slot as they are, marks and all.
    pub(crate) fn marked_links(&self, slot: u32) -> Vec<u32> {
        let links = self.graph.blocks.links(slot).iter();
        let links = links.map(|link| link.load(Ordering::Relaxed));
        links.take_while(|link| *link != NO_SLOT).collect()
    }
}
