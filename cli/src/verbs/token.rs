//! `token`: makes tokens for a server.

use crate::failure::Failure;
use crate::output::Reply;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};
use stratigraph_server::auth::{Role, Secret, TokenRecord, add_token};
use stratigraph_server::{Period, ServerError};

const EXAMPLE: &str = "\
The token is printed once and kept nowhere: the file gets its hash. A server that uses the file knows the token within
seconds. Take a token back by removing its part of the file.

Example:
  stratigraph token new --role read --database library --name reports --expires-in 90d --tokens tokens.toml

JSON: token, name, role, databases, expires (seconds since 1970; null if never)";

/// Arguments of `token`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Token {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Make a token and add its hash to a file of tokens
    New(New),
}

#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
struct New {
    /// What it may do: read, write or admin
    #[arg(long)]
    role: Role,
    /// On which database; may be said several times; `*` is all of them and the server
    #[arg(long, required = true)]
    database: Vec<String>,
    /// What logs call it; made of the role and the database if it is not said
    #[arg(long)]
    name: Option<String>,
    /// When it ends, such as 12h or 90d; never if it is not said
    #[arg(long)]
    expires_in: Option<Period>,
    /// The file of tokens, which is made if it is not there
    #[arg(long, env = "STRATIGRAPH_TOKENS")]
    tokens: PathBuf,
}

impl Token {
    /// Makes it.
    ///
    /// # Errors
    /// What keeps it from being added to the file.
    pub(super) fn run(&self) -> Result<Reply, Failure> {
        let What::New(new) = &self.what;
        let secret = Secret::new_token().map_err(|error| Failure::Command(error.to_string()))?;
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let expires = new.expires_in.map(|period| (now + period.0).as_secs());
        let databases = new.database.join(",");
        let name = new
            .name
            .clone()
            .unwrap_or_else(|| format!("{}-{databases}", new.role));
        let record = TokenRecord {
            name: name.clone(),
            hash: secret.hash().to_string(),
            expires,
            roles: new
                .database
                .iter()
                .map(|database| (database.clone(), new.role))
                .collect(),
        };
        add_token(&new.tokens, record)
            .map_err(|error| Failure::Server(ServerError::Tokens(error)))?;
        let mut reply = Reply::new("token");
        reply
            .line(secret.expose())
            .field("token", secret.expose())
            .field("name", name)
            .field("role", new.role.name())
            .field("databases", new.database.clone())
            .field("expires", expires);
        Ok(reply)
    }
}
