//! What the methods of services need, without a socket: for tests.

use crate::auth::{Authority, Role};
use crate::caller::Caller;
use crate::databases::Databases;
use crate::shared::Shared;
use std::sync::Arc;
use std::time::Instant;
use stratigraph_rag::door::Equipment;

/// What all calls share, over an empty default database.
pub(crate) struct Fixture {
    pub(crate) shared: Arc<Shared>,
    _folder: tempfile::TempDir,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = Arc::new(crate::Flags::default().resolve().unwrap());
        let databases = Databases::open(folder.path(), &config, &Equipment::default()).unwrap();
        let authority = Authority::new(None).unwrap();
        Self {
            shared: Shared::new(config, databases, authority),
            _folder: folder,
        }
    }

    /// A call of somebody who may do everything.
    pub(crate) fn request<T>(&self, message: T) -> tonic::Request<T> {
        let mut request = tonic::Request::new(message);
        let nobody = tonic::codegen::http::HeaderMap::new();
        request.extensions_mut().insert(Caller {
            identity: self
                .shared
                .authority
                .identify(&nobody, std::time::SystemTime::now())
                .unwrap(),
            request_id: "r".into(),
            needs: Some(Role::Read),
            began: Instant::now(),
            deadline: None,
        });
        request
    }
}
