//! Declared queries: in, out, called, and which of them a question is for.

use std::sync::Arc;

use serde_json::Value as Json;
use stratigraph::ReadTxn;
use stratigraph::storage::cancel::CancelToken;
use stratigraph_models::Generator;

use super::{DoorError, Library, Open};
use crate::retrieve::{Question, Scale, told};
use crate::routes::{self, CallLimits, Called, Choice, Declared, RouteError, Routing};

impl Open {
    /// Declares a query, in the place of the one that has its name; whether there was one.
    ///
    /// # Errors
    /// [`DoorError::Route`]: it makes no sense, it changes something, or it names what is not there; what the database says.
    pub fn declare(&self, declared: &Declared) -> Result<bool, DoorError> {
        Ok(routes::declare(self.layers(), declared)?)
    }

    /// Drops a declared query; whether there was one.
    ///
    /// # Errors
    /// What the database says.
    pub fn undeclare(&self, name: &str) -> Result<bool, DoorError> {
        Ok(routes::undeclare(self.layers(), name)?)
    }

    /// What a question can be routed to, as of the last commit: what is declared or, where nothing is, what the types of
    /// the graph give.
    ///
    /// # Errors
    /// What the database says.
    pub fn offered(&self) -> Result<Vec<Declared>, DoorError> {
        let read = self.layers().database().read()?;
        let dimensions = self.layers().embedder().dimensions();
        Ok(routes::offered(&read, dimensions)?)
    }

    /// The same as definitions for function calling.
    ///
    /// # Errors
    /// What the database says.
    pub fn tools(&self) -> Result<Vec<Json>, DoorError> {
        Ok(self.offered()?.iter().map(Declared::tool).collect())
    }

    /// Calls a query by its name, as of the last commit, unless it is cancelled.
    ///
    /// # Errors
    /// [`DoorError::Route`]: nothing is declared so, or an argument does not fit; what the database says.
    pub fn call(
        &self,
        name: &str,
        arguments: &Json,
        limits: CallLimits,
        cancel: &CancelToken,
    ) -> Result<Called, DoorError> {
        let read = self.layers().database().read()?;
        self.call_from(&read.with_cancel(cancel.clone()), (name, arguments), limits)
    }

    /// The same as of a snapshot.
    ///
    /// # Errors
    /// As [`call`](Self::call).
    pub fn call_from(
        &self,
        read: &ReadTxn,
        (name, arguments): (&str, &Json),
        limits: CallLimits,
    ) -> Result<Called, DoorError> {
        let embedder = self.layers().embedder();
        let offered = routes::offered(read, embedder.dimensions())?;
        let Some(declared) = offered.iter().find(|declared| declared.name == name) else {
            let known: Vec<String> = { offered.iter() }
                .map(|declared| format!("`{}`", declared.name))
                .collect();
            let known = match known.is_empty() {
                true => "none".to_owned(),
                false => known.join(", "),
            };
            return Err(RouteError::Unknown {
                name: name.chars().take(64).collect(),
                known,
            }
            .into());
        };
        let ran = routes::run(read, embedder, (declared, arguments), limits)?;
        // Whoever calls a query by its name has chosen it.
        let items = ran.items(&declared.name, Scale::Routed.score(1.0));
        Ok(Called {
            name: declared.name.clone(),
            rows: ran.told(),
            in_rows: ran.in_rows(&items),
            found: told(read, &items, ran.exact)?,
            arguments: ran.arguments,
            columns: ran.columns,
            more: ran.more,
        })
    }

    /// Which query a question is for and why, as of the last commit. Nothing is called.
    ///
    /// # Errors
    /// [`RouteError::NothingDeclared`]; what the database says.
    pub fn route(&self, question: &Question, cancel: &CancelToken) -> Result<Routing, DoorError> {
        let read = self.layers().database().read()?.with_cancel(cancel.clone());
        let embedder = self.layers().embedder();
        let choice = Choice::of(&read, embedder, self.generator(), question.text())?;
        Ok(choice.routing)
    }

    /// The model that says which query a question is for.
    pub(super) fn generator(&self) -> Option<&dyn Generator> {
        let model: Option<&Arc<dyn Generator>> = self.equipment().its_model();
        model.map(|model| &**model)
    }
}

impl Library {
    /// What is declared, by name; nothing where there are no layers yet.
    ///
    /// # Errors
    /// What the database says.
    pub fn declared(&self) -> Result<Vec<Declared>, DoorError> {
        let read = self.database().read()?;
        let kept = routes::kept(&read)?.into_values();
        Ok(kept.map(|kept| kept.declared).collect())
    }
}
