//! `soak`: a server under mixed load that is killed again and again; see [`stratigraph_tests::soak`].

use std::process::ExitCode;

fn main() -> ExitCode {
    stratigraph_tests::soak::main()
}
