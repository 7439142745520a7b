//! The body of a request on its way in: what it will weigh is known, and paid for, before anything of it is decoded.
//!
//! ```text
//! bytes ──> frame ──> unpacked, up to a size ──> weighed by its shape ──> reserved of all messages' memory ──> tonic
//! ```
//! Two bytes on the wire can become a value of a hundred in memory, and a few kilobytes a gibibyte, so neither the size
//! of a message nor the number of connections says how much memory clients can take. What a message weighs is held
//! until the answer is out; that of a stream, while its next messages come.
//!
//! Next: `budget.rs`, `unpack.rs`; the shapes are the protocol's ([`stratigraph_proto::weigh`]).

mod budget;
mod unpack;

pub(crate) use budget::{Budget, Reserved};
pub(crate) use unpack::Packing;

use crate::failure::Failure;
use crate::status::status;
use http_body::{Body as _, Frame, SizeHint};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::error::Error as _;
use std::future::Future as _;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use stratigraph_proto::{Method, Overweight, weigh};
use tokio::time::Sleep;
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::Bytes;

/// What stands before a message: whether it is packed, and its length.
const HEAD: usize = 5;
/// How many messages of a stream are held: those that wait for the thread that takes them, and the one it has.
const HELD_OF_STREAM: usize = 4;
/// The largest message of a service that is not ours.
const FOREIGN_BYTES: usize = 64 << 10;

/// What a message may be.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    /// Its bytes, unpacked.
    pub(crate) message_bytes: usize,
    /// What it may weigh.
    pub(crate) weight: usize,
    /// How long its client may leave it unfinished.
    pub(crate) stall: Duration,
}

/// What the messages of a call weigh, while it is under way.
pub(crate) type Held = Arc<Mutex<VecDeque<Reserved>>>;

/// The body of a request.
pub(crate) struct Intake {
    inner: Body,
    method: Option<&'static Method>,
    packing: Option<Packing>,
    bounds: Bounds,
    /// What came of a message that is not whole.
    arrived: Vec<u8>,
    arriving: Reserved,
    held: Held,
    silence: Option<Pin<Box<Sleep>>>,
    failed: bool,
}

impl Intake {
    /// The body that `inner` is, message by message; the other is to be held until the answer is out.
    pub(crate) fn of(
        inner: Body,
        method: Option<&'static Method>,
        packing: Option<Packing>,
        mut bounds: Bounds,
        budget: &Arc<Budget>,
    ) -> (Self, Held) {
        if method.is_none() {
            bounds.message_bytes = bounds.message_bytes.min(FOREIGN_BYTES);
        }
        let held = Held::default();
        let intake = Self {
            inner,
            method,
            packing,
            bounds,
            arrived: Vec::new(),
            arriving: budget.nothing(),
            held: Arc::clone(&held),
            silence: None,
            failed: false,
        };
        (intake, held)
    }

    /// The next message with its head, unpacked, if it is whole.
    fn message(&mut self) -> Result<Option<Bytes>, Failure> {
        let Some(([packed, length @ ..], rest)) = self.arrived.split_first_chunk::<HEAD>() else {
            return Ok(None);
        };
        let length = u32::from_be_bytes(*length) as usize;
        if length > self.bounds.message_bytes {
            return Err(self.too_large());
        }
        let Some(payload) = rest.get(..length) else {
            return Ok(None);
        };
        let message = match (packed, self.packing) {
            (0, _) => self
                .arrived
                .get(..HEAD + length)
                .unwrap_or_default()
                .to_vec(),
            (1, Some(packing)) => {
                let mut message = vec![0; HEAD];
                let limit = self.bounds.message_bytes;
                if !packing.unpack(payload, limit, &mut message)? {
                    return Err(self.too_large());
                }
                let length = u32::try_from(message.len() - HEAD).unwrap_or(u32::MAX);
                if let Some(head) = message.get_mut(1..HEAD) {
                    head.copy_from_slice(&length.to_be_bytes());
                }
                message
            }
            _ => {
                return Err(Failure::request(
                    "the message",
                    "its frame is none of gRPC's",
                ));
            }
        };
        self.arrived.drain(..HEAD + length);
        self.arriving.set(self.arrived.len())?;
        self.hold(message.get(HEAD..).unwrap_or_default())?;
        Ok(Some(message.into()))
    }

    /// A message that came alone and whole, as most do: it goes on as it came.
    fn whole(&mut self, bytes: &Bytes) -> Result<bool, Failure> {
        let Some(([0, length @ ..], payload)) = bytes.split_first_chunk::<HEAD>() else {
            return Ok(false);
        };
        let length = u32::from_be_bytes(*length) as usize;
        if !self.arrived.is_empty() || length != payload.len() {
            return Ok(false);
        }
        if length > self.bounds.message_bytes {
            return Err(self.too_large());
        }
        self.hold(payload)?;
        Ok(true)
    }

    /// Reserves what a message weighs.
    fn hold(&self, message: &[u8]) -> Result<(), Failure> {
        // Never nothing for something: a message costs a place even if it is empty.
        let weight = self.weight(message)? + HEAD;
        let mut reserved = self.arriving.budget().nothing();
        reserved.set(weight)?;
        let mut held = self.held.lock();
        held.push_back(reserved);
        while held.len() > HELD_OF_STREAM {
            held.pop_front();
        }
        Ok(())
    }

    fn weight(&self, message: &[u8]) -> Result<usize, Failure> {
        let Some(method) = self.method else {
            return Ok(message.len());
        };
        weigh(method, message, self.bounds.weight).map_err(|overweight| match overweight {
            Overweight::TooHeavy => Failure::Limit {
                what: "the memory that a message takes when it is read",
                limit: format!("{} bytes", self.bounds.weight),
                hint: "send fewer values at a time, or raise max_request_memory",
            },
            Overweight::TooDeep => {
                Failure::request("the message", "its values are nested too deeply")
            }
            Overweight::Malformed => {
                Failure::request("the message", "is none that this method takes")
            }
        })
    }

    fn too_large(&self) -> Failure {
        Failure::Limit {
            what: "the size of a message",
            limit: format!("{} bytes", self.bounds.message_bytes),
            hint: "send less at a time, or raise max_request_size (max_bulk_message_size for bulk writes)",
        }
    }

    fn take(&mut self, bytes: &Bytes) -> Result<(), Failure> {
        self.arriving.set(self.arrived.len() + bytes.len())?;
        self.arrived.extend_from_slice(bytes);
        self.silence = None;
        Ok(())
    }

    /// Whether the client has been silent for too long in the middle of a message.
    fn has_stalled(&mut self, context: &mut Context<'_>) -> bool {
        let stall = self.bounds.stall;
        let silence = self
            .silence
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(stall)));
        // Between two messages of a stream its method watches the time.
        silence.as_mut().poll(context).is_ready()
            && (!self.arrived.is_empty() || self.method.is_none_or(|method| !method.client_streams))
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<Option<Frame<Bytes>>, Failure>> {
        loop {
            if let Some(message) = self.message()? {
                return Poll::Ready(Ok(Some(Frame::data(message))));
            }
            let frame = match Pin::new(&mut self.inner).poll_frame(context) {
                Poll::Ready(frame) => frame,
                Poll::Pending if self.has_stalled(context) => {
                    return Poll::Ready(Err(Failure::Unsent {
                        limit: self.bounds.stall,
                    }));
                }
                Poll::Pending => return Poll::Pending,
            };
            match frame {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(bytes) if self.whole(&bytes)? => {
                        self.silence = None;
                        return Poll::Ready(Ok(Some(Frame::data(bytes))));
                    }
                    Ok(bytes) => self.take(&bytes)?,
                    Err(trailers) => return Poll::Ready(Ok(Some(trailers))),
                },
                Some(Err(_)) => return Poll::Ready(Err(Failure::Cancelled)),
                None if self.arrived.is_empty() => return Poll::Ready(Ok(None)),
                None => {
                    return Poll::Ready(Err(Failure::request("the message", "it is cut off")));
                }
            }
        }
    }
}

impl http_body::Body for Intake {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let intake = self.get_mut();
        if intake.failed {
            return Poll::Ready(None);
        }
        intake.poll(context).map(|polled| match polled {
            Ok(frame) => frame.map(Ok),
            Err(failure) => {
                intake.failed = true;
                intake.arrived = Vec::new();
                intake.arriving = intake.arriving.budget().nothing();
                Some(Err(refused(failure)))
            }
        })
    }

    fn is_end_stream(&self) -> bool {
        self.failed || (self.arrived.is_empty() && self.inner.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}

/// The status of a failure, which knows the failure.
fn refused(failure: Failure) -> Status {
    let mut refused = status(&failure);
    refused.set_source(Arc::new(failure));
    refused
}

/// Why the next message of a stream does not come.
pub(crate) fn why_none(status: &Status) -> Failure {
    // The layers between have put our status into errors of their own.
    let mut behind = std::iter::successors(status.source(), |error| (*error).source());
    let failure = behind.find_map(|error| error.downcast_ref::<Failure>());
    failure.cloned().unwrap_or(Failure::Cancelled)
}

#[cfg(test)]
mod tests;
