//! Connections: taken in up to a limit, through TLS if there is some, and counted until they end.

use crate::config::Config;
use crate::ending::Stage;
use crate::shared::Shared;
use crate::tls::Tls;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::Sleep;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tonic::transport::server::Connected;

/// How many handshakes may be done that nobody has taken yet.
const READY: usize = 64;
/// How long to wait before the next try when the system has no more sockets.
const BREATH: Duration = Duration::from_millis(50);

/// A connection.
pub(crate) struct Connection {
    wire: Wire,
    peer: SocketAddr,
    /// Until when the client must have said something: one that is silent from the beginning holds a place for nothing,
    /// and nobody asks it whether it is there before it has spoken HTTP/2.
    silence: Option<Pin<Box<Sleep>>>,
    /// Comes when the server is gone: nobody waits for a client that does not close.
    gone: Pin<Box<dyn Future<Output = ()> + Send>>,
    _place: Place,
}

enum Wire {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

/// One of so many places for connections.
struct Place {
    shared: Arc<Shared>,
    _permit: OwnedSemaphorePermit,
}

impl Place {
    fn gone(&self) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(self.shared.ending.reached(Stage::Gone))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.shared.metrics.disconnected();
    }
}

/// Takes connections in, until nobody wants them any more.
pub(crate) fn take_in(
    listener: TcpListener,
    tls: Option<Arc<Tls>>,
    shared: Arc<Shared>,
) -> mpsc::Receiver<io::Result<Connection>> {
    let (ready, connections) = mpsc::channel(READY);
    tokio::spawn(async move {
        let places = Arc::new(Semaphore::new(shared.config.max_connections as usize));
        let limit = handshake_limit(&shared.config);
        loop {
            let taken = tokio::select! {
                taken = listener.accept() => taken,
                () = ready.closed() => return,
            };
            let (stream, peer) = match taken {
                Ok(taken) => taken,
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be taken in");
                    tokio::time::sleep(BREATH).await;
                    continue;
                }
            };
            // One too many is closed at once: that is the quickest no there is.
            let Ok(permit) = Arc::clone(&places).try_acquire_owned() else {
                shared.metrics.refused_connection();
                tracing::warn!(%peer, "too many connections");
                continue;
            };
            shared.metrics.connected();
            let place = Place {
                shared: Arc::clone(&shared),
                _permit: permit,
            };
            let _ = stream.set_nodelay(true);
            match &tls {
                None => {
                    let connection = Connection {
                        wire: Wire::Plain(stream),
                        peer,
                        silence: Some(Box::pin(tokio::time::sleep(limit))),
                        gone: place.gone(),
                        _place: place,
                    };
                    if ready.send(Ok(connection)).await.is_err() {
                        return;
                    }
                }
                Some(tls) => {
                    let (tls, ready) = (tls.current(), ready.clone());
                    tokio::spawn(agree(tls, stream, peer, place, ready));
                }
            }
        }
    });
    connections
}

/// Agrees on TLS, within a limited time.
async fn agree(
    tls: Arc<rustls::ServerConfig>,
    stream: TcpStream,
    peer: SocketAddr,
    place: Place,
    ready: mpsc::Sender<io::Result<Connection>>,
) {
    let limit = handshake_limit(&place.shared.config);
    let agreed = tokio::time::timeout(limit, TlsAcceptor::from(tls).accept(stream)).await;
    match agreed {
        Ok(Ok(stream)) => {
            let connection = Connection {
                wire: Wire::Tls(Box::new(stream)),
                peer,
                silence: Some(Box::pin(tokio::time::sleep(limit))),
                gone: place.gone(),
                _place: place,
            };
            let _ = ready.send(Ok(connection)).await;
        }
        Ok(Err(error)) => {
            place.shared.metrics.refused_connection();
            tracing::info!(%peer, %error, "no agreement on TLS");
        }
        Err(_) => {
            place.shared.metrics.refused_connection();
            tracing::info!(%peer, "no agreement on TLS in time");
        }
    }
}

fn handshake_limit(config: &Config) -> Duration {
    config.handshake_limit.0
}

impl Connected for Connection {
    type ConnectInfo = SocketAddr;

    fn connect_info(&self) -> SocketAddr {
        self.peer
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let connection = self.get_mut();
        let read = match &mut connection.wire {
            Wire::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Wire::Tls(stream) => Pin::new(stream).poll_read(context, buffer),
        };
        if read.is_pending() && connection.gone.as_mut().poll(context).is_ready() {
            connection.gone = Box::pin(std::future::pending());
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        let Some(silence) = &mut connection.silence else {
            return read;
        };
        if read.is_ready() {
            connection.silence = None;
            return read;
        }
        silence
            .as_mut()
            .poll(context)
            .map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match &mut self.get_mut().wire {
            Wire::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Wire::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match &mut self.get_mut().wire {
            Wire::Plain(stream) => Pin::new(stream).poll_write_vectored(context, slices),
            Wire::Tls(stream) => Pin::new(stream).poll_write_vectored(context, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match &self.wire {
            Wire::Plain(stream) => stream.is_write_vectored(),
            Wire::Tls(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().wire {
            Wire::Plain(stream) => Pin::new(stream).poll_flush(context),
            Wire::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().wire {
            Wire::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Wire::Tls(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
