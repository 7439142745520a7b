//! The real binary over real databases: what it answers, with which exit code, and in which form.
//!
//! [`world`] makes databases through the library and damages them; the other files hold the tests,
//! verb by verb.

mod backups;
mod conversations;
mod dumps;
mod looking;
mod queries;
mod repairs;
mod servers;
mod streams;
mod terminal;
mod world;
