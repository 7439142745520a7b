//! Declared queries, into messages of the protocol and out of them.

use super::refused;
use super::retrieve::{found, not_retrieved};
use crate::failure::Failure;
use crate::work::Reading;
use prost::Message;
use stratigraph_proto::v1;
use stratigraph_rag::door::{DoorError, Library};
use stratigraph_rag::routes::{CallLimits, Declared};

/// All that can be called.
pub(super) fn list(library: &Library) -> Result<v1::ListDeclaredQueriesResponse, Failure> {
    let declared = !library.declared().map_err(refused)?.is_empty();
    let offered = match library.open() {
        Ok(open) => open.offered().map_err(refused)?,
        Err(DoorError::NoLayers) => Vec::new(),
        Err(error) => return Err(refused(error)),
    };
    let queries = offered.into_iter().map(|one| v1::DeclaredQuery {
        // Made of texts and numbers: there is nothing in it that JSON has not.
        definition: serde_json::to_string(&one).unwrap_or_default(),
        tool: one.tool().to_string(),
        target: one.target.unwrap_or_default(),
        name: one.name,
        description: one.description,
    });
    Ok(v1::ListDeclaredQueriesResponse {
        queries: queries.collect(),
        declared,
    })
}

/// Queries that somebody wants to declare.
pub(super) fn read(definitions: &str) -> Result<Vec<Declared>, Failure> {
    let read = Declared::parse(definitions);
    read.map_err(|error| Failure::request("definitions", error.to_string()))
}

/// Declares them.
pub(super) fn declare(
    library: &Library,
    all: &[Declared],
) -> Result<v1::DeclareQueriesResponse, Failure> {
    let open = library.open().map_err(refused)?;
    let declared = all.iter().map(|one| {
        let replaced = open.declare(one).map_err(refused)?;
        let name = one.name.clone();
        Ok(v1::DeclaredReport { name, replaced })
    });
    let declared = declared.collect::<Result<_, Failure>>()?;
    Ok(v1::DeclareQueriesResponse { declared })
}

/// A call that was looked at.
pub(super) struct Call {
    name: String,
    arguments: serde_json::Value,
    limits: CallLimits,
}

impl Call {
    pub(super) fn read(request: v1::CallDeclaredQueryRequest) -> Result<Self, Failure> {
        let arguments = match request.arguments.trim() {
            "" => serde_json::Value::Null,
            text => serde_json::from_str(text)
                .map_err(|error| Failure::request("arguments", format!("are no JSON: {error}")))?,
        };
        let mut limits = CallLimits::default();
        if request.rows > 0 {
            limits.rows = request.rows as usize;
        }
        Ok(Self {
            name: request.name,
            arguments,
            limits,
        })
    }

    /// What stands among the statements that run. Arguments are data, and are not told.
    pub(super) fn shown(&self) -> String {
        let name: String = self.name.chars().take(64).collect();
        format!("a call of the declared query {name}")
    }

    pub(super) fn run(
        self,
        reading: &Reading,
    ) -> Result<(v1::CallDeclaredQueryResponse, u64), Failure> {
        let open = reading.database.library.open().map_err(refused)?;
        let read = reading.read()?;
        let called = open.call_from(&read, (&self.name, &self.arguments), self.limits);
        let called = called.map_err(|error| match error {
            error @ DoorError::Route(_) => refused(error),
            error => not_retrieved(error),
        })?;
        let count = called.rows.len() as u64;
        let rows = called.rows.into_iter().zip(called.in_rows);
        let rows = rows.map(|(values, places)| v1::CalledRow {
            values: serde_json::Value::Object(values).to_string(),
            found: places.into_iter().map(|at| at as u32).collect(),
        });
        let answer = v1::CallDeclaredQueryResponse {
            name: called.name,
            arguments: serde_json::Value::Object(called.arguments).to_string(),
            columns: called.columns,
            rows: rows.collect(),
            more: called.more,
            found: called.found.into_iter().map(found).collect(),
        };
        let most = reading.shared.config.max_response_size.bytes();
        if answer.encoded_len() > most {
            return Err(Failure::Limit {
                what: "the size of the answer",
                limit: format!("{most} bytes"),
                hint: "ask for fewer `rows`, or raise max_response_size",
            });
        }
        Ok((answer, count))
    }
}
