//! The index held against a slow one, written another way: all texts in memory, every document scored.

mod cases;
mod damage;
mod model;
mod real;
mod slow;
