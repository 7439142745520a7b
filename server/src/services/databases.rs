//! `DatabaseService`.

use super::Answer;
use crate::auth::Role;
use crate::caller::Caller;
use crate::databases::{OpenDatabase, bad_name, is_name};
use crate::shared::Shared;
use std::sync::Arc;
use stratigraph_proto::v1;
use stratigraph_proto::v1::database_service_server::DatabaseService;
use tonic::{Request, Response};

/// `DatabaseService`.
pub(crate) struct DatabaseManagement(pub(crate) Arc<Shared>);

impl DatabaseManagement {
    fn described(&self, database: &OpenDatabase) -> v1::DatabaseDescription {
        v1::DatabaseDescription {
            name: database.name.to_string(),
            id: database.engine.id().to_string(),
            is_default: *database.name == *self.0.config.default_database,
        }
    }
}

#[tonic::async_trait]
impl DatabaseService for DatabaseManagement {
    async fn create_database(
        &self,
        request: Request<v1::CreateDatabaseRequest>,
    ) -> Answer<v1::CreateDatabaseResponse> {
        let caller = Caller::of(&request)?;
        let request = request.into_inner();
        caller.require_everywhere()?;
        if !is_name(&request.database) {
            return Err(bad_name("database").into());
        }
        let shared = Arc::clone(&self.0);
        let created = self.0.side.run(move || {
            shared
                .databases
                .create(&request.database, request.if_missing)
        });
        let (database, created) = created.await?;
        Ok(Response::new(v1::CreateDatabaseResponse {
            database: Some(self.described(&database)),
            created,
        }))
    }

    async fn list_databases(
        &self,
        request: Request<v1::ListDatabasesRequest>,
    ) -> Answer<v1::ListDatabasesResponse> {
        let caller = Caller::of(&request)?;
        let all = self.0.databases.all();
        let seen = all
            .iter()
            .filter(|database| caller.require(Role::Read, &database.name).is_ok());
        let databases = seen.map(|database| self.described(database)).collect();
        Ok(Response::new(v1::ListDatabasesResponse { databases }))
    }

    async fn drop_database(
        &self,
        request: Request<v1::DropDatabaseRequest>,
    ) -> Answer<v1::DropDatabaseResponse> {
        let caller = Caller::of(&request)?;
        let request = request.into_inner();
        caller.require_everywhere()?;
        if !is_name(&request.database) {
            return Err(bad_name("database").into());
        }
        let shared = Arc::clone(&self.0);
        let name = request.database.clone();
        let known = self.0.side.run(move || {
            shared.databases.drop_one(&name, || {
                for query in shared.running.of(&name) {
                    query.cancel.cancel();
                }
            })
        });
        let known = known.await?;
        if !known && !request.if_exists {
            return Err(crate::failure::Failure::NoDatabase {
                name: request.database,
            }
            .into());
        }
        Ok(Response::new(v1::DropDatabaseResponse { known }))
    }
}
