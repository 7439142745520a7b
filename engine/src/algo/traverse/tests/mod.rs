//! Tests of the operator: against a slow model, against its laws, against the executable
//! specification in Python, and by example.

mod bounds;
mod by_example;
mod case;
mod equality;
mod laws;
mod model;
mod python;
mod stepper;
