//! Telling systemd how far the process is, if it has asked for that: a datagram to the socket that it names.

use std::ffi::OsStr;
use std::io;
use std::os::unix::net::UnixDatagram;

/// Clients may come.
pub(crate) const READY: &str = "READY=1";
/// It ends.
pub(crate) const STOPPING: &str = "STOPPING=1";

/// Tells it to whoever has started this process and wants to know.
pub(crate) fn notify(state: &str) {
    let Some(socket) = std::env::var_os("NOTIFY_SOCKET") else {
        return;
    };
    if let Err(error) = send(&socket, state) {
        tracing::warn!(%error, state, "systemd could not be told");
    }
}

fn send(socket: &OsStr, state: &str) -> io::Result<()> {
    let from = UnixDatagram::unbound()?;
    // It must not hold us up.
    from.set_nonblocking(true)?;
    #[cfg(target_os = "linux")]
    if let Some(name) = socket.as_encoded_bytes().strip_prefix(b"@") {
        use std::os::linux::net::SocketAddrExt as _;
        let address = std::os::unix::net::SocketAddr::from_abstract_name(name)?;
        return from.send_to_addr(state.as_bytes(), &address).map(drop);
    }
    from.send_to(state.as_bytes(), socket).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_arrives_at_a_socket_with_a_path_and_at_one_without() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let heard = |socket: &UnixDatagram| {
            let mut told = [0; 64];
            let length = socket.recv(&mut told).unwrap();
            String::from_utf8_lossy(&told[..length]).into_owned()
        };
        let socket = UnixDatagram::bind(&path).unwrap();
        send(path.as_os_str(), READY).unwrap();
        assert_eq!(heard(&socket), READY);
        assert!(send(OsStr::new("/nonexistent/socket"), READY).is_err());
        #[cfg(target_os = "linux")]
        {
            use std::os::linux::net::SocketAddrExt as _;
            let name = format!("stratigraph-test-{}", std::process::id());
            let address =
                std::os::unix::net::SocketAddr::from_abstract_name(name.as_bytes()).unwrap();
            let socket = UnixDatagram::bind_addr(&address).unwrap();
            send(OsStr::new(&format!("@{name}")), STOPPING).unwrap();
            assert_eq!(heard(&socket), STOPPING);
        }
    }
}
