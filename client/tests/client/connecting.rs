//! Connections: TLS, tokens, several of them, limits.

use crate::fake::{Act, Fake, numbers, summary};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use std::time::Duration;
use stratigraph_client::{Client, Compression, Error, ErrorKind, Tls};
use stratigraph_proto::v1::value::Kind;
use tonic::transport::{Certificate, Identity, ServerTlsConfig};

/// An authority and what it signs.
struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(vec![]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    fn pem(&self) -> String {
        self.0.pem()
    }

    /// A certificate for a name, and its key.
    fn sign(&self, name: &str) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap();
        (certificate.pem(), key.serialize_pem())
    }
}

fn address(fake: &Fake) -> String {
    format!("https://127.0.0.1:{}", fake.address.port())
}

#[tokio::test]
async fn tls_with_the_right_authority_and_name_only() {
    let authority = Authority::new();
    let (certificate, key) = authority.sign("graph.example");
    let tls = ServerTlsConfig::new().identity(Identity::from_pem(certificate, key));
    let fake = Fake::start_with([], Some(tls)).await;
    let connect = |tls: Tls| {
        Client::builder(address(&fake))
            .tls(tls)
            .token("secret")
            .connect()
    };

    let client = connect(Tls::new().ca_pem(authority.pem()).domain("graph.example"));
    client.await.unwrap().query("x").run().await.unwrap();
    assert_eq!(fake.seen()[0].metadata["authorization"], "Bearer secret");

    for wrong in [
        Tls::new().ca_pem(authority.pem()),
        Tls::new()
            .ca_pem(Authority::new().pem())
            .domain("graph.example"),
        Tls::new().domain("graph.example"),
    ] {
        let error = connect(wrong).await.unwrap_err();
        assert!(matches!(&error, Error::Connect { .. }), "{error:?}");
        assert!(error.to_string().contains("certificate"), "{error}");
        assert_eq!(error.kind(), ErrorKind::Unavailable);
    }
}

#[tokio::test]
async fn a_server_may_ask_for_a_certificate() {
    let authority = Authority::new();
    let (certificate, key) = authority.sign("graph.example");
    let tls = ServerTlsConfig::new()
        .identity(Identity::from_pem(certificate, key))
        .client_ca_root(Certificate::from_pem(authority.pem()));
    let fake = Fake::start_with([], Some(tls)).await;
    let trusting = || Tls::new().ca_pem(authority.pem()).domain("graph.example");

    let (certificate, key) = authority.sign("client");
    let known = Client::builder(address(&fake)).tls(trusting().identity_pem(certificate, key));
    known
        .connect()
        .await
        .unwrap()
        .query("x")
        .run()
        .await
        .unwrap();

    let stranger = Client::builder(address(&fake))
        .tls(trusting())
        .connect()
        .await;
    // With TLS 1.3 the server refuses after the handshake.
    let refused = match stranger {
        Ok(client) => client.query("x").read_only().run().await.map(|_| ()),
        Err(error) => Err(error),
    };
    refused.unwrap_err();
    assert_eq!(fake.calls("Query"), 1);
}

#[tokio::test]
async fn files_that_are_not_there_are_named() {
    let error = Tls::new().ca_file("/nowhere/ca.pem").unwrap_err();
    assert!(error.to_string().contains("/nowhere/ca.pem"), "{error}");
    let error = Client::builder("https://localhost:1")
        .tls(Tls::new().ca_pem("no PEM"))
        .connect()
        .await
        .unwrap_err();
    assert!(
        matches!(error, Error::Settings { .. } | Error::Connect { .. }),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_token_does_not_leave_in_the_clear() {
    let far = || Client::builder("http://graph.example:7687").token("secret");
    let error = far().connect_lazy().unwrap_err();
    assert!(
        error.to_string().contains("allow_token_in_clear"),
        "{error}"
    );
    far().allow_token_in_clear().connect_lazy().unwrap();
    for near in ["http://localhost:1", "http://127.0.0.1:1", "http://[::1]:1"] {
        Client::builder(near)
            .token("secret")
            .connect_lazy()
            .unwrap();
    }
    let broken = Client::builder("http://localhost:1")
        .token("two\nlines")
        .connect_lazy();
    assert!(!format!("{broken:?}").contains("two"));
    assert!(!format!("{:?}", far()).contains("secret"));
}

#[tokio::test]
async fn addresses_that_cannot_be_are_refused_with_what_they_should_be() {
    for wrong in [
        "localhost:7687",
        "ftp://localhost:1",
        "http://",
        "",
        "http://a b",
    ] {
        let error = Client::connect(wrong).await.unwrap_err();
        assert!(
            matches!(error, Error::Settings { .. }),
            "{wrong}: {error:?}"
        );
        assert_eq!(error.kind(), ErrorKind::Request);
    }
    let tls_on_http = Client::builder("http://localhost:1")
        .tls(Tls::new())
        .connect_lazy();
    assert!(tls_on_http.unwrap_err().to_string().contains("https"));
}

#[tokio::test]
async fn nobody_there_is_an_error_soon() {
    let fake = Fake::start([]).await;
    let address = fake.address;
    drop(fake);
    let error = Client::builder(format!("http://{address}"))
        .connect_timeout(Duration::from_secs(2))
        .connect()
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Connect { .. }), "{error:?}");
}

#[tokio::test]
async fn calls_take_turns_on_connections() {
    let fake = Fake::start([]).await;
    let client = fake.builder().connections(3).connect().await.unwrap();
    for _ in 0..6 {
        client.query("x").run().await.unwrap();
    }
    assert_eq!(fake.connections(), 3);
    let client = fake.client().await;
    let many: Vec<_> = (0..20)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { client.query("x").run().await })
        })
        .collect();
    for one in many {
        one.await.unwrap().unwrap();
    }
    assert_eq!(fake.connections(), 4);
}

#[tokio::test]
async fn messages_are_compressed_and_bounded_after_it() {
    let long = Kind::StringValue("x".repeat(1 << 20));
    let act = || Act::Rows(vec!["n"], vec![vec![vec![long.clone()]]], summary(1));
    let fake = Fake::start([act(), act(), numbers([1])]).await;
    let client = fake
        .builder()
        .compression(Compression::Gzip)
        .connect()
        .await
        .unwrap();
    let text: String = client.query("x").one().await.unwrap();
    assert_eq!(text.len(), 1 << 20);
    let sent = fake.seen()[0].metadata.clone();
    assert_eq!(
        (&*sent["grpc-encoding"], &*sent["grpc-accept-encoding"]),
        ("gzip", "gzip,identity")
    );

    let narrow = fake
        .builder()
        .compression(Compression::Gzip)
        .max_receive_bytes(1 << 16);
    let narrow = narrow.connect().await.unwrap();
    let error = narrow.query("x").one::<String>().await.unwrap_err();
    assert!(
        matches!(
            error,
            Error::TooLarge {
                setting: "max_receive_bytes",
                ..
            }
        ),
        "{error:?}"
    );
    assert_eq!(error.kind(), ErrorKind::Request);
    assert_eq!(
        narrow.query("x").one::<i64>().await.unwrap(),
        1,
        "the connection still works"
    );

    // The other way it is known that nothing has reached the server.
    let narrow = fake
        .builder()
        .max_send_bytes(1 << 16)
        .connect()
        .await
        .unwrap();
    let long = narrow.query("CREATE ($x)").param("x", "x".repeat(1 << 17));
    let error = long.run().await.unwrap_err();
    assert!(
        matches!(
            error,
            Error::TooLarge {
                setting: "max_send_bytes",
                ..
            }
        ),
        "{error:?}"
    );
}

#[tokio::test]
async fn databases_are_named_in_every_call() {
    let fake = Fake::start([]).await;
    let client = fake.builder().database("library").connect().await.unwrap();
    client.query("x").run().await.unwrap();
    client.database("other").query("x").run().await.unwrap();
    let names: Vec<_> = fake
        .seen()
        .into_iter()
        .map(|seen| seen.query.unwrap().database)
        .collect();
    assert_eq!(names, ["library", "other"]);
    assert_eq!(client.database_name(), "library");
}
