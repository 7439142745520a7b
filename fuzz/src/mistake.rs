//! What every error of a query must have, whatever the query was.

use stratigraph::{Error, ErrorKind, Phase};

/// The words of an error, after a look at all that is in it.
pub fn of(error: &Error, text: &str) -> String {
    assert_ne!(error.kind(), ErrorKind::Bug, "{text}\n{error}");
    let shown = error.to_string();
    let Error::Query(error) = error else {
        return shown;
    };
    assert!(!error.message().trim().is_empty(), "{text}\n{shown}");
    assert!(
        error.hint().is_none_or(|hint| !hint.trim().is_empty()),
        "{text}\n{shown}"
    );
    let place = error.position();
    assert!(
        place.is_some() || error.phase() == Phase::Runtime,
        "no place:\n{text}\n{shown}"
    );
    if let Some(place) = place {
        let (start, length) = (place.offset as usize, place.length as usize);
        assert!(text.get(start..start + length).is_some(), "{text}\n{shown}");
        assert!(place.line > 0 && place.column > 0);
    }
    let (kind, phase, detail) = (error.error_type(), error.phase(), error.detail());
    format!("{} at {}: {}", kind.name(), phase.name(), detail.name())
}
