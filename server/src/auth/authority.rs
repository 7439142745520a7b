//! Who may do what: from the metadata of a call to an identity, and from an identity to its roles.

use super::file::{self, TokenFileError};
use super::role::{EVERY_DATABASE, Role};
use super::token::{Secret, TokenHash};
use crate::stamp::Stamp;
use arc_swap::ArcSwap;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::{SystemTime, UNIX_EPOCH};
use tonic::codegen::http::{HeaderMap, header::AUTHORIZATION};

/// Who calls.
#[derive(Debug)]
pub struct Identity {
    name: Arc<str>,
    roles: BTreeMap<String, Role>,
}

impl Identity {
    /// Somebody without a token, where nobody needs one.
    fn everybody() -> Arc<Self> {
        static EVERYBODY: LazyLock<Arc<Identity>> = LazyLock::new(|| {
            Arc::new(Identity {
                name: "".into(),
                roles: [(EVERY_DATABASE.to_owned(), Role::Admin)].into(),
            })
        });
        Arc::clone(&EVERYBODY)
    }

    /// Somebody without a token, where others need one: without any rights.
    #[must_use]
    pub fn stranger() -> Arc<Self> {
        Arc::new(Self {
            name: "".into(),
            roles: BTreeMap::new(),
        })
    }

    /// The name of the token; empty without one.
    #[must_use]
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// What it may do on a database, or on the server for `*`.
    #[must_use]
    pub fn role_on(&self, database: &str) -> Option<Role> {
        let everywhere = self.roles.get(EVERY_DATABASE).copied();
        everywhere.max(self.roles.get(database).copied())
    }

    /// The most that it may do anywhere.
    #[must_use]
    pub fn best_role(&self) -> Option<Role> {
        self.roles.values().copied().max()
    }
}

/// Why somebody is nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// There is no token.
    NoToken,
    /// There is something else than a token.
    NotBearer,
    /// Nobody has that token.
    WrongToken,
    /// The token has ended.
    Expired,
}

/// Knows the tokens.
pub struct Authority {
    path: Option<PathBuf>,
    tokens: ArcSwap<Vec<Token>>,
    /// How the file was when it was read.
    seen: Mutex<Option<Stamp>>,
}

struct Token {
    hash: TokenHash,
    expires: Option<u64>,
    identity: Arc<Identity>,
}

impl Authority {
    /// One that knows the tokens of a file; without one, everybody may do everything.
    ///
    /// # Errors
    /// [`TokenFileError`].
    pub fn new(path: Option<PathBuf>) -> Result<Self, TokenFileError> {
        let authority = Self {
            path,
            tokens: ArcSwap::default(),
            seen: Mutex::new(None),
        };
        authority.reload()?;
        Ok(authority)
    }

    /// Reads the file again if it has changed since it was read; whether it had. What is wrong with it leaves the tokens
    /// as they are.
    ///
    /// # Errors
    /// [`TokenFileError`].
    pub fn reload(&self) -> Result<bool, TokenFileError> {
        let Some(path) = &self.path else {
            return Ok(false);
        };
        let mut seen = self.seen.lock();
        let now = Stamp::of(path);
        if *seen == Some(now) {
            return Ok(false);
        }
        let tokens = file::read(path)?.into_iter().map(|(record, hash)| Token {
            hash,
            expires: record.expires,
            identity: Arc::new(Identity {
                name: record.name.into(),
                roles: record.roles,
            }),
        });
        self.tokens.store(Arc::new(tokens.collect()));
        *seen = Some(now);
        Ok(true)
    }

    /// The file that it reads.
    #[must_use]
    pub fn path(&self) -> Option<&PathBuf> {
        self.path.as_ref()
    }

    /// Who sends that metadata.
    pub(crate) fn identify(
        &self,
        metadata: &HeaderMap,
        now: SystemTime,
    ) -> Result<Arc<Identity>, Unknown> {
        if self.path.is_none() {
            return Ok(Identity::everybody());
        }
        let Some(sent) = metadata.get(AUTHORIZATION) else {
            return Err(Unknown::NoToken);
        };
        let sent = sent.to_str().map_err(|_| Unknown::NotBearer)?;
        let (scheme, token) = sent.split_once(' ').ok_or(Unknown::NotBearer)?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Err(Unknown::NotBearer);
        }
        let sent = Secret::received(token.trim()).hash();
        let tokens = self.tokens.load();
        // All of them are compared: how long it takes says nothing about which one it is.
        let mut found = None;
        for token in tokens.iter() {
            if token.hash.is(&sent) {
                found = Some(token);
            }
        }
        let found = found.ok_or(Unknown::WrongToken)?;
        let now = now
            .duration_since(UNIX_EPOCH)
            .map_or(0, |now| now.as_secs());
        if found.expires.is_some_and(|end| now >= end) {
            return Err(Unknown::Expired);
        }
        Ok(Arc::clone(&found.identity))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{TokenRecord, add_token};
    use super::*;
    use std::time::Duration;

    fn metadata(value: &str) -> HeaderMap {
        let mut map = HeaderMap::new();
        map.insert(AUTHORIZATION, value.parse().unwrap());
        map
    }

    fn record(name: &str, token: &Secret, expires: Option<u64>) -> TokenRecord {
        TokenRecord {
            name: name.to_owned(),
            hash: token.hash().to_string(),
            expires,
            roles: [("library".to_owned(), Role::Write)].into(),
        }
    }

    #[test]
    fn a_token_is_known_until_it_ends_and_what_the_file_has_is_no_token() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.toml");
        let (good, old) = (Secret::new_token().unwrap(), Secret::new_token().unwrap());
        add_token(&path, record("good", &good, None)).unwrap();
        add_token(&path, record("old", &old, Some(1000))).unwrap();
        let again = add_token(&path, record("old", &old, None)).unwrap_err();
        assert!(matches!(again, TokenFileError::NameTaken { .. }), "{again}");

        let authority = Authority::new(Some(path.clone())).unwrap();
        let at = |secs| UNIX_EPOCH + Duration::from_secs(secs);
        let ask = |value: &str, secs| {
            authority
                .identify(&metadata(value), at(secs))
                .map(|who| who.name().to_string())
        };
        assert_eq!(
            ask(&format!("Bearer {}", good.expose()), 5000).unwrap(),
            "good"
        );
        assert_eq!(
            ask(&format!("bearer {}", old.expose()), 999).unwrap(),
            "old"
        );
        assert_eq!(
            ask(&format!("Bearer {}", old.expose()), 1000),
            Err(Unknown::Expired)
        );
        assert_eq!(
            ask(&format!("Bearer {}", good.hash()), 0),
            Err(Unknown::WrongToken)
        );
        assert_eq!(
            ask(&format!("Basic {}", good.expose()), 0),
            Err(Unknown::NotBearer)
        );
        assert_eq!(ask(good.expose(), 0), Err(Unknown::NotBearer));
        assert_eq!(
            authority.identify(&HeaderMap::new(), at(0)).unwrap_err(),
            Unknown::NoToken
        );
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains(good.expose()));

        // A file that is broken later leaves the tokens as they are.
        std::fs::write(&path, "[[token]]\nname = 'x'\n").unwrap();
        assert!(authority.reload().is_err());
        assert_eq!(
            ask(&format!("Bearer {}", good.expose()), 0).unwrap(),
            "good"
        );
    }

    #[test]
    fn what_changed_since_the_start_is_seen_and_what_did_not_is_not_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.toml");
        let token = Secret::new_token().unwrap();
        add_token(&path, record("first", &token, None)).unwrap();
        let authority = Authority::new(Some(path.clone())).unwrap();
        // Nobody has looked at it since.
        let late = Secret::new_token().unwrap();
        add_token(&path, record("late", &late, None)).unwrap();
        assert!(authority.reload().unwrap());
        let sent = metadata(&format!("Bearer {}", late.expose()));
        assert!(authority.identify(&sent, UNIX_EPOCH).is_ok());
        assert!(!authority.reload().unwrap());
        // Of the same length and time.
        let time = path.metadata().unwrap().modified().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let beside = path.with_extension("other");
        std::fs::write(&beside, text.replace("late", "dead")).unwrap();
        std::fs::File::options()
            .write(true)
            .open(&beside)
            .unwrap()
            .set_modified(time)
            .unwrap();
        std::fs::rename(&beside, &path).unwrap();
        assert!(authority.reload().unwrap());
    }

    #[test]
    fn roles_are_those_of_the_database_or_of_all() {
        let identity = Identity {
            name: "one".into(),
            roles: [("a".to_owned(), Role::Admin), ("*".to_owned(), Role::Read)].into(),
        };
        assert_eq!(identity.role_on("a"), Some(Role::Admin));
        assert_eq!(identity.role_on("b"), Some(Role::Read));
        assert_eq!(identity.role_on(EVERY_DATABASE), Some(Role::Read));
        assert_eq!(Identity::stranger().role_on("a"), None);
    }
}
