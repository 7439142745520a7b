//! Names from outside that look like paths: nothing outside of the server's folders is read, made, changed or removed.

use super::harness::{Fixture, ask, run};
use std::collections::BTreeMap;
use std::path::Path;
use stratigraph::Database;
use stratigraph_proto::v1;
use stratigraph_proto::v1::admin_service_client::AdminServiceClient;
use stratigraph_proto::v1::database_service_client::DatabaseServiceClient;
use stratigraph_proto::v1::query_service_client::QueryServiceClient;
use tonic::{Code, Status};

/// Names that lead elsewhere, if somebody makes a path of them.
fn hostile(outside: &Path) -> Vec<String> {
    let mut names: Vec<String> = [
        "..",
        ".",
        "../outside",
        "../../etc/passwd",
        "/",
        "/etc",
        "/dev/zero",
        "/proc/self/root",
        "a/../../outside",
        "a/b",
        "a\\..\\b",
        "..\\outside",
        "a\0b",
        "\0",
        "default\0/../outside",
        "default/",
        "default/STRATIGRAPH",
        "./default",
        "~",
        "$HOME",
        "%2e%2e%2foutside",
        "..%2foutside",
        "\u{ff0e}\u{ff0e}\u{2215}outside",
        "a\nb",
        "CON",
        ".dropped-default",
        "-rf",
        "*",
        "",
    ]
    .map(str::to_owned)
    .into();
    names.push(outside.display().to_string());
    names.push("a".repeat(100_000));
    names.push("../".repeat(1000) + "etc");
    names
}

/// Every file below a folder with what is in it, but for the server's own folders.
fn tree(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().display().to_string();
            if name == "data" || name == "backups" {
                continue;
            }
            let kind = path.symlink_metadata().unwrap().file_type();
            let content = if kind.is_dir() {
                folders.push(path);
                Vec::new()
            } else if kind.is_symlink() {
                std::fs::read_link(&path)
                    .unwrap()
                    .into_os_string()
                    .into_encoded_bytes()
            } else {
                std::fs::read(&path).unwrap()
            };
            files.insert(name, content);
        }
    }
    files
}

fn code<T>(ended: Result<T, Status>) -> Code {
    ended.map_or_else(|status| status.code(), |_| Code::Ok)
}

#[tokio::test(flavor = "multi_thread")]
async fn names_lead_nowhere() {
    let fixture = Fixture::start(|_, folder| {
        std::fs::create_dir_all(folder.join("outside/deeper")).unwrap();
        std::fs::write(folder.join("outside/deeper/canary"), "alive").unwrap();
        std::fs::write(folder.join("canary"), "alive").unwrap();
    })
    .await;
    let root = fixture.folder.path();
    let before = tree(root);
    assert_eq!(before["outside/deeper/canary"], b"alive");
    let mut databases = DatabaseServiceClient::new(fixture.channel().await);
    let mut admin = AdminServiceClient::new(fixture.channel().await);
    let mut queries = QueryServiceClient::new(fixture.channel().await);
    let backup = v1::BackupDatabaseRequest::default();
    let mut made = admin.backup_database(backup).await.unwrap().into_inner();
    while made.message().await.unwrap().is_some() {}
    for name in hostile(&root.join("outside")) {
        let shown: String = name.chars().take(40).collect();
        let create = v1::CreateDatabaseRequest {
            database: name.clone(),
            if_missing: true,
        };
        assert_ne!(
            code(databases.create_database(create).await),
            Code::Ok,
            "create {shown:?}"
        );
        let restore = v1::RestoreDatabaseRequest {
            new_database: name.clone(),
            ..v1::RestoreDatabaseRequest::default()
        };
        let restored = match admin.restore_database(restore).await {
            Ok(parts) => parts.into_inner().message().await.map(drop),
            Err(status) => Err(status),
        };
        assert_ne!(code(restored), Code::Ok, "restore as {shown:?}");
        let keep = v1::SaveNamedQueryRequest {
            query: Some(v1::NamedQuery {
                name: name.clone(),
                text: "RETURN 1".to_owned(),
                ..v1::NamedQuery::default()
            }),
            ..v1::SaveNamedQueryRequest::default()
        };
        let saved = code(queries.save_named_query(keep).await);
        // These two are names like any other where no path is made of them.
        assert!(
            saved != Code::Ok || matches!(&*name, "CON" | "default"),
            "save {shown:?}: {saved:?}"
        );
        if name.is_empty() {
            // The default database, in what follows.
            continue;
        }
        let drop = v1::DropDatabaseRequest {
            database: name.clone(),
            if_exists: false,
        };
        assert_ne!(
            code(databases.drop_database(drop).await),
            Code::Ok,
            "drop {shown:?}"
        );
        let backup = v1::BackupDatabaseRequest {
            database: name.clone(),
        };
        let backed_up = match admin.backup_database(backup).await {
            Ok(parts) => parts.into_inner().message().await.map(std::mem::drop),
            Err(status) => Err(status),
        };
        assert_ne!(code(backed_up), Code::Ok, "back up {shown:?}");
        let list = v1::ListBackupsRequest {
            database: name.clone(),
        };
        assert_ne!(
            code(admin.list_backups(list).await),
            Code::Ok,
            "backups of {shown:?}"
        );
        let mut query = ask("RETURN 1");
        query.database = name;
        assert_ne!(
            code(run(&mut queries, query).await),
            Code::Ok,
            "query {shown:?}"
        );
    }
    assert_eq!(tree(root), before);
    // The default database, and what is kept beside it.
    for entry in root.join("data").read_dir().unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(name.starts_with("default"), "{name}");
    }
    run(&mut queries, ask("RETURN 1")).await.unwrap();
}

/// What somebody has put into the folder of databases: links, pipes and files are not followed, read or removed.
#[tokio::test(flavor = "multi_thread")]
async fn what_lies_between_the_databases_leads_nowhere() {
    let fixture = Fixture::start(|_, folder| {
        let (data, outside) = (folder.join("data"), folder.join("outside"));
        std::fs::create_dir_all(&data).unwrap();
        std::fs::create_dir_all(&outside).unwrap();
        std::fs::write(outside.join("canary"), "alive").unwrap();
        Database::create(outside.join("database"))
            .unwrap()
            .close()
            .unwrap();
        std::fs::write(data.join("file"), "alive").unwrap();
        std::os::unix::fs::symlink(&outside, data.join("elsewhere")).unwrap();
        std::os::unix::fs::symlink(data.join("nowhere"), data.join("dangling")).unwrap();
        let made = std::process::Command::new("mkfifo")
            .arg(data.join("pipe"))
            .status();
        assert!(made.unwrap().success());
    })
    .await;
    let root = fixture.folder.path();
    let before = tree(root);
    let mut databases = DatabaseServiceClient::new(fixture.channel().await);
    for name in ["file", "elsewhere", "dangling", "pipe"] {
        let create = v1::CreateDatabaseRequest {
            database: name.to_owned(),
            if_missing: true,
        };
        let created = code(databases.create_database(create).await);
        assert_ne!(created, Code::Ok, "create {name}");
        let drop = v1::DropDatabaseRequest {
            database: name.to_owned(),
            if_exists: false,
        };
        assert_ne!(
            code(databases.drop_database(drop).await),
            Code::Ok,
            "drop {name}"
        );
    }
    assert_eq!(tree(root), before);
    for name in ["file", "elsewhere", "dangling", "pipe"] {
        assert!(
            root.join("data").join(name).symlink_metadata().is_ok(),
            "{name} is still there"
        );
    }
    run(&mut fixture.queries().await, ask("RETURN 1"))
        .await
        .unwrap();
}
