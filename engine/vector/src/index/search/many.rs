//! Many queries at once.

use super::{Answer, Index, Query};
use crate::error::IndexError;
use crate::parallel::in_parallel;

/// So many queries a thread takes at once: few, for one may take as long as a hundred others.
const PORTION: usize = 2;

impl Index {
    /// An answer to each query, in their order, on as many threads as the
    /// [settings](crate::Settings::threads) say. One that cannot be answered leaves the others alone.
    ///
    /// What is written meanwhile is in some answers and not in others, unless all are asked
    /// [at](Query::at) a sequence.
    pub fn search_many(&self, queries: &[Query<'_>]) -> Vec<Result<Answer, IndexError>> {
        let threads = self.settings.threads.min(queries.len());
        let mut rooms: Vec<Vec<(usize, _)>> = (0..threads).map(|_| Vec::new()).collect();
        in_parallel(
            &mut rooms,
            queries.len(),
            PORTION,
            || {},
            |room, place| {
                room.push((place, self.search(&queries[place])));
            },
        );
        let mut answers: Vec<_> = rooms.into_iter().flatten().collect();
        answers.sort_unstable_by_key(|(place, _)| *place);
        answers.into_iter().map(|(_, answer)| answer).collect()
    }
}
