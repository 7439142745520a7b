//! Calls: how many, and how long each took to its head.

use super::seconds;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use std::time::Duration;
use tonic::Code;

/// What is counted of calls.
pub(super) struct CallMetrics {
    calls: Family<CallLabels, Counter>,
    latency: Family<MethodLabels, Histogram>,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct CallLabels {
    method: &'static str,
    code: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct MethodLabels {
    method: &'static str,
}

impl CallMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let calls = Family::default();
        registry.register("calls", "Calls answered, by method and code", calls.clone());
        let latency = Family::new_with_constructor(seconds as fn() -> Histogram);
        registry.register_with_unit(
            "call_duration",
            "Time to the head of the answer",
            Unit::Seconds,
            latency.clone(),
        );
        Self { calls, latency }
    }

    pub(super) fn answered(&self, method: &'static str, code: Option<Code>, took: Duration) {
        let code = word(code.unwrap_or(Code::Ok));
        self.calls.get_or_create(&CallLabels { method, code }).inc();
        self.latency
            .get_or_create(&MethodLabels { method })
            .observe(took.as_secs_f64());
    }
}

/// What a code is called, without making a text of it for each call.
fn word(code: Code) -> &'static str {
    match code {
        Code::Ok => "Ok",
        Code::Cancelled => "Cancelled",
        Code::Unknown => "Unknown",
        Code::InvalidArgument => "InvalidArgument",
        Code::DeadlineExceeded => "DeadlineExceeded",
        Code::NotFound => "NotFound",
        Code::AlreadyExists => "AlreadyExists",
        Code::PermissionDenied => "PermissionDenied",
        Code::ResourceExhausted => "ResourceExhausted",
        Code::FailedPrecondition => "FailedPrecondition",
        Code::Aborted => "Aborted",
        Code::OutOfRange => "OutOfRange",
        Code::Unimplemented => "Unimplemented",
        Code::Internal => "Internal",
        Code::Unavailable => "Unavailable",
        Code::DataLoss => "DataLoss",
        Code::Unauthenticated => "Unauthenticated",
    }
}
