//! A client's stream of parts on its way to the thread that works on them: the thread blocks, the stream does not.
//!
//! ```text
//! Streaming ── the first part ──> Begun ── a place, a hold ──> Opened ── part after part ──> the thread
//! ```

use crate::caller::Caller;
use crate::databases::{Hold, OpenDatabase};
use crate::ending::{Stage, UnderWay};
use crate::failure::Failure;
use crate::intake::why_none;
use crate::shared::Shared;
use crate::work::HeldPlace;
use std::sync::Arc;
use std::time::{Duration, Instant};
use stratigraph::storage::cancel::CancelToken;
use tokio::sync::mpsc;
use tonic::{Request, Status, Streaming};

/// How many parts may wait for the thread: the client's stream is read no faster than it works.
const WAITING_PARTS: usize = 2;

/// What goes from the client's stream to the thread.
type Fed<P> = Result<P, Failure>;

/// The streams of a method: messages `M` with parts `P`, of which the first is a start `S`. And what is said of one that
/// does not end as it should.
pub(in crate::services) struct Parts<M, P, S> {
    /// What a message holds, if this server knows it.
    pub(in crate::services) part: fn(M) -> Option<P>,
    /// What a part says of the whole stream, if it is the start.
    pub(in crate::services) start: fn(P) -> Option<S>,
    /// The database that a start names.
    pub(in crate::services) database: fn(&S) -> &str,
    /// Whether a part is the last.
    pub(in crate::services) is_finish: fn(&P) -> bool,
    /// What is said where that is missing.
    pub(in crate::services) unfinished: &'static str,
    /// What is said of a client that was silent for so long.
    pub(in crate::services) silent: fn(Duration) -> Failure,
    /// Whether work on parts that are all here may go on when the time is over.
    pub(in crate::services) may_outlast: bool,
}

/// A stream of which the start has come, and nothing else.
pub(in crate::services) struct Begun<M: 'static, P: 'static, S: 'static> {
    /// Who sends it.
    pub(in crate::services) caller: Caller,
    /// What it begins with.
    pub(in crate::services) start: S,
    /// The database that it names.
    pub(in crate::services) database: Arc<OpenDatabase>,
    stream: Streaming<M>,
    parts: &'static Parts<M, P, S>,
    /// The longest that the client may be silent.
    idle: Duration,
}

/// A stream that is read for the thread, and what that holds while it works.
pub(in crate::services) struct Opened<P> {
    parts: mpsc::Receiver<Fed<P>>,
    /// Stops the work.
    pub(in crate::services) cancel: CancelToken,
    /// When it is over, however quick the client is.
    pub(in crate::services) ends: Instant,
    _hold: Hold,
    _place: HeldPlace,
    _under_way: UnderWay,
}

impl<M: Send + 'static, P: Send + 'static, S: 'static> Begun<M, P, S> {
    /// Waits for the start, and looks whether its caller may use the database.
    pub(in crate::services) async fn read(
        shared: &Shared,
        request: Request<Streaming<M>>,
        parts: &'static Parts<M, P, S>,
        idle: Duration,
    ) -> Result<Self, Status> {
        let caller = Caller::of(&request)?;
        let mut stream = request.into_inner();
        let first = tokio::time::timeout(idle, stream.message())
            .await
            .map_err(|_| (parts.silent)(idle))??;
        let start = first.and_then(parts.part).and_then(parts.start);
        let start = start.ok_or_else(|| Failure::request("part", "the first part is `start`"))?;
        let database = caller.database(shared, (parts.database)(&start))?;
        Ok(Self {
            caller,
            start,
            database,
            stream,
            parts,
            idle,
        })
    }

    /// Has the rest of it read, for at most `time`: the start, its database, and where the parts come out.
    pub(in crate::services) fn open(
        self,
        shared: &Shared,
        hold: Hold,
        place: HeldPlace,
        time: Duration,
    ) -> (S, Arc<OpenDatabase>, Opened<P>) {
        let Self {
            start,
            database,
            stream,
            parts,
            idle,
            ..
        } = self;
        let (feed, fed) = mpsc::channel(WAITING_PARTS);
        let cancel = CancelToken::new();
        let ends = Instant::now() + time;
        let over = shared.ending.reached(Stage::Over);
        let stop = cancel.clone();
        tokio::spawn(async move {
            let all = async {
                tokio::select! {
                    () = parts.feed(stream, &feed, idle, ends) => {}
                    // A client that sends nothing must not hold the server's end.
                    () = over => drop(feed.send(Err(Failure::ShuttingDown)).await),
                }
                feed.closed().await;
            };
            tokio::select! {
                () = all => {}
                // Also while parts wait for the thread: nobody waits for a model longer than for a client.
                () = tokio::time::sleep_until(ends.into()), if !parts.may_outlast => stop.cancel(),
            }
        });
        let opened = Opened {
            parts: fed,
            ends,
            _hold: hold,
            _place: place,
            _under_way: shared.ending.under_way(&cancel),
            cancel,
        };
        (start, database, opened)
    }
}

impl<M, P, S> Parts<M, P, S> {
    /// Hands a client's parts to the thread, up to the last one, while they come and there is time.
    async fn feed(
        &self,
        mut stream: Streaming<M>,
        feed: &mpsc::Sender<Fed<P>>,
        idle: Duration,
        ends: Instant,
    ) {
        loop {
            let left = ends.saturating_duration_since(Instant::now());
            if left.is_zero() {
                // A message that is there already is no reason to go on.
                let _ = feed.send(Err(Failure::Deadline)).await;
                return;
            }
            let part = match tokio::time::timeout(idle.min(left), stream.message()).await {
                Err(_) if left < idle => Err(Failure::Deadline),
                Err(_) => Err((self.silent)(idle)),
                Ok(Err(status)) => Err(why_none(&status)),
                Ok(Ok(None)) => Err(Failure::request("part", self.unfinished)),
                Ok(Ok(Some(message))) => (self.part)(message)
                    .ok_or_else(|| Failure::request("part", "this server does not know it")),
            };
            let is_last = part.as_ref().map_or(true, self.is_finish);
            if feed.send(part).await.is_err() || is_last {
                return;
            }
        }
    }
}

impl<P> Opened<P> {
    /// Waits for the next part, and so is for the thread alone. Whoever has left has cancelled.
    pub(in crate::services) fn next_part(&mut self) -> Result<P, Failure> {
        let part = self.parts.blocking_recv();
        part.unwrap_or(Err(Failure::Cancelled))
    }
}
