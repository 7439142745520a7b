//! What a search works in, kept for the next one.

use super::pins::{Pin, Pins};
use super::search::shortlist::{Rough, Shortlist};
use crate::coding::Code;
use crate::graph::score::Scores;
use crate::graph::walk::Walker;
use crate::originals::Wanted;
use crossbeam_queue::ArrayQueue;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// So many are kept. More may be in use.
const KEPT_ROOMS: usize = 64;

/// Room for one search at a time.
#[derive(Debug)]
pub(crate) struct Room {
    pin: Arc<Pin>,
    /// How many bytes it took when it was last given back.
    counted: usize,
    /// Whether somebody was found by the last search who was replaced while it went on.
    pub(super) missed: bool,
    pub(super) code: Code,
    pub(super) walker: Walker,
    pub(super) starts: Vec<u32>,
    pub(super) scores: Scores,
    pub(super) shortlist: Shortlist,
    pub(super) slots: Vec<u32>,
    pub(super) ranked: Vec<(f32, u32)>,
    /// The same by codes.
    pub(super) rough: Vec<Rough>,
    pub(super) wanted: Vec<Wanted>,
}

/// Rooms that nobody is in, and who is in the others.
#[derive(Debug)]
pub(crate) struct Rooms {
    free: ArrayQueue<Box<Room>>,
    pub(super) pins: Pins,
    bytes: AtomicUsize,
}

impl Default for Rooms {
    fn default() -> Self {
        Self {
            free: ArrayQueue::new(KEPT_ROOMS),
            pins: Pins::default(),
            bytes: AtomicUsize::new(0),
        }
    }
}

impl Rooms {
    /// A room, with a note that a search is in it, until it is dropped.
    pub(crate) fn enter(&self) -> Entered<'_> {
        let room = self.free.pop().unwrap_or_else(|| {
            Box::new(Room {
                pin: self.pins.add(),
                counted: 0,
                missed: false,
                code: Code::default(),
                walker: Walker::default(),
                starts: Vec::new(),
                scores: Scores::default(),
                shortlist: Shortlist::default(),
                slots: Vec::new(),
                ranked: Vec::new(),
                rough: Vec::new(),
                wanted: Vec::new(),
            })
        });
        self.pins.enter(&room.pin);
        Entered {
            room: Some(room),
            rooms: self,
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }
}

impl Room {
    fn bytes(&self) -> usize {
        let slots = self.starts.capacity() + self.slots.capacity();
        size_of::<Self>()
            + self.walker.bytes()
            + self.code.bytes()
            + self.scores.bytes()
            + self.shortlist.bytes()
            + slots * size_of::<u32>()
            + self.ranked.capacity() * size_of::<(f32, u32)>()
            + self.rough.capacity() * size_of::<Rough>()
            + self.wanted.capacity() * size_of::<Wanted>()
    }
}

/// A room with a search in it.
#[derive(Debug)]
pub(crate) struct Entered<'a> {
    room: Option<Box<Room>>,
    rooms: &'a Rooms,
}

impl Deref for Entered<'_> {
    type Target = Room;

    fn deref(&self) -> &Room {
        match &self.room {
            Some(room) => room,
            None => unreachable!("only `drop` takes the room"),
        }
    }
}

impl DerefMut for Entered<'_> {
    fn deref_mut(&mut self) -> &mut Room {
        match &mut self.room {
            Some(room) => room,
            None => unreachable!("only `drop` takes the room"),
        }
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let Some(mut room) = self.room.take() else {
            return;
        };
        room.pin.leave();
        let now = room.bytes();
        let counted = std::mem::replace(&mut room.counted, now);
        let bytes = &self.rooms.bytes;
        bytes.fetch_add(room.counted, Ordering::Relaxed);
        bytes.fetch_sub(counted, Ordering::Relaxed);
        if let Err(room) = self.rooms.free.push(room) {
            bytes.fetch_sub(room.counted, Ordering::Relaxed);
        }
    }
}
