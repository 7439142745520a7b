//! The bare server: tonic, the protocol's own messages, and nothing between them.
//!
//! It decodes the request and encodes the answer as ours does. The answers are there already, and are shared, not
//! copied; it has no database, no roles, no limits, no log and no clock. It must never do less than any server of these
//! messages would.

use super::content::Recorded;
use prost::Message as _;
use std::convert::Infallible;
use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use stratigraph_proto::v1::{
    PrepareStatementRequest, PrepareStatementResponse, QueryRequest, QueryResponse,
};
use tonic::body::Body;
use tonic::codec::{Codec, EncodeBuf, Encoder};
use tonic::codegen::http::{Request, Response};
use tonic::server::{Grpc, NamedService, ServerStreamingService, UnaryService};
use tonic::{Status, codegen};
use tonic_prost::ProstCodec;

/// Where one message is answered by one message: the least that a call can be.
pub(super) const UNARY: &str = "/stratigraph.v1.QueryService/BareUnary";

/// The bare server's only service, under the name of ours, so that the same client asks both.
#[derive(Clone)]
pub(super) struct Bare(Arc<Answers>);

struct Answers {
    point: Vec<Arc<QueryResponse>>,
    stream: Vec<Arc<QueryResponse>>,
    scan: Vec<Arc<QueryResponse>>,
    unary: Arc<QueryResponse>,
}

impl Bare {
    pub(super) fn new(recorded: Recorded) -> Self {
        let shared = |messages: Vec<QueryResponse>| messages.into_iter().map(Arc::new).collect();
        let point: Vec<Arc<QueryResponse>> = shared(recorded.point);
        Self(Arc::new(Answers {
            unary: point.get(1).cloned().unwrap_or_default(),
            point,
            stream: shared(recorded.stream),
            scan: shared(recorded.scan),
        }))
    }
}

impl NamedService for Bare {
    const NAME: &'static str = "stratigraph.v1.QueryService";
}

impl codegen::Service<Request<Body>> for Bare {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let method = Method(Arc::clone(&self.0));
        Box::pin(async move {
            Ok(match request.uri().path() {
                UNARY => {
                    Grpc::new(Shared::<QueryRequest>::default())
                        .unary(method, request)
                        .await
                }
                path if path.ends_with("/PrepareStatement") => {
                    let codec =
                        ProstCodec::<PrepareStatementResponse, PrepareStatementRequest>::default();
                    Grpc::new(codec).unary(method, request).await
                }
                _ => {
                    let codec = Shared::<QueryRequest>::default();
                    Grpc::new(codec).server_streaming(method, request).await
                }
            })
        })
    }
}

struct Method(Arc<Answers>);

impl ServerStreamingService<QueryRequest> for Method {
    type Response = Arc<QueryResponse>;
    type ResponseStream = tokio_stream::Iter<Each>;
    type Future = Ready<Result<tonic::Response<Self::ResponseStream>, Status>>;

    fn call(&mut self, request: tonic::Request<QueryRequest>) -> Self::Future {
        let asked = request.get_ref();
        let has = |parameter: &str| asked.parameters.contains_key(parameter);
        let each = Each {
            answers: Arc::clone(&self.0),
            which: match (has("id"), has("rows")) {
                (true, _) => |answers| &answers.point,
                (_, true) => |answers| &answers.stream,
                _ => |answers| &answers.scan,
            },
            next: 0,
        };
        ready(Ok(tonic::Response::new(tokio_stream::iter(each))))
    }
}

impl UnaryService<QueryRequest> for Method {
    type Response = Arc<QueryResponse>;
    type Future = Ready<Result<tonic::Response<Self::Response>, Status>>;

    fn call(&mut self, _: tonic::Request<QueryRequest>) -> Self::Future {
        ready(Ok(tonic::Response::new(Arc::clone(&self.0.unary))))
    }
}

/// Whoever asks both servers prepares at both.
impl UnaryService<PrepareStatementRequest> for Method {
    type Response = PrepareStatementResponse;
    type Future = Ready<Result<tonic::Response<Self::Response>, Status>>;

    fn call(&mut self, _: tonic::Request<PrepareStatementRequest>) -> Self::Future {
        let prepared_id = "a".repeat(22);
        ready(Ok(tonic::Response::new(Self::Response {
            prepared_id,
            ..Self::Response::default()
        })))
    }
}

/// The messages of an answer, one after the other.
struct Each {
    answers: Arc<Answers>,
    which: fn(&Answers) -> &Vec<Arc<QueryResponse>>,
    next: usize,
}

impl Iterator for Each {
    type Item = Result<Arc<QueryResponse>, Status>;

    fn next(&mut self) -> Option<Self::Item> {
        let messages = (self.which)(&self.answers);
        let message = messages.get(self.next).cloned();
        self.next += 1;
        message.map(Ok)
    }
}

/// Messages that are encoded where they are.
#[derive(Default)]
struct Shared<Asked>(std::marker::PhantomData<Asked>);

impl<Asked: prost::Message + Default + 'static> Codec for Shared<Asked> {
    type Encode = Arc<QueryResponse>;
    type Decode = Asked;
    type Encoder = SharedEncoder;
    type Decoder = tonic_prost::ProstDecoder<Asked>;

    fn encoder(&mut self) -> Self::Encoder {
        SharedEncoder
    }

    fn decoder(&mut self) -> Self::Decoder {
        tonic_prost::ProstDecoder::new(tonic::codec::BufferSettings::default())
    }
}

struct SharedEncoder;

impl Encoder for SharedEncoder {
    type Item = Arc<QueryResponse>;
    type Error = Status;

    fn encode(&mut self, item: Self::Item, out: &mut EncodeBuf<'_>) -> Result<(), Status> {
        item.encode(out)
            .map_err(|error| Status::internal(error.to_string()))
    }
}
