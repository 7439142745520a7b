//! TLS: who is let in, and certificates that change while the server runs.

use super::harness::{Fixture, ask, run, until};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use stratigraph_proto::v1::query_service_client::QueryServiceClient;
use stratigraph_server::Config;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};

/// An authority.
struct Authority(CertifiedIssuer<'static, KeyPair>);

/// A certificate and its key, as PEM.
struct Issued {
    certificate: String,
    key: String,
}

impl Authority {
    fn new(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params
            .distinguished_name
            .push(rcgen::DnType::CommonName, name);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    fn pem(&self) -> String {
        self.0.pem()
    }

    fn issue(&self, name: &str, change: impl FnOnce(&mut CertificateParams)) -> Issued {
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        Issued {
            certificate: params.signed_by(&key, &self.0).unwrap().pem(),
            key: key.serialize_pem(),
        }
    }
}

fn put(config: &mut Config, folder: &Path, issued: &Issued) {
    let (certificate, key) = (folder.join("server.pem"), folder.join("server.key"));
    std::fs::write(&certificate, &issued.certificate).unwrap();
    std::fs::write(&key, &issued.key).unwrap();
    config.tls_certificate = Some(certificate);
    config.tls_key = Some(key);
    config.reload_interval = "20ms".parse().unwrap();
}

fn trusting(authority: &Authority) -> ClientTlsConfig {
    ClientTlsConfig::new()
        .ca_certificate(Certificate::from_pem(authority.pem()))
        .domain_name("localhost")
}

async fn connect(
    fixture: &Fixture,
    tls: ClientTlsConfig,
) -> Result<QueryServiceClient<Channel>, tonic::transport::Error> {
    let address = format!("https://localhost:{}", fixture.server.address().port());
    let endpoint = Endpoint::from_shared(address)?.tls_config(tls)?;
    Ok(QueryServiceClient::new(endpoint.connect().await?))
}

/// Whether a statement gets through.
async fn works(fixture: &Fixture, tls: ClientTlsConfig) -> bool {
    match connect(fixture, tls).await {
        Ok(mut client) => run(&mut client, ask("RETURN 1")).await.is_ok(),
        Err(_) => false,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_certificate_that_fits_is_trusted() {
    let (ours, others) = (Authority::new("ours"), Authority::new("others"));
    let fine = ours.issue("localhost", |_| ());
    let fixture = Fixture::start(|config, folder| put(config, folder, &fine)).await;
    assert!(works(&fixture, trusting(&ours)).await);
    assert!(
        !works(&fixture, trusting(&others)).await,
        "another authority"
    );
    assert!(
        !works(&fixture, trusting(&ours).domain_name("elsewhere")).await,
        "another name"
    );
    let plain = Endpoint::from_shared(format!("http://{}", fixture.server.address())).unwrap();
    let got_through = match plain.connect().await {
        Ok(channel) => run(&mut QueryServiceClient::new(channel), ask("RETURN 1"))
            .await
            .is_ok(),
        Err(_) => false,
    };
    assert!(!got_through, "without TLS");
    let expired = ours.issue("localhost", |params| {
        params.not_before = rcgen::date_time_ymd(2000, 1, 1);
        params.not_after = rcgen::date_time_ymd(2001, 1, 1);
    });
    let fixture = Fixture::start(|config, folder| put(config, folder, &expired)).await;
    assert!(!works(&fixture, trusting(&ours)).await, "expired");
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_need_a_certificate_where_the_server_says_so() {
    let (ours, others) = (Authority::new("ours"), Authority::new("others"));
    let server = ours.issue("localhost", |_| ());
    let fixture = Fixture::start(|config, folder| {
        put(config, folder, &server);
        let file = folder.join("ca.pem");
        std::fs::write(&file, ours.pem()).unwrap();
        config.tls_client_ca = Some(file);
    })
    .await;
    let with = |issued: &Issued| {
        trusting(&ours).identity(Identity::from_pem(&issued.certificate, &issued.key))
    };
    assert!(works(&fixture, with(&ours.issue("client", |_| ()))).await);
    assert!(!works(&fixture, trusting(&ours)).await, "no certificate");
    assert!(
        !works(&fixture, with(&others.issue("client", |_| ()))).await,
        "of another authority"
    );
    let expired = ours.issue("client", |params| {
        params.not_before = rcgen::date_time_ymd(2000, 1, 1);
        params.not_after = rcgen::date_time_ymd(2001, 1, 1);
    });
    assert!(!works(&fixture, with(&expired)).await, "expired");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_certificate_serves_the_next_connection_and_the_open_ones_stay() {
    let (old, new) = (Authority::new("old"), Authority::new("new"));
    let issued = old.issue("localhost", |_| ());
    let fixture = Fixture::start(|config, folder| put(config, folder, &issued)).await;
    let mut open = connect(&fixture, trusting(&old)).await.unwrap();
    // Half of a change: the old one stays.
    let issued = new.issue("localhost", |_| ());
    std::fs::write(
        fixture.folder.path().join("server.pem"),
        &issued.certificate,
    )
    .unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(works(&fixture, trusting(&old)).await);
    // Some ask all the time, and none of them loses an answer.
    let is_over = Arc::new(AtomicBool::new(false));
    let mut asking = Vec::new();
    for _ in 0..4 {
        let mut client = connect(&fixture, trusting(&old)).await.unwrap();
        let is_over = Arc::clone(&is_over);
        asking.push(tokio::spawn(async move {
            let mut answers = 0_u64;
            while !is_over.load(Ordering::Relaxed) {
                run(&mut client, ask("RETURN 1")).await.unwrap();
                answers += 1;
            }
            answers
        }));
    }
    std::fs::write(fixture.folder.path().join("server.key"), &issued.key).unwrap();
    until("the new one serves", Duration::from_secs(30), async || {
        works(&fixture, trusting(&new)).await
    })
    .await;
    assert!(!works(&fixture, trusting(&old)).await);
    assert!(
        run(&mut open, ask("RETURN 1")).await.is_ok(),
        "an open connection stays"
    );
    is_over.store(true, Ordering::Relaxed);
    for asking in asking {
        assert!(asking.await.unwrap() > 0);
    }
}

/// The beginning of TLS 1.1 as a client of 2010 says it: 1.2 is the least that there is.
fn hello_of_tls_1_1() -> Vec<u8> {
    let mut hello = vec![3, 2];
    hello.extend([7; 32]);
    // No session; two suites of that time; no compression.
    hello.extend([0, 0, 4, 0x00, 0x2f, 0xc0, 0x13, 1, 0]);
    let length = u8::try_from(hello.len()).unwrap();
    let mut record = vec![0x16, 3, 1, 0, length + 4, 1, 0, 0, length];
    record.extend(hello);
    record
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_speak_tls_is_told_nothing() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let ours = Authority::new("ours");
    let fine = ours.issue("localhost", |_| ());
    let fixture = Fixture::start(|config, folder| {
        put(config, folder, &fine);
        config.handshake_limit = "2s".parse().unwrap();
    })
    .await;
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".to_vec();
    let get = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".to_vec();
    for (what, sent) in [
        ("HTTP/2", preface),
        ("HTTP/1", get),
        ("TLS 1.1", hello_of_tls_1_1()),
        ("nothing", Vec::new()),
    ] {
        let mut stream = tokio::net::TcpStream::connect(fixture.server.address())
            .await
            .unwrap();
        stream.write_all(&sent).await.unwrap();
        let mut told = Vec::new();
        let read = stream.read_to_end(&mut told);
        // How it ends is not asked: it may well be reset.
        let _ = tokio::time::timeout(Duration::from_secs(30), read)
            .await
            .unwrap();
        // An alert is all that may be said in the clear.
        assert!(
            told.is_empty() || (told[0] == 0x15 && told.len() == 7),
            "{what}: {told:?}"
        );
    }
    assert!(works(&fixture, trusting(&ours)).await);
}
