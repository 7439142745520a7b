//! Who calls, and what they may do.
//!
//! A token is 256 random bits, so its SHA-256 can be kept at rest without a slow hash: there is nothing to guess. A
//! file of tokens holds hashes, roles for databases, and when each ends; it is read again when it changes. What a call
//! needs is said by the protocol ([`stratigraph_proto::METHODS`]), never here.
//!
//! Nothing here logs or shows a token: [`Secret`] has no `Debug`, and errors name the token's name at most.
//!
//! Next: `token.rs`, `file.rs`, then `authority.rs`.

mod authority;
mod file;
mod role;
mod token;

pub use authority::{Authority, Identity, Unknown};
pub use file::{TokenFileError, TokenRecord, add_token};
pub use role::{EVERY_DATABASE, Role};
pub use token::{Secret, TokenHash};
