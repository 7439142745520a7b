//! What may be there of one thing, by somebody who has heard every acknowledgement.

/// A version of something; none where it is not there.
pub(super) type State = Option<u64>;

/// All states that one thing was brought to, in order. One call at a time changes it.
#[derive(Debug, Clone)]
pub(super) struct History {
    states: Vec<State>,
    /// The last that was acknowledged; those after it were begun, and nobody knows.
    settled: usize,
    /// What no later version may be called again.
    versions: u64,
}

/// Where in a history a question was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment(usize);

/// What is wrong with what was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wrong {
    /// Something that was acknowledged is not there.
    Lost,
    /// Something is there that was never so, or is not so any more.
    Never,
}

impl Default for History {
    fn default() -> Self {
        Self {
            states: vec![None],
            settled: 0,
            versions: 0,
        }
    }
}

impl History {
    /// A version that nothing was ever called.
    pub(super) fn next_version(&mut self) -> u64 {
        self.versions += 1;
        self.versions
    }

    /// The last state that was acknowledged.
    pub(super) fn settled(&self) -> State {
        self.states[self.settled]
    }

    /// A call that brings it to a state is about to be made.
    pub(super) fn begin(&mut self, state: State) {
        self.states.push(state);
    }

    /// The call was acknowledged.
    pub(super) fn acknowledge(&mut self) {
        self.settled = self.states.len() - 1;
    }

    /// The server has refused the call, which has changed nothing.
    pub(super) fn refuse(&mut self) {
        self.states.truncate(self.settled + 1);
    }

    /// From here on: who asks now sees this state or a later one.
    pub(super) fn now(&self) -> Moment {
        Moment(self.settled)
    }

    /// Whether the state is that of one moment, and nothing has happened since.
    pub(super) fn is_at_rest(&self, since: Moment) -> bool {
        self.states.len() == since.0 + 1
    }

    /// What is wrong with an answer to a question that was asked at a moment.
    pub(super) fn judge(&self, since: Moment, seen: State) -> Result<(), Wrong> {
        self.judge_until(since, Moment(self.states.len() - 1), seen)
    }

    /// The same of what was taken between two moments, such as a backup.
    pub(super) fn judge_until(
        &self,
        since: Moment,
        until: Moment,
        seen: State,
    ) -> Result<(), Wrong> {
        // What was begun by then may have been refused since.
        let until = until.0.min(self.states.len() - 1);
        if self.states[since.0..=until].contains(&seen) {
            return Ok(());
        }
        match self.states[..since.0].contains(&seen) {
            true => Err(Wrong::Lost),
            false => Err(Wrong::Never),
        }
    }

    /// The last state that was begun.
    pub(super) fn end(&self) -> Moment {
        Moment(self.states.len() - 1)
    }

    /// The server is back, nobody writes, and this is there: it stays, and what else was begun never comes.
    pub(super) fn settle(&mut self, seen: State) -> Result<(), Wrong> {
        let judged = self.judge(self.now(), seen);
        self.states.truncate(self.settled + 1);
        if self.settled() != seen {
            self.states.push(seen);
            self.settled += 1;
        }
        judged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_acknowledged_must_be_there() {
        let mut history = History::default();
        history.begin(Some(1));
        history.acknowledge();
        let asked = history.now();
        history.begin(Some(2));
        assert_eq!(history.judge(asked, Some(1)), Ok(()));
        assert_eq!(history.judge(asked, Some(2)), Ok(()));
        assert_eq!(history.judge(asked, None), Err(Wrong::Lost));
        assert_eq!(history.judge(asked, Some(3)), Err(Wrong::Never));
        assert!(!history.is_at_rest(asked));
        history.acknowledge();
        let asked = history.now();
        assert!(history.is_at_rest(asked));
        assert_eq!(history.judge(asked, Some(1)), Err(Wrong::Lost));
    }

    #[test]
    fn what_nobody_was_told_of_is_there_or_never_comes() {
        let mut history = History::default();
        history.begin(Some(1));
        assert_eq!(history.clone().settle(Some(1)), Ok(()));
        assert_eq!(history.settle(None), Ok(()));
        assert_eq!(history.judge(history.now(), Some(1)), Err(Wrong::Never));
        assert_eq!(history.next_version(), 1);
        history.begin(Some(2));
        let (since, until) = (history.now(), history.end());
        history.refuse();
        assert_eq!(history.judge_until(since, until, None), Ok(()));
        assert_eq!(history.settle(Some(2)), Err(Wrong::Never));
    }
}
