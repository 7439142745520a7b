//! Indexes, constraints and hierarchies: declaring, dropping and showing them.
//!
//! `describe.rs` has what they are, `convert.rs` what the protocol calls them.

mod convert;
mod describe;

pub use describe::{
    Constraint, ConstraintDescription, ConstraintKind, Hierarchy, HierarchyDescription, Index,
    IndexDescription, IndexKind, SchemaDescription, SchemaState, Target, VectorMetric,
};

use crate::Error;
use crate::call::unary;
use crate::client::Client;
use crate::error::Safety;
use crate::made::Make;
use stratigraph_proto::v1;

/// The indexes, constraints and hierarchies of a database.
///
/// ```no_run
/// # async fn example(client: stratigraph_client::Client) -> Result<(), stratigraph_client::Error> {
/// use stratigraph_client::{Index, Target, VectorMetric};
///
/// let schema = client.schema().if_missing();
/// schema.create_index(Index::values(Target::label("Person"), ["name"])).await?;
/// schema
///     .create_index(
///         Index::vectors(Target::label("Chunk"), "embedding", 384)
///             .named("chunks")
///             .metric(VectorMetric::Cosine),
///     )
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Schema {
    client: Client,
    if_missing: bool,
}

impl Client {
    /// The indexes, constraints and hierarchies of the database.
    #[must_use]
    pub fn schema(&self) -> Schema {
        Schema {
            client: self.clone(),
            if_missing: false,
        }
    }
}

macro_rules! create {
    ($(#[$doc:meta])* $name:ident, $definition:ty, $request:ident, $response:ident) => {
        $(#[$doc])*
        ///
        /// # Errors
        /// [`Error::Refused`], [`Error::OutcomeUnknown`] if the answer did not come, and what [`Error`] has for the network.
        pub async fn $name(&self, definition: $definition) -> Result<String, Error> {
            let request = v1::$request {
                database: self.client.database.to_string(),
                definition: Some(definition.make()),
                if_missing: self.if_missing,
            };
            // Declaring what is there already does nothing, if that will do.
            let safety = if self.if_missing { Safety::Reads } else { Safety::MayWrite };
            let told: v1::$response = unary!(
                &self.client.with_timeout(None),
                safety,
                schema_service_client::SchemaServiceClient,
                $name,
                request
            )?;
            Ok(told.name)
        }
    };
}

macro_rules! remove {
    ($(#[$doc:meta])* $name:ident, $request:ident, $response:ident) => {
        $(#[$doc])*
        ///
        /// # Errors
        /// [`Error::Refused`], [`Error::OutcomeUnknown`] if the answer did not come, and what [`Error`] has for the network.
        pub async fn $name(&self, name: impl Into<String>) -> Result<bool, Error> {
            let request = v1::$request {
                database: self.client.database.to_string(),
                name: name.into(),
                if_exists: true,
            };
            let told: v1::$response = unary!(
                &self.client,
                Safety::MayWrite,
                schema_service_client::SchemaServiceClient,
                $name,
                request
            )?;
            Ok(told.known)
        }
    };
}

impl Schema {
    /// The same, where declaring what is there already will do, and is made again when the connection breaks.
    #[must_use]
    pub fn if_missing(mut self) -> Self {
        self.if_missing = true;
        self
    }

    /// All that is declared.
    ///
    /// # Errors
    /// [`Error::Refused`], and what [`Error`] has for the network.
    pub async fn show(&self) -> Result<SchemaDescription, Error> {
        let request = v1::ShowSchemaRequest {
            database: self.client.database.to_string(),
        };
        let told: v1::ShowSchemaResponse = unary!(
            &self.client,
            Safety::Reads,
            schema_service_client::SchemaServiceClient,
            show_schema,
            request
        )?;
        Ok(told.make())
    }

    create!(
        /// Declares an index and builds it, and gives its name. Returns when it is ready; readers and writers go on meanwhile.
        create_index, Index, CreateIndexRequest, CreateIndexResponse
    );
    create!(
        /// Declares a constraint, if what is there keeps to it, and gives its name.
        create_constraint, Constraint, CreateConstraintRequest, CreateConstraintResponse
    );
    create!(
        /// Declares a relationship type a hierarchy, if what is there has no cycle, and gives its name.
        create_hierarchy, Hierarchy, CreateHierarchyRequest, CreateHierarchyResponse
    );
    remove!(
        /// Drops an index of any kind; whether there was one.
        drop_index, DropIndexRequest, DropIndexResponse
    );
    remove!(
        /// Drops a constraint; whether there was one.
        drop_constraint, DropConstraintRequest, DropConstraintResponse
    );
    remove!(
        /// Drops a hierarchy; whether there was one. Its relationships stay.
        drop_hierarchy, DropHierarchyRequest, DropHierarchyResponse
    );
}
