//! The real binary over real databases: what it answers, with which exit code, and in which form.
//!
//! [`world`] makes databases through the library and damages them; the other files hold the tests,
//! verb by verb.

mod addresses;
mod addresses_alike;
mod addresses_trust;
mod backups;
mod conversations;
mod documents;
mod doors;
mod dumps;
mod figures;
mod front;
mod golden;
mod ingestion;
mod judging;
mod looking;
mod measuring;
mod models;
mod pages;
mod parsing;
mod queries;
mod repairs;
mod screen;
mod served;
mod servers;
mod streams;
mod summaries;
mod terminal;
mod transfers;
mod world;
