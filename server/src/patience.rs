//! How long the client of a call waits, and when a call that nobody has answered is given up.

use crate::failure::Failure;
use std::time::{Duration, Instant};
use tonic::codegen::http::HeaderMap;

/// How long the client waits: up to eight digits and a unit.
pub(crate) fn grpc_timeout(headers: &HeaderMap) -> Result<Option<Duration>, Failure> {
    let Some(sent) = headers.get("grpc-timeout") else {
        return Ok(None);
    };
    let refused = || {
        Failure::request(
            "grpc-timeout",
            "must be up to 8 digits and one of H, M, S, m, u, n",
        )
    };
    let sent = sent.to_str().map_err(|_| refused())?;
    let unit = sent.chars().last().ok_or_else(refused)?;
    let digits = sent.get(..sent.len() - unit.len_utf8()).unwrap_or_default();
    if digits.is_empty() || digits.len() > 8 || !digits.bytes().all(|one| one.is_ascii_digit()) {
        return Err(refused());
    }
    let number: u64 = digits.parse().map_err(|_| refused())?;
    Ok(Some(match unit {
        'H' => Duration::from_secs(number * 3600),
        'M' => Duration::from_secs(number * 60),
        'S' => Duration::from_secs(number),
        'm' => Duration::from_millis(number),
        'u' => Duration::from_micros(number),
        'n' => Duration::from_nanos(number),
        _ => return Err(refused()),
    }))
}

/// When a call that nobody has answered is given up: a little before its client's time is over. tonic has a timer for
/// that time as well, whose status says nothing of what can be done.
pub(crate) fn last_word(began: Instant, deadline: Instant) -> Instant {
    let patience = deadline.saturating_duration_since(began);
    let earlier = (patience / 10).min(Duration::from_millis(10));
    began + (patience - earlier)
}

/// Waits until then, or for ever.
pub(crate) async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment.into()).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_are_read_as_grpc_writes_them() {
        let read = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("grpc-timeout", text.parse().unwrap());
            grpc_timeout(&headers).ok().flatten()
        };
        assert_eq!(read("250m"), Some(Duration::from_millis(250)));
        assert_eq!(read("3S"), Some(Duration::from_secs(3)));
        assert_eq!(
            read("99999999H"),
            Some(Duration::from_secs(99_999_999 * 3600))
        );
        for text in ["", "S", "5", "5x", "-5S", "123456789S", "1.5S"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn timeouts_have_six_units() {
        let read = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("grpc-timeout", text.parse().unwrap());
            grpc_timeout(&headers).unwrap().unwrap()
        };
        assert_eq!(read("2H"), Duration::from_secs(7_200));
        assert_eq!(read("2M"), Duration::from_secs(120));
        assert_eq!(read("2S"), Duration::from_secs(2));
        assert_eq!(read("2m"), Duration::from_millis(2));
        assert_eq!(read("2u"), Duration::from_micros(2));
        assert_eq!(read("2n"), Duration::from_nanos(2));
    }

    #[test]
    fn the_last_word_comes_shortly_before_the_clients_time_is_over() {
        let began = Instant::now();
        for millis in [1, 50, 3_600_000] {
            let patience = Duration::from_millis(millis);
            let ours = last_word(began, began + patience) - began;
            assert!(
                ours < patience && ours >= patience * 8 / 10,
                "before tonic's timer"
            );
        }
    }
}
