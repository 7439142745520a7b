//! What `crash`, `powerloss` and `damage` do alike.
//!
//! ```text
//! parent                                    child
//! program   flags, seed, exit code
//! link      starts it, listens      <----   says in lines what it has done
//!                                           child: plants a bug, opens, writes with every writer
//!                                           disturb: flushes, compacts, backs up beside them
//! indexes   holds vector indexes against ones made anew
//! compare   holds a database against the oracle, and checks it
//! ```
//! [`scratch`] is where the databases lie. What differs (who is killed when, what is made of the files)
//! stays with each harness.

pub mod child;
pub mod compare;
pub mod disturb;
pub mod indexes;
pub mod link;
pub mod program;
pub mod scratch;
pub mod steps;

/// A source of randomness for one purpose: a pure function of the run's seed, a number in the run and
/// the purpose, so that parent and child draw the same.
#[must_use]
pub fn rng(seed: u64, number: u64, purpose: &str) -> fastrand::Rng {
    let salt = purpose
        .bytes()
        .fold(0, |salt: u64, byte| salt.wrapping_mul(31) + u64::from(byte));
    fastrand::Rng::with_seed(
        seed.rotate_left(32) ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ salt,
    )
}
