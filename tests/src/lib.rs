//! What the harnesses share: the workload with its oracle, and the recorder of a power loss.

pub mod crash;
pub mod damage;
pub mod power;
pub mod powerloss;
pub mod workload;
