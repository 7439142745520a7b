//! Functions and aggregates, each by its examples.
