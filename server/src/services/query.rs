//! `QueryService`.

use super::Answer;
use crate::auth::Role;
use crate::caller::Caller;
use crate::convert;
use crate::databases::{Doing, NamedQuery, OpenDatabase, WriterTurn};
use crate::failure::Failure;
use crate::quick::{AnswerStream, Key, Quick};
use crate::run::{Place, Run};
use crate::shared::Shared;
use crate::work::{Outlet, RunLimits, Side, Slot, caught, channel};
use std::sync::Arc;
use std::time::{Duration, Instant};
use stratigraph::Parameters;
use stratigraph::storage::cancel::CancelToken;
use stratigraph_proto::v1::query_service_server::QueryService;
use stratigraph_proto::v1::statement::Source;
use stratigraph_proto::v1::{self, ExecutionMode};
use tonic::{Request, Response};

/// The longest statement; the language has a limit of its own, which is a little above.
const MAX_TEXT_BYTES: usize = 1 << 20;
/// A statement that is not longer is planned at once, without a thread of its own.
const PLANNED_AT_ONCE_BYTES: usize = 4 << 10;

/// `QueryService`.
pub(crate) struct Query(Arc<Shared>, Arc<Quick>);

/// A statement that was admitted and has its turn.
struct Turn {
    doing: Doing,
    /// The turn to write, for a statement that needs it.
    writer: Option<WriterTurn>,
    _slot: Slot,
    waited: Duration,
}

/// The text of a statement, whichever way it was named.
pub(super) fn text_of(
    database: &OpenDatabase,
    caller: &Caller,
    statement: Option<v1::Statement>,
) -> Result<Arc<str>, Failure> {
    let source = statement.and_then(|statement| statement.source);
    let source = source.ok_or_else(|| {
        Failure::request(
            "statement",
            "say its text, the id of a prepared one, or the name of a named one",
        )
    })?;
    let text: Arc<str> = match source {
        Source::Text(text) => text.into(),
        Source::PreparedId(id) => database.prepared.text(caller.identity.name(), &id)?,
        Source::Name(name) => database.named.text(&name)?.into(),
    };
    check_length(&text)?;
    Ok(text)
}

fn check_length(text: &str) -> Result<(), Failure> {
    if text.len() <= MAX_TEXT_BYTES {
        return Ok(());
    }
    Err(Failure::Limit {
        what: "the length of a statement",
        limit: format!("{MAX_TEXT_BYTES} bytes"),
        hint: "send data as parameters",
    })
}

/// What a statement does, as it will run; who may not write is refused if it changes anything.
pub(super) async fn doing(
    side: &Side,
    database: &Arc<OpenDatabase>,
    caller: &Caller,
    text: &Arc<str>,
    limits: &RunLimits,
) -> Result<Doing, Failure> {
    let doing = if text.len() <= PLANNED_AT_ONCE_BYTES {
        database.doing(text)?
    } else {
        let (database, text) = (Arc::clone(database), Arc::clone(text));
        side.run(move || database.doing(&text)).await?
    };
    if doing == Doing::Reads || limits.mode == ExecutionMode::Explain {
        return Ok(Doing::Reads);
    }
    if limits.read_only {
        return Err(Failure::State {
            code: "ReadOnlyQuery",
            problem: "the statement changes something, and the request says that it must not"
                .to_owned(),
        });
    }
    caller.require(Role::Write, &database.name)?;
    Ok(doing)
}

impl Query {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        let quick = Quick::new(&shared.config);
        Self(shared, Arc::new(quick))
    }

    async fn turn(
        &self,
        database: &OpenDatabase,
        caller: &Caller,
        limits: &RunLimits,
        doing: Doing,
    ) -> Result<Turn, Failure> {
        let began = Instant::now();
        let writer = if doing == Doing::Writes {
            let patience = self
                .0
                .config
                .max_write_queue_wait
                .0
                .min(limits.time_left()?);
            Some(database.writer_turn(patience).await?)
        } else {
            None
        };
        let slots = match doing {
            Doing::Reads => &self.0.readers,
            Doing::Writes | Doing::Declares => &self.0.writers,
        };
        let token_name = caller.identity.name();
        let slot = slots
            .enter(token_name, limits.memory_bytes, limits.time_left()?)
            .await?;
        Ok(Turn {
            doing,
            writer,
            _slot: slot,
            waited: began.elapsed(),
        })
    }
}

/// A statement with all that it needs, on its way to a thread.
struct Job {
    shared: Arc<Shared>,
    database: Arc<OpenDatabase>,
    caller: Caller,
    text: Arc<str>,
    parameters: Parameters,
    limits: RunLimits,
    cancel: CancelToken,
    outlet: Outlet,
    turn: Turn,
    quick: (Arc<Quick>, Key),
}

impl Job {
    fn run(mut self) {
        let (began, reads) = (Instant::now(), self.turn.writer.is_none());
        let ran = caught(|| self.answer());
        match ran {
            Ok(()) if reads => self.quick.0.note(self.quick.1, began.elapsed()),
            Ok(()) => {}
            Err(failure) => self.outlet.fail(&failure),
        }
    }

    fn answer(&mut self) -> Result<(), Failure> {
        let run = Run {
            shared: &self.shared,
            database: &self.database,
            caller: &self.caller,
            text: &self.text,
            parameters: &self.parameters,
            limits: &self.limits,
            cancel: &self.cancel,
            waited: self.turn.waited,
        };
        match self.turn.doing {
            Doing::Reads => {
                let read = self.database.read(&self.cancel)?;
                run.answer(&mut Place::Snapshot(&read), &self.outlet)
            }
            Doing::Writes | Doing::Declares => {
                let writer = self.turn.writer.take();
                let mut place = Place::Own(&self.database.engine, writer);
                run.answer(&mut place, &self.outlet)
            }
        }
    }
}

#[tonic::async_trait]
impl QueryService for Query {
    type QueryStream = AnswerStream;

    async fn query(&self, request: Request<v1::QueryRequest>) -> Answer<Self::QueryStream> {
        let (caller, request, database) = Caller::asks(&self.0, request, |asked| &asked.database)?;
        let limits = RunLimits::new(&self.0.config, &caller, request.options)?;
        let text = text_of(&database, &caller, request.statement)?;
        let parameters = convert::parameters(request.parameters)?;
        let cancel = CancelToken::new();
        let key = self.1.key(&database.name, &text);
        // It reads, or it would not be known; so not even its plan has to be looked up here.
        if self.1.is_likely(key) {
            let slots = &self.0.readers;
            let token = caller.identity.name();
            let slot = slots.enter(token, limits.memory_bytes, limits.time_left()?);
            let slot = slot.await?;
            let run = Run {
                shared: &self.0,
                database: &database,
                caller: &caller,
                text: &text,
                parameters: &parameters,
                limits: &limits,
                cancel: &cancel,
                waited: slot.waited,
            };
            if let Some(answered) = self.1.answer(key, &run) {
                return Ok(Response::new(answered));
            }
        }
        let doing = doing(&self.0.side, &database, &caller, &text, &limits).await?;
        let turn = self.turn(&database, &caller, &limits, doing).await?;
        let unsaid = Failure::Bug {
            what: "the answer was cut short",
        };
        let (outlet, stream) = channel(&self.0.config, limits.deadline, &cancel, unsaid);
        let job = Job {
            shared: Arc::clone(&self.0),
            database,
            caller,
            text,
            parameters,
            limits,
            cancel,
            outlet,
            turn,
            quick: (Arc::clone(&self.1), key),
        };
        let span = tracing::Span::current();
        tokio::task::spawn_blocking(move || span.in_scope(|| job.run()));
        Ok(Response::new(AnswerStream::Coming(stream)))
    }

    async fn prepare_statement(
        &self,
        request: Request<v1::PrepareStatementRequest>,
    ) -> Answer<v1::PrepareStatementResponse> {
        let (caller, request, database) = Caller::asks(&self.0, request, |asked| &asked.database)?;
        check_length(&request.text)?;
        let owner = Arc::clone(caller.identity.name());
        let prepared = self.0.side.run(move || {
            let prepared = database.engine.prepare(&request.text)?;
            Ok(v1::PrepareStatementResponse {
                prepared_id: database.prepared.keep(&owner, &request.text)?,
                parameters: prepared.parameters().map(ToOwned::to_owned).collect(),
                columns: prepared.columns().map(ToOwned::to_owned).collect(),
                writes: prepared.writes(),
            })
        });
        Ok(Response::new(prepared.await?))
    }

    async fn forget_statement(
        &self,
        request: Request<v1::ForgetStatementRequest>,
    ) -> Answer<v1::ForgetStatementResponse> {
        let (caller, request, database) = Caller::asks(&self.0, request, |asked| &asked.database)?;
        let known = database
            .prepared
            .forget(caller.identity.name(), &request.prepared_id);
        Ok(Response::new(v1::ForgetStatementResponse { known }))
    }

    async fn save_named_query(
        &self,
        request: Request<v1::SaveNamedQueryRequest>,
    ) -> Answer<v1::SaveNamedQueryResponse> {
        let (_, request, database) = Caller::asks(&self.0, request, |asked| &asked.database)?;
        let asked = request
            .query
            .ok_or_else(|| Failure::request("query", "is needed"))?;
        check_length(&asked.text)?;
        let query = self.0.side.run(move || {
            // What cannot be planned now is most likely misspelled.
            let told = told(
                &database,
                asked.name.clone(),
                asked.text.clone(),
                asked.description.clone(),
            )?;
            let kept = NamedQuery {
                text: asked.text,
                description: asked.description,
            };
            database.named.save(&asked.name, kept)?;
            Ok(told)
        });
        let query = Some(query.await?);
        Ok(Response::new(v1::SaveNamedQueryResponse { query }))
    }

    async fn list_named_queries(
        &self,
        request: Request<v1::ListNamedQueriesRequest>,
    ) -> Answer<v1::ListNamedQueriesResponse> {
        let (_, _, database) = Caller::asks(&self.0, request, |asked| &asked.database)?;
        let queries = self.0.side.run(move || {
            let all = database.named.all().into_iter();
            let told = all.map(|(name, query)| {
                let NamedQuery { text, description } = query;
                // One that cannot be planned any more, as an index is gone, is listed all the same.
                told(&database, name.clone(), text.clone(), description.clone()).unwrap_or(
                    v1::NamedQuery {
                        name,
                        text,
                        description,
                        ..v1::NamedQuery::default()
                    },
                )
            });
            Ok(told.collect())
        });
        let queries = queries.await?;
        Ok(Response::new(v1::ListNamedQueriesResponse { queries }))
    }

    async fn drop_named_query(
        &self,
        request: Request<v1::DropNamedQueryRequest>,
    ) -> Answer<v1::DropNamedQueryResponse> {
        let (_, request, database) = Caller::asks(&self.0, request, |asked| &asked.database)?;
        let known = self
            .0
            .side
            .run(move || database.named.drop_one(&request.name))
            .await?;
        Ok(Response::new(v1::DropNamedQueryResponse { known }))
    }
}

/// A named query with what the engine knows about it.
fn told(
    database: &OpenDatabase,
    name: String,
    text: String,
    description: String,
) -> Result<v1::NamedQuery, Failure> {
    let prepared = database.engine.prepare(&text)?;
    Ok(v1::NamedQuery {
        parameters: prepared.parameters().map(ToOwned::to_owned).collect(),
        writes: prepared.writes(),
        name,
        text,
        description,
    })
}

#[cfg(test)]
mod tests;
