//! `law`: documents that come, change and go, and a process that is killed meanwhile; see
//! [`stratigraph_tests::documents`].

use std::process::ExitCode;

fn main() -> ExitCode {
    stratigraph_tests::documents::main()
}
