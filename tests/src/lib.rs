//! What the harnesses share: the workload with its oracle, the driver, and the recorder of a power loss.

pub mod crash;
pub mod damage;
pub mod documents;
pub mod driver;
pub mod overload;
pub mod power;
pub mod powerloss;
mod serving;
mod soak;
pub mod workload;
