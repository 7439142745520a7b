//! `damage`: breaks files of a healthy database; see [`stratigraph_tests::damage`].

use std::process::ExitCode;

fn main() -> ExitCode {
    stratigraph_tests::damage::main()
}
