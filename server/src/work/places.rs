//! Places that are had at once or not at all: for transactions and bulk writes, which keep theirs for long.

use super::shares::{Shares, share};
use crate::config::Config;
use crate::failure::Failure;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Places of one kind.
pub(crate) struct Places {
    all: Arc<Semaphore>,
    each: Shares<Arc<Semaphore>>,
    what: &'static str,
    limit: u64,
    limit_of_each: u64,
    retry_after: Duration,
}

/// A place. Dropping it lets the next one in.
pub(crate) struct HeldPlace {
    _of_all: OwnedSemaphorePermit,
    _of_own: OwnedSemaphorePermit,
}

impl Places {
    /// So many places for `what`.
    pub(crate) fn new(config: &Config, limit: u32, what: &'static str) -> Self {
        let limit_of_each = share(config, limit.into());
        let permits = usize::try_from(limit_of_each).unwrap_or(Semaphore::MAX_PERMITS);
        Self {
            all: Arc::new(Semaphore::new(limit as usize)),
            each: Shares::new(move || Arc::new(Semaphore::new(permits))),
            what,
            limit: limit.into(),
            limit_of_each,
            retry_after: config.max_transaction_idle.0,
        }
    }

    /// A place for a token, if it has one left and there is one.
    pub(crate) fn take(&self, token_name: &Arc<str>) -> Result<HeldPlace, Failure> {
        let of_all = Arc::clone(&self.all).try_acquire_owned();
        let of_all = of_all.map_err(|_| Failure::Busy {
            what: self.what,
            limit: self.limit,
            retry_after: self.retry_after,
        })?;
        let own = self.each.of(token_name);
        let of_own = Arc::clone(&*own).try_acquire_owned();
        let of_own = of_own.map_err(|_| Failure::ShareTaken {
            what: self.what,
            limit: self.limit_of_each,
            retry_after: self.retry_after,
        })?;
        Ok(HeldPlace {
            _of_all: of_all,
            _of_own: of_own,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_token_leaves_places_to_others() {
        let mut config = crate::Flags::default().resolve().unwrap();
        config.tokens = Some("tokens.toml".into());
        let places = Places::new(&config, 4, "transactions");
        let (greedy, other): (Arc<str>, Arc<str>) = ("greedy".into(), "other".into());
        let mut held: Vec<_> = (0..2).map(|_| places.take(&greedy).unwrap()).collect();
        let refused = places.take(&greedy).map(drop);
        assert!(
            matches!(refused, Err(Failure::ShareTaken { limit: 2, .. })),
            "{refused:?}"
        );
        held.extend((0..2).map(|_| places.take(&other).unwrap()));
        let third: Arc<str> = "third".into();
        let full = places.take(&third).map(drop);
        assert!(
            matches!(full, Err(Failure::Busy { limit: 4, .. })),
            "{full:?}"
        );
        held.remove(0);
        assert!(places.take(&greedy).is_ok());
    }
}
