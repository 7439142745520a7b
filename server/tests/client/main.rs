//! The server as it is met by those who use `stratigraph-client`: everything that the client has, over a real socket.

mod data;
mod rag;
mod statements;
mod tables;
mod trust;

use std::net::SocketAddr;
use std::path::Path;
use stratigraph_client::Client;
use stratigraph_server::{Config, Flags, Server};

struct Fixture {
    server: Server,
    _folder: tempfile::TempDir,
}

fn config(folder: &Path) -> Config {
    let mut config = Flags::default().resolve().unwrap();
    config.listen = SocketAddr::from(([127, 0, 0, 1], 0));
    config.backup_dir = Some(folder.join("backups"));
    config.cache_size = "8MiB".parse().unwrap();
    config
}

impl Fixture {
    async fn start(change: impl FnOnce(&mut Config, &Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut config = config(folder.path());
        change(&mut config, folder.path());
        let server = Server::start(&folder.path().join("data"), config)
            .await
            .unwrap();
        Self {
            server,
            _folder: folder,
        }
    }

    async fn client(&self) -> Client {
        Client::connect(format!("http://{}", self.server.address()))
            .await
            .unwrap()
    }
}
