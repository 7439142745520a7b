//! What one token may have of what all of them share: so much that it can work, and so little that others can too.

use crate::config::Config;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// The share of each token. There are as many as there are tokens.
pub(crate) struct Shares<T> {
    of: Mutex<HashMap<Arc<str>, Arc<T>>>,
    make: Box<dyn Fn() -> T + Send + Sync>,
}

impl<T> Shares<T> {
    /// Shares that `make` makes when a token first asks.
    pub(super) fn new(make: impl Fn() -> T + Send + Sync + 'static) -> Self {
        Self {
            of: Mutex::default(),
            make: Box::new(make),
        }
    }

    /// The share of a token.
    pub(super) fn of(&self, token_name: &Arc<str>) -> Arc<T> {
        let mut of = self.of.lock();
        let share = of.entry(Arc::clone(token_name));
        Arc::clone(share.or_insert_with(|| Arc::new((self.make)())))
    }
}

/// How much of so much one token may have, but at least one. All of it where nobody needs a token: there everybody has
/// the same name.
pub(super) fn share(config: &Config, of_all: u64) -> u64 {
    let percent = match config.tokens {
        Some(_) => config.max_share.min(100),
        None => 100,
    };
    (of_all.saturating_mul(percent.into()).div_ceil(100)).clamp(1, of_all.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_a_part_where_there_are_tokens() {
        let mut config = crate::Flags::default().resolve().unwrap();
        assert_eq!(share(&config, 64), 64);
        config.tokens = Some("tokens.toml".into());
        assert_eq!(share(&config, 64), 32);
        assert_eq!(share(&config, 1), 1);
        config.max_share = 100;
        assert_eq!(share(&config, 64), 64);
    }
}
