//! Where a server is: `grpc://host:port`, with TLS `grpcs://host:port`, and a database behind it if one likes.
//!
//! Next: `access.rs`.

use super::access::Access;
use crate::failure::Failure;
use std::path::Path;

/// Where a server listens that was not told otherwise.
const PORT: &str = "7687";
/// How addresses may begin, and whether that means TLS.
const SCHEMES: [(&str, bool); 4] = [
    ("grpc://", false),
    ("grpcs://", true),
    ("http://", false),
    ("https://", true),
];

/// Where a server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    /// `grpc://host:port`, for people.
    pub(super) shown: String,
    /// `http://host:port`, for the client.
    pub(super) endpoint: String,
    /// The database, if the address names one.
    pub(super) database: Option<String>,
    pub(super) is_tls: bool,
}

impl Address {
    /// Whether a text is meant as an address, and is no path.
    pub(crate) fn is_meant_by(text: &str) -> bool {
        scheme(text).is_some()
    }

    /// The address, if what stands in the place of a folder is one. What was said and is for the other of the two is
    /// refused, before anybody connects or opens anything: of flags that name models the first that was said is given.
    ///
    /// # Errors
    /// It begins as an address and is none; a flag is for a folder, or for an address.
    pub(crate) fn in_place_of(
        dir: &Path,
        access: &Access,
        of_models: Option<&str>,
    ) -> Result<Option<Self>, Failure> {
        let text = dir.to_string_lossy();
        let address = Self::read(&text).transpose()?;
        match (&address, of_models) {
            (None, _) => access.refuse_for_folder(&text)?,
            (Some(_), Some(flag)) => {
                return Err(Failure::Usage(format!(
                    "{flag} is for a folder: at {text} the models are those that the server was started with (`stratigraph serve {flag} ...`)"
                )));
            }
            (Some(_), None) => {}
        }
        Ok(address)
    }

    /// Reads an address; `None` if the text is no address but a path.
    ///
    /// # Errors
    /// It begins as an address and is none.
    pub(super) fn read(text: &str) -> Option<Result<Self, Failure>> {
        let (rest, is_tls) = scheme(text)?;
        let refused = |why: &str| {
            Some(Err(Failure::Usage(format!(
                "{text}: {why}; an address is grpc://host:port, or grpcs://host:port with TLS, with /database behind it if it is not the default one"
            ))))
        };
        let (place, path) = rest.split_once('/').unwrap_or((rest, ""));
        if place.contains('@') {
            // What stands there is seen by all who list processes.
            return Some(Err(Failure::Usage(
                "no name or password stands in an address: put the token into STRATIGRAPH_TOKEN, or pass --token-file"
                    .to_owned(),
            )));
        }
        if path.contains(['/', '?', '#']) || place.contains(['?', '#', ' ']) {
            return refused("that is more than a host, a port and a database");
        }
        let (host, port) = match place.rfind(':') {
            // The colons within `[::1]` are its own.
            Some(at) if !place[at..].contains(']') => (&place[..at], &place[at + 1..]),
            _ => (place, PORT),
        };
        if host.is_empty() {
            return refused("there is no host");
        }
        if port.parse::<u16>().is_err() {
            return refused("the port is no number up to 65535");
        }
        let (ours, theirs) = if is_tls {
            ("grpcs", "https")
        } else {
            ("grpc", "http")
        };
        Some(Ok(Self {
            shown: format!("{ours}://{host}:{port}"),
            endpoint: format!("{theirs}://{host}:{port}"),
            database: (!path.is_empty()).then(|| path.to_owned()),
            is_tls,
        }))
    }
}

fn scheme(text: &str) -> Option<(&str, bool)> {
    SCHEMES.iter().find_map(|(scheme, is_tls)| {
        let begins = text
            .get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme));
        begins.then(|| (&text[scheme.len()..], *is_tls))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_folders() {
        for text in [
            "library",
            "/var/lib/library",
            "grpc",
            "grpc:/x",
            "ftp://x",
            "",
        ] {
            assert!(Address::read(text).is_none(), "{text}");
        }
        let cases = [
            ("grpc://localhost", "grpc://localhost:7687", None, false),
            ("GRPC://localhost:1/", "grpc://localhost:1", None, false),
            ("http://[::1]:99", "grpc://[::1]:99", None, false),
            ("grpcs://[::1]", "grpcs://[::1]:7687", None, true),
            (
                "https://db.example:443/library",
                "grpcs://db.example:443",
                Some("library"),
                true,
            ),
        ];
        for (text, shown, database, is_tls) in cases {
            let address = Address::read(text).unwrap().unwrap();
            assert_eq!(
                (&*address.shown, address.database.as_deref(), address.is_tls),
                (shown, database, is_tls),
                "{text}"
            );
            assert!(address.endpoint.starts_with("http"), "{text}");
        }
        for text in [
            "grpc://",
            "grpc://:7687",
            "grpc://host:port",
            "grpc://host:70000",
            "grpc://host/a/b",
            "grpc://host?x",
            "grpc://me:secret@host",
        ] {
            let refused = Address::read(text).unwrap().unwrap_err().to_string();
            assert!(!refused.contains("secret"), "{refused}");
        }
    }
}
