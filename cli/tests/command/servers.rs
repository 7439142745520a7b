//! `serve`, `token` and `config`.

use crate::served::{serve, serve_under, terminate};
use crate::world::{World, run};
use std::net::TcpStream;
use std::os::unix::net::UnixDatagram;
use std::process::Stdio;

#[test]
fn a_server_listens_until_it_is_told_to_end() {
    let world = World::new();
    let data = world.path("data");
    let notified = world.path("notify");
    let systemd = UnixDatagram::bind(&notified).unwrap();
    let heard = || {
        let mut told = [0; 64];
        let length = systemd.recv(&mut told).unwrap();
        String::from_utf8_lossy(&told[..length]).into_owned()
    };
    let (server, address) = serve_under(
        &notified,
        &[
            data.to_str().unwrap(),
            "--listen",
            "127.0.0.1:0",
            "--log-format",
            "json",
        ],
        Stdio::piped(),
    );
    assert_eq!(heard(), "READY=1");
    // Somebody who says nothing and does not leave.
    let _silent = TcpStream::connect(&address).unwrap();
    let open = run(&["info", data.join("default").to_str().unwrap()]);
    assert_eq!(open.code, 3, "{}{}", open.stdout, open.stderr);
    assert!(
        open.stderr
            .contains(&format!("`stratigraph repl grpc://{address}`")),
        "{}",
        open.stderr
    );
    terminate(&server);
    assert_eq!(heard(), "STOPPING=1");
    let ended = server.wait_with_output().unwrap();
    let log = String::from_utf8(ended.stderr).unwrap();
    assert!(ended.status.success(), "{log}");
    for line in log.lines() {
        let line: serde_json::Value =
            serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
        assert!(line["level"].is_string());
    }
    run(&["info", data.join("default").to_str().unwrap()]).assert_code(0);
}

#[test]
fn settings_that_do_not_fit_are_told_before_anything_is_opened() {
    let world = World::new();
    let data = world.path("data");
    let said = run(&["serve", data.to_str().unwrap(), "--listen", "0.0.0.0:0"]);
    said.assert_code(2);
    assert!(
        said.stderr.contains("tls_certificate") && said.stderr.contains("tokens"),
        "{}",
        said.stderr
    );
    assert!(!data.exists());
    let file = world.path("settings.toml");
    std::fs::write(&file, "max_rows = 7\n").unwrap();
    let file = file.to_str().unwrap();
    let said = run(&[
        "config",
        "check",
        "--config",
        file,
        "--max-queries",
        "3",
        "--json",
    ]);
    let answer = said.answer("config", &["max_queries", "max_query_time"]);
    assert_eq!(
        (answer["max_rows"].as_str(), answer["max_queries"].as_str()),
        (Some("7"), Some("3"))
    );
    std::fs::write(file, "max_row = 7\n").unwrap();
    let said = run(&["config", "check", "--config", file]);
    said.assert_code(2);
    assert!(said.stderr.contains("unknown field"), "{}", said.stderr);
}

#[test]
fn tokens_are_printed_once_and_kept_as_hashes() {
    let world = World::new();
    let file = world.path("tokens.toml");
    let make = [
        "token",
        "new",
        "--role",
        "read",
        "--database",
        "library",
        "--expires-in",
        "90d",
        "--tokens",
        file.to_str().unwrap(),
        "--json",
    ];
    let said = run(&make);
    let answer = said.answer("token", &["token", "name", "role", "databases", "expires"]);
    let token = answer["token"].as_str().unwrap();
    assert!(
        token.starts_with("stratigraph_") && answer["name"] == "read-library",
        "{answer}"
    );
    let kept = std::fs::read_to_string(&file).unwrap();
    assert!(kept.contains("sha256:") && !kept.contains(token), "{kept}");
    let again = run(&make);
    again.assert_code(2);
    assert!(
        again.stderr.contains("has a token read-library already"),
        "{}",
        again.stderr
    );
    let data = world.path("data");
    let (server, address) = serve(
        &[
            data.to_str().unwrap(),
            "--listen",
            "127.0.0.1:0",
            "--tokens",
            file.to_str().unwrap(),
        ],
        Stdio::piped(),
    );
    TcpStream::connect(&address).unwrap();
    terminate(&server);
    let ended = server.wait_with_output().unwrap();
    assert!(ended.status.success() && !String::from_utf8_lossy(&ended.stderr).contains(token));
}
