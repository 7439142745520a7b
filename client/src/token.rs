//! The token that says who calls.

use crate::Error;
use std::fmt;
use tonic::metadata::{Ascii, MetadataValue};

/// A bearer token. Nothing shows it: not `Debug`, and no error.
///
/// ```
/// let token = stratigraph_client::Token::new("sg_secret");
/// assert_eq!(format!("{token:?}"), "Token(..)");
/// ```
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// A token, as the server has given it out.
    pub fn new(token: impl Into<String>) -> Self {
        Self(token.into())
    }

    /// The metadata `authorization`, marked as a secret for whoever logs metadata.
    pub(crate) fn header(&self) -> Result<MetadataValue<Ascii>, Error> {
        let header = format!("Bearer {}", self.0.trim());
        let mut header: MetadataValue<Ascii> = header
            .parse()
            .map_err(|_| Error::settings("token", "has characters that no token has"))?;
        header.set_sensitive(true);
        Ok(header)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Token(..)")
    }
}

impl From<&str> for Token {
    fn from(token: &str) -> Self {
        Self::new(token)
    }
}

impl From<String> for Token {
    fn from(token: String) -> Self {
        Self::new(token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_never_shown() {
        let token = Token::new("hush");
        assert!(!format!("{token:?}{:?}", token.header().unwrap()).contains("hush"));
        let broken = Token::new("hush\nhush").header().unwrap_err();
        assert!(!format!("{broken:?} {broken}").contains("hush"));
    }
}
