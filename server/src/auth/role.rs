//! What somebody may do.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use stratigraph_proto::Access;

/// The name that stands for all databases, those of tomorrow included, and for the server as a whole.
pub const EVERY_DATABASE: &str = "*";

/// What somebody may do on a database. Each may do what those before it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Look at data.
    Read,
    /// Change data, and declare indexes, constraints and hierarchies.
    Write,
    /// Back up, check, and deal with databases as a whole.
    Admin,
}

impl Role {
    /// The role that a method needs; `Ok(None)` if anybody may call it, and an error for a method without a rule,
    /// which nobody may.
    ///
    /// # Errors
    /// A method without a rule.
    pub fn needed(access: Access) -> Result<Option<Self>, NoRule> {
        match access {
            Access::None => Ok(None),
            Access::Read => Ok(Some(Self::Read)),
            Access::Write => Ok(Some(Self::Write)),
            Access::Admin => Ok(Some(Self::Admin)),
            Access::Unspecified => Err(NoRule),
        }
    }

    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }
}

/// A method says nothing about who may call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRule;

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let roles = [Self::Read, Self::Write, Self::Admin];
        let role = roles.into_iter().find(|role| role.name() == text);
        role.ok_or_else(|| format!("`{text}` is no role: there are read, write and admin"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_in_order_and_are_read_as_they_are_shown() {
        let roles = [Role::Read, Role::Write, Role::Admin];
        assert!(roles.is_sorted());
        for (role, word) in roles.into_iter().zip(["read", "write", "admin"]) {
            assert_eq!(role.to_string(), word);
            assert_eq!(word.parse(), Ok(role));
        }
        for word in ["", "Read", "writer", "*"] {
            assert!(word.parse::<Role>().is_err(), "{word}");
        }
    }
}
