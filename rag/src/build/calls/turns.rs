//! Many who each have something to write, of whom one at a time writes what all have that wait.
//!
//! With sixteen calls of a model at once a commit for each reply would be most of the work, and they could only stand
//! in line for it.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use stratigraph::codec::CommitSeq;

/// With so many nobody waits for more.
const MOST_AT_ONCE: usize = 64;

type Outcome = Result<CommitSeq, stratigraph::Error>;

/// Who waits, and who writes.
#[derive(Debug)]
pub(super) struct Turns<T> {
    queue: Mutex<Queue<T>>,
    one_ended: Condvar,
}

#[derive(Debug)]
struct Queue<T> {
    /// What is to be written, each under a number of its own.
    waiting: Vec<(u64, T)>,
    next: u64,
    is_writing: bool,
    /// In which commit somebody else has written it; none if that has failed.
    done: HashMap<u64, Option<CommitSeq>>,
}

impl<T> Default for Turns<T> {
    fn default() -> Self {
        Self {
            queue: Mutex::new(Queue {
                waiting: Vec::new(),
                next: 0,
                is_writing: false,
                done: HashMap::new(),
            }),
            one_ended: Condvar::new(),
        }
    }
}

impl<T: Clone> Turns<T> {
    /// Writes this, or has it written by whoever writes next. If what was written together fails, each tries it with
    /// his own, so that nobody hears of another's error.
    pub(super) fn take(&self, one: T, write: &dyn Fn(&[T]) -> Outcome) -> Outcome {
        let mut queue = self.queue();
        let number = queue.next;
        queue.next += 1;
        queue.waiting.push((number, one.clone()));
        while queue.is_writing {
            queue = self
                .one_ended
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
            if let Some(done) = queue.done.remove(&number) {
                drop(queue);
                return done.map_or_else(|| write(&[one]), Ok);
            }
        }
        queue.is_writing = true;
        // Whoever is about to come is let come first: a commit for many costs hardly more than one for each of them. If
        // nobody is, that takes no time.
        let mut before = 0;
        while queue.waiting.len() > before && before < MOST_AT_ONCE {
            before = queue.waiting.len();
            drop(queue);
            std::thread::yield_now();
            queue = self.queue();
        }
        let (numbers, all): (Vec<u64>, Vec<T>) =
            std::mem::take(&mut queue.waiting).into_iter().unzip();
        drop(queue);
        let mut turn = Turn {
            of: self,
            own: number,
            numbers,
            commit: None,
        };
        let outcome = write(&all);
        turn.commit = outcome.as_ref().ok().copied();
        let is_alone = all.len() == 1;
        drop(turn);
        match outcome {
            Err(_) if !is_alone => write(&[one]),
            outcome => outcome,
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue<T>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells the others what came of it, however it ended.
struct Turn<'a, T: Clone> {
    of: &'a Turns<T>,
    own: u64,
    numbers: Vec<u64>,
    commit: Option<CommitSeq>,
}

impl<T: Clone> Drop for Turn<'_, T> {
    fn drop(&mut self) {
        let mut queue = self.of.queue();
        queue.is_writing = false;
        let others = self.numbers.iter().filter(|number| **number != self.own);
        let others = others.map(|number| (*number, self.commit));
        queue.done.extend(others);
        drop(queue);
        self.of.one_ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::time::Duration;

    use super::*;

    /// Sixteen who write at once, and how many commits it took; `bad` cannot be written with others.
    fn written(bad: Option<u64>) -> (usize, Vec<u64>) {
        let turns = Turns::default();
        let commits: Mutex<Vec<Vec<u64>>> = Mutex::default();
        let write = |all: &[u64]| {
            // Long enough for the others to come.
            std::thread::sleep(Duration::from_millis(20));
            if all.len() > 1 && bad.is_some_and(|bad| all.contains(&bad)) {
                return Err(stratigraph::Error::Closed);
            }
            let mut commits = commits.lock().unwrap();
            commits.push(all.to_vec());
            Ok(CommitSeq::new(commits.len() as u64))
        };
        let all_there = Barrier::new(16);
        std::thread::scope(|scope| {
            for number in 0..16 {
                let (turns, all_there, write, commits) = (&turns, &all_there, &write, &commits);
                scope.spawn(move || {
                    all_there.wait();
                    let commit = turns.take(number, write).unwrap();
                    let commits = commits.lock().unwrap();
                    assert!(commits[commit.get() as usize - 1].contains(&number));
                });
            }
        });
        assert!(turns.queue().done.is_empty() && turns.queue().waiting.is_empty());
        let commits = commits.into_inner().unwrap();
        let mut all = commits.concat();
        all.sort_unstable();
        (commits.len(), all)
    }

    #[test]
    fn who_waits_is_written_by_who_writes() {
        let (commits, all) = written(None);
        assert_eq!(all, (0..16).collect::<Vec<u64>>());
        assert!(commits < 8, "{commits} commits for sixteen at once");
    }

    #[test]
    fn nobody_hears_of_anothers_error() {
        let (_, all) = written(Some(7));
        assert_eq!(all, (0..16).collect::<Vec<u64>>());
    }

    #[test]
    fn an_error_is_told_to_whose_it_is() {
        let turns = Turns::default();
        let refused = turns.take(1, &|_| Err(stratigraph::Error::Closed));
        assert!(refused.is_err());
        assert!(turns.take(2, &|_| Ok(CommitSeq::new(1))).is_ok());
    }
}
