//! All procedures of a database, by name.
//!
//! A registry never changes: who adds a procedure makes another one. Whoever binds a query holds the one of
//! that moment, and its generation tells whether a plan was made with this one.
//!
//! Next: `call.rs`.

use super::builtin;
use super::procedure::Procedure;
use crate::database::Database;
use crate::error::{Error, Result};
use crate::query::functions::{HostFunction, aggregate_function, function};
use std::collections::BTreeMap;
use std::sync::Arc;
use stratigraph_query_lang::slips;

/// The procedures that queries can call, and the functions of the host.
#[derive(Clone, Debug)]
pub struct Registry {
    /// By names in small letters.
    procedures: BTreeMap<Arc<str>, Arc<Procedure>>,
    /// The engine's own, which stay.
    own: Arc<BTreeMap<Arc<str>, Arc<Procedure>>>,
    /// The host's functions, by names in small letters.
    functions: BTreeMap<Arc<str>, Arc<HostFunction>>,
    generation: u64,
}

impl Default for Registry {
    /// The engine's own procedures.
    fn default() -> Self {
        let own = builtin::procedures().into_iter();
        let own: BTreeMap<_, _> = own.map(|one| (key(&one.name), Arc::new(one))).collect();
        Self {
            procedures: own.clone(),
            own: Arc::new(own),
            functions: BTreeMap::new(),
            generation: 0,
        }
    }
}

impl Registry {
    /// The procedure of that name, whatever the case.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Arc<Procedure>> {
        self.procedures.get(&*name.to_lowercase())
    }

    /// All of them, by name.
    pub fn procedures(&self) -> impl Iterator<Item = &Arc<Procedure>> {
        self.procedures.values()
    }

    /// The host's function of that name, whatever the case.
    #[must_use]
    pub fn find_function(&self, name: &str) -> Option<&Arc<HostFunction>> {
        self.functions.get(&*name.to_lowercase())
    }

    /// The host's functions, by name.
    pub fn functions(&self) -> impl Iterator<Item = &Arc<HostFunction>> {
        self.functions.values()
    }

    /// Rises with every change, so that whoever keeps what was made with it knows when that is over.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Names that are much like this one, the nearest first: what may have been meant.
    pub(crate) fn suggestions(&self, name: &str) -> Vec<Arc<str>> {
        let last = |name: &str| name.rsplit('.').next().map(str::to_lowercase);
        let wanted = last(name);
        let allowed = name.chars().count() / 4 + 1;
        let mut found: Vec<(usize, Arc<str>)> = Vec::new();
        for procedure in self.procedures.values() {
            // One who forgot where it is has the last part right.
            let slips = match last(&procedure.name) == wanted {
                true => Some(0),
                false => slips(&procedure.name, name),
            };
            if let Some(slips) = slips.filter(|slips| *slips <= allowed) {
                found.push((slips, Arc::clone(&procedure.name)));
            }
        }
        found.sort();
        found.into_iter().take(3).map(|(_, name)| name).collect()
    }

    /// The same with one more, which takes the place of the host's earlier one of that name.
    fn with(&self, procedure: Procedure) -> Result<Self> {
        procedure.check()?;
        let key = key(&procedure.name);
        if self.own.contains_key(&key) {
            return Err(Error::BadDeclaration {
                what: "procedure",
                reason: "a procedure of the engine has that name",
            });
        }
        let mut with = self.clone();
        with.procedures.insert(key, Arc::new(procedure));
        with.generation += 1;
        Ok(with)
    }

    /// The same with one more function, which takes the place of the host's earlier one of that name.
    fn with_function(&self, added: HostFunction) -> Result<Self> {
        added.check()?;
        if function(added.name()).is_some() || aggregate_function(added.name()).is_some() {
            return Err(Error::BadDeclaration {
                what: "function",
                reason: "a function of the engine has that name",
            });
        }
        let mut with = self.clone();
        with.functions.insert(key(added.name()), Arc::new(added));
        with.generation += 1;
        Ok(with)
    }
}

impl Database {
    /// Lets queries call a procedure of the host. One of the same name, which the host registered before, is
    /// replaced; queries that run go on with that one.
    ///
    /// All clones of this database share their procedures. They are not stored: register them again when the
    /// database is opened.
    ///
    /// # Errors
    /// [`Error::BadDeclaration`] if it cannot be called like this, or the engine has one of that name.
    pub fn register(&self, procedure: Procedure) -> Result<()> {
        let mut registry = self.registry().write();
        *registry = Arc::new(registry.with(procedure)?);
        Ok(())
    }

    /// Lets expressions call a function of the host, as [`register`](Self::register) does for procedures.
    ///
    /// # Errors
    /// [`Error::BadDeclaration`] if it cannot be called like this, or the engine has one of that name.
    pub fn register_function(&self, function: HostFunction) -> Result<()> {
        let mut registry = self.registry().write();
        *registry = Arc::new(registry.with_function(function)?);
        Ok(())
    }

    /// The procedures that queries can call now, and the functions of the host.
    #[must_use]
    pub fn procedures(&self) -> Arc<Registry> {
        Arc::clone(&self.registry().read())
    }
}

fn key(name: &str) -> Arc<str> {
    name.to_lowercase().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::procedures::ProcedureType;

    #[test]
    fn names_are_found_whatever_the_case_and_clones_share_them() {
        let db = Database::in_memory().unwrap();
        let before = db.procedures();
        assert!(before.find("DB.LABELS").is_some());
        let first = Procedure::new("my.First").yields("a", ProcedureType::ANY);
        db.clone().register(first.clone()).unwrap();
        let after = db.procedures();
        assert_eq!(after.find("MY.first").unwrap().name(), "my.First");
        assert!(
            before.find("my.first").is_none(),
            "a registry stays as it is"
        );
        assert!(after.generation() > before.generation());
        let again = first.yields("b", ProcedureType::ANY);
        db.register(again).unwrap();
        assert_eq!(db.procedures().find("my.first").unwrap().columns().len(), 2);
        let refused = db.register(Procedure::new("Db.Labels")).unwrap_err();
        assert!(matches!(refused, Error::BadDeclaration { .. }), "{refused}");
    }

    #[test]
    fn who_mistypes_a_name_is_told_what_is_near() {
        let registry = Registry::default();
        let near = |name: &str| registry.suggestions(name);
        assert_eq!(
            near("db.lables").first().map(|name| &**name),
            Some("db.labels")
        );
        assert_eq!(
            near("labels").first().map(|name| &**name),
            Some("db.labels")
        );
        assert!(near("something.else").is_empty());
    }
}
