//! Operators, each by its examples.
