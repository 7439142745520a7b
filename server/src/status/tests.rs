use super::*;
use std::collections::BTreeSet;
use stratigraph::Database;

fn of(error: Error) -> Status {
    status(&Failure::Engine(error))
}

#[test]
fn an_error_of_a_query_says_where_and_what_to_do() {
    let db = Database::in_memory().unwrap();
    let told = of(db.query("MATCH (person)\nRETURN persn", ()).unwrap_err());
    assert_eq!(told.code(), Code::InvalidArgument);
    let details = told.get_error_details();
    let info = details.error_info().unwrap();
    assert_eq!(
        (info.reason.as_str(), info.domain.as_str()),
        ("UndefinedVariable", ERROR_DOMAIN)
    );
    let fact = |name: &str| info.metadata.get(name).map(String::as_str);
    assert_eq!((fact("line"), fact("column")), (Some("2"), Some("8")));
    assert_eq!((fact("offset"), fact("length")), (Some("22"), Some("5")));
    assert_eq!(fact("hint"), Some("did you mean `person`?"));
    assert_eq!(fact("retryable"), Some("false"));
    assert!(details.retry_info().is_none());
}

#[test]
fn what_may_be_tried_again_says_when() {
    let waited = Error::WriterQueueTimeout {
        waited_ms: 5,
        limit_ms: 5,
    };
    let told = of(waited);
    assert_eq!(told.code(), Code::ResourceExhausted);
    let details = told.get_error_details();
    assert!(details.retry_info().unwrap().retry_delay.is_some());
    assert_eq!(details.error_info().unwrap().metadata["retryable"], "true");
    assert_eq!(details.error_info().unwrap().reason, "WriterQueueTimeout");
}

#[test]
fn what_is_partly_committed_may_not_be_tried_again() {
    let partly = Error::PartlyCommitted {
        portions: 3,
        source: Box::new(Error::WriterQueueTimeout {
            waited_ms: 5,
            limit_ms: 5,
        }),
    };
    let told = of(partly);
    assert_eq!(told.code(), Code::Aborted);
    assert!(
        told.message()
            .starts_with("portions that are committed: 3;"),
        "{told}"
    );
    let details = told.get_error_details();
    assert!(details.retry_info().is_none());
    let info = details.error_info().unwrap();
    assert_eq!(info.reason, "PartlyCommitted");
    let fact = |name: &str| info.metadata[name].as_str();
    assert_eq!(
        (fact("portions"), fact("cause"), fact("retryable")),
        ("3", "WriterQueueTimeout", "false")
    );
}

#[test]
fn files_of_the_server_stay_in_its_log() {
    let secret = || std::path::PathBuf::from("/srv/canary/store/000012.sst");
    let errors = [
        Error::PartlyCommitted {
            portions: 1,
            source: Box::new(Error::DiskFull {
                path: secret(),
                free_bytes: 1,
                needed_bytes: 2,
            }),
        },
        Error::Corruption {
            path: secret(),
            what: "a block".to_owned(),
        },
        Error::AlreadyOpen {
            path: secret(),
            holders: Box::default(),
        },
        Error::NotFound { path: secret() },
        Error::NoSuchBackup {
            path: secret(),
            wanted: 3,
        },
        Error::DiskFull {
            path: secret(),
            free_bytes: 1,
            needed_bytes: 2,
        },
    ];
    for error in errors {
        let code = error.code();
        let told = of(error);
        assert!(!format!("{told:?}").contains("canary"), "{told:?}");
        assert_eq!(told.get_error_details().error_info().unwrap().reason, code);
    }
}

#[test]
fn every_code_of_a_query_has_a_status() {
    let all: BTreeSet<&str> = Detail::ALL.iter().map(|detail| detail.name()).collect();
    assert_eq!(all.len(), Detail::ALL.len());
    let db = Database::in_memory().unwrap();
    let told = |text: &str, options: &stratigraph::QueryOptions| {
        let ended = db
            .query_with(text, (), options)
            .and_then(|rows| rows.finish().map(drop));
        of(ended.unwrap_err()).code()
    };
    let usual = stratigraph::QueryOptions::new();
    assert_eq!(told("RETURN", &usual), Code::InvalidArgument);
    assert_eq!(told("RETURN 1 / 0", &usual), Code::InvalidArgument);
    assert_eq!(told("DROP INDEX none", &usual), Code::NotFound);
    assert_eq!(
        told(
            "UNWIND range(1, 9) AS n RETURN n",
            &usual.clone().max_rows(3)
        ),
        Code::ResourceExhausted
    );
    let quick = usual.clone().timeout(Duration::ZERO);
    assert_eq!(
        told("UNWIND range(1, 1000000) AS n RETURN sum(n)", &quick),
        Code::DeadlineExceeded
    );
    let read = db.read().unwrap();
    let refused = read.query("CREATE ()", ()).map(drop).unwrap_err();
    assert_eq!(of(refused).code(), Code::FailedPrecondition);
}

#[test]
fn long_messages_are_cut() {
    let mut long = "ä".repeat(MAX_MESSAGE_BYTES);
    shorten(&mut long);
    assert!(long.len() <= MAX_MESSAGE_BYTES + 3 && long.ends_with("..."));
}
