//! TLS, tokens and certificates of clients, from the command line.

use crate::queries::feed;
use crate::served::Served;
use crate::world::{World, command, run};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use std::fs;
use std::path::{Path, PathBuf};

/// Flags, a statement, a token, and the code and words that come of them.
type Case<'c> = (&'c [&'c str], &'c str, Option<&'c str>, i32, &'c str);

/// Files of an authority and what it has issued for `localhost`.
fn certificates(world: &World) -> [PathBuf; 3] {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    let key = KeyPair::generate().unwrap();
    let issued = params.signed_by(&key, &authority).unwrap();
    let write = |name: &str, text: String| {
        let path = world.path(name);
        fs::write(&path, text).unwrap();
        path
    };
    [
        write("ca.pem", authority.pem()),
        write("one.pem", issued.pem()),
        write("one.key", key.serialize_pem()),
    ]
}

#[test]
fn tls_tokens_and_certificates_of_clients_go_together() {
    let world = World::new();
    let [ca, cert, key] = certificates(&world);
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let (ca, cert, key) = (text(&ca), text(&cert), text(&key));
    let tokens = text(&world.path("tokens.toml"));
    let made = run(&[
        "token",
        "new",
        "--role",
        "read",
        "--database",
        "default",
        "--tokens",
        &tokens,
        "--json",
    ]);
    let token = made.answer("token", &["token"])["token"]
        .as_str()
        .unwrap()
        .to_owned();
    let token_file = text(&world.path("token"));
    fs::write(&token_file, format!("{token}\n")).unwrap();
    let settings = [
        "--tokens",
        &tokens,
        "--tls-certificate",
        &cert,
        "--tls-key",
        &key,
        "--tls-client-ca",
        &ca,
    ];
    let served = Served::start(&world.path("data"), &settings);
    let port = served.place.rsplit(':').next().unwrap();
    let address = format!("grpcs://127.0.0.1:{port}");
    let ask = |flags: &[&str], statement: &str, token: Option<&str>| {
        let mut asked = command(&["query", &address, "--server-name", "localhost"]);
        asked
            .args(flags)
            .arg(statement)
            .env_remove("STRATIGRAPH_TOKEN");
        asked.envs(token.map(|token| ("STRATIGRAPH_TOKEN", token)));
        feed(asked, "")
    };
    let ours = ["--ca", &*ca, "--cert", &*cert, "--key", &*key];
    let with_file = [&ours[..], &["--token-file", &*token_file]].concat();
    assert_eq!(
        ask(&ours, "RETURN 1 AS n", Some(&token))
            .assert_code(0)
            .stdout,
        "{\"n\":1}\n"
    );
    assert_eq!(
        ask(&with_file, "RETURN 2 AS n", None).assert_code(0).stdout,
        "{\"n\":2}\n"
    );
    let cases: [Case<'_>; 5] = [
        (&ours, "RETURN 1", None, 2, "STRATIGRAPH_TOKEN"),
        (&ours, "RETURN 1", Some("stratigraph_wrong"), 2, "token"),
        (&ours, "CREATE (n)", Some(&token), 2, "write"),
        (
            &ours[2..],
            "RETURN 1",
            Some(&token),
            4,
            "cannot connect to grpcs://",
        ),
        (&ours[..2], "RETURN 1", Some(&token), 4, "grpcs://127.0.0.1"),
    ];
    for (flags, statement, with, code, part) in cases {
        let said = ask(flags, statement, with);
        assert!(
            said.assert_code(code).stderr.contains(part) && !said.stderr.contains(&token),
            "{flags:?} {statement}: {}",
            said.stderr
        );
    }
    // Who forgets the s is reminded of it.
    let said = run(&["query", &format!("grpc://127.0.0.1:{port}"), "RETURN 1"]);
    assert!(
        said.code != 0 && said.stderr.contains("grpcs://"),
        "{}",
        said.stderr
    );
}
