//! Going through expressions.
