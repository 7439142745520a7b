//! The body of an answer on its way out, which the end of the server cuts.
//!
//! A stream may have no end of its own (who watches the server's health), or one that its client never reaches. When
//! the stage of [`Ending`] has come that it must not outlive, it ends with a status that says so;
//! what was behind it is dropped, and that cancels its work.

use crate::ending::{Ending, Stage};
use crate::failure::Failure;
use crate::status::status;
use http_body::{Body as _, Frame, SizeHint};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::Bytes;
use tonic::codegen::http::HeaderMap;

/// The body of an answer.
pub(crate) struct Leaving<H> {
    inner: Body,
    /// What it must not outlive. Nobody waits for that before the answer makes somebody wait.
    ending: Arc<Ending>,
    stage: Stage,
    cut: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    /// What the call holds until its answer is out.
    held: Option<H>,
}

impl<H: Send + Unpin + 'static> Leaving<H> {
    /// The body that `inner` is until `stage`.
    pub(crate) fn until(ending: &Arc<Ending>, stage: Stage, inner: Body, held: H) -> Body {
        if inner.is_end_stream() {
            return inner;
        }
        Body::new(Self {
            inner,
            ending: Arc::clone(ending),
            stage,
            cut: None,
            held: Some(held),
        })
    }
}

impl<H: Unpin> http_body::Body for Leaving<H> {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        // What is there goes out first: a watcher hears that the server does not serve any more.
        if let Poll::Ready(frame) = Pin::new(&mut self.inner).poll_frame(context) {
            if frame.is_none() {
                self.held = None;
            }
            return Poll::Ready(frame);
        }
        let Self {
            ending, stage, cut, ..
        } = &mut *self;
        let cut = cut.get_or_insert_with(|| Box::pin(ending.reached(*stage)));
        if cut.as_mut().poll(context).is_pending() {
            return Poll::Pending;
        }
        self.inner = Body::empty();
        self.held = None;
        self.cut = Some(Box::pin(std::future::pending()));
        let mut trailers = HeaderMap::new();
        let told = status(&Failure::ShuttingDown);
        Poll::Ready(Some(
            told.add_header(&mut trailers)
                .map(|()| Frame::trailers(trailers)),
        ))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
