use super::*;
use clap::Parser;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    flags: Flags,
}

fn flags(arguments: &[&str]) -> Flags {
    let line = std::iter::once("serve").chain(arguments.iter().copied());
    Line::try_parse_from(line).unwrap().flags
}

fn config(arguments: &[&str]) -> Config {
    flags(arguments).resolve().unwrap()
}

#[test]
fn the_defaults_are_values_and_fit_together() {
    let config = config(&[]);
    assert_eq!(config.check(), []);
    assert_eq!(config.max_request_size, Size(4 << 20));
    assert!(config.listen.ip().is_loopback());
}

#[test]
fn the_unit_for_systemd_says_what_there_is() {
    let unit = include_str!("../../stratigraph.service");
    let entry = |name: &str| {
        let line = unit
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        line.unwrap_or_else(|| panic!("{name} is missing"))
    };
    let words: Vec<&str> = entry("ExecStart").split(' ').collect();
    assert_eq!(words[1..3], ["serve", "/var/lib/stratigraph"]);
    // A flag that does not exist is an error here.
    let flags = flags(&words[3..]);
    assert_eq!(
        flags.config.as_deref(),
        Some(Path::new("/etc/stratigraph.toml"))
    );
    let stop: u64 = entry("TimeoutStopSec").parse().unwrap();
    assert!(stop * 1000 > config(&[]).shutdown_limit.millis());
    assert_eq!((entry("Type"), entry("NoNewPrivileges")), ("notify", "yes"));
    for name in unit.split("STRATIGRAPH_").skip(1) {
        let name = name.split('=').next().unwrap().to_lowercase();
        assert!(
            config(&[]).shown().iter().any(|(known, ..)| *known == name),
            "{name}"
        );
    }
}

#[test]
fn every_setting_has_one_name_everywhere() {
    let help = <Line as clap::CommandFactory>::command()
        .render_long_help()
        .to_string();
    for (name, variable, _) in config(&[]).shown() {
        assert_eq!(variable, format!("STRATIGRAPH_{}", name.to_uppercase()));
        let flag = format!("--{}", name.replace('_', "-"));
        assert!(help.contains(&flag), "{flag}");
        assert!(help.contains(variable), "{variable}");
    }
}

#[test]
fn flags_go_before_the_file_and_the_file_before_the_defaults() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stratigraph.toml");
    std::fs::write(
        &path,
        "max_rows = 5\nmax_queue_wait = \"2s\"\nlog_format = \"json\"\n",
    )
    .unwrap();
    let path = path.to_str().unwrap();
    let both = config(&["--config", path, "--max-rows", "7"]);
    assert_eq!((both.max_rows, both.max_queue_wait.millis()), (7, 2000));
    assert_eq!(both.log_format.to_string(), "json");
    assert_eq!(both.max_queries, 32);
}

#[test]
fn what_the_file_cannot_say_is_refused_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stratigraph.toml");
    for (text, problem) in [
        ("max_row = 5", "unknown field `max_row`"),
        (
            "max_query_memory = \"12\"",
            "`12` is not a whole number with a unit",
        ),
        ("max_rows = ", "line 1"),
    ] {
        std::fs::write(&path, text).unwrap();
        let refused = flags(&["--config", path.to_str().unwrap()])
            .resolve()
            .unwrap_err();
        assert!(refused.to_string().contains(problem), "{refused}");
    }
    let missing = flags(&["--config", "/nonexistent/x.toml"])
        .resolve()
        .unwrap_err();
    assert!(
        matches!(missing, ConfigError::Unreadable { .. }),
        "{missing}"
    );
}

#[test]
fn an_address_that_others_reach_needs_tls_and_tokens_or_words() {
    let told = |arguments: &[&str]| -> Vec<String> {
        config(arguments)
            .check()
            .iter()
            .map(ToString::to_string)
            .collect()
    };
    let found = told(&["--listen", "0.0.0.0:7687"]);
    assert_eq!(found.len(), 2);
    assert!(
        found[0].contains("tls_certificate") && found[1].contains("tokens"),
        "{found:?}"
    );
    assert!(told(&["--listen", "[::]:7687"])[0].contains("insecure_listen_without_tls_and_auth"));
    assert!(told(&["--listen", "[::1]:7687"]).is_empty());
    let words = [
        "--listen",
        "0.0.0.0:7687",
        "--insecure-listen-without-tls-and-auth",
        "true",
    ];
    assert!(told(&words).is_empty());
    // Metrics tell of what is in databases, and there is nothing that could protect them.
    let metrics = ["--metrics-listen", "0.0.0.0:9464"];
    let found = told(&metrics);
    assert!(
        found.len() == 1 && found[0].contains("insecure_metrics_listen"),
        "{found:?}"
    );
    assert!(told(&["--metrics-listen", "127.0.0.1:9464"]).is_empty());
    let words = [&metrics[..], &["--insecure-metrics-listen", "true"]].concat();
    assert!(told(&words).is_empty());
    let of_all = ["--insecure-listen-without-tls-and-auth", "true"];
    assert!(told(&[&metrics[..], &of_all].concat()).is_empty());
}

#[test]
fn limits_that_let_nothing_through_are_found() {
    let found = config(&[
        "--max-queries",
        "0",
        "--max-query-memory",
        "2GiB",
        "--tls-key",
        "/nonexistent",
    ])
    .check();
    let settings: Vec<_> = found.iter().map(|finding| finding.setting).collect();
    assert_eq!(
        settings,
        ["tls_key", "max_query_memory", "tls_key", "max_queries"]
    );
}

#[test]
fn no_limit_lets_nothing_through() {
    let none = [
        ("max_rows", "0"),
        ("max_steps", "0"),
        ("max_search_results", "0"),
        ("max_batch_searches", "0"),
        ("handshake_limit", "0ms"),
        ("keep_alive_timeout", "0ms"),
        ("max_bulk_time", "0ms"),
        ("max_queue_wait", "0ms"),
        ("max_write_queue_wait", "9ms"),
        ("cache_size", "0B"),
        ("vector_index_size", "1MiB"),
        ("write_buffer_size", "1KiB"),
    ];
    for (setting, value) in none {
        let flag = format!("--{}", setting.replace('_', "-"));
        let found = config(&[&flag, value]).check();
        let settings: Vec<_> = found.iter().map(|finding| finding.setting).collect();
        assert_eq!(settings, [setting]);
    }
    // What may be nothing.
    for (setting, value) in [
        ("max_queued", "0"),
        ("shutdown_limit", "0ms"),
        ("slow_query_time", "0ms"),
        ("projection_cache_size", "0MiB"),
    ] {
        let flag = format!("--{}", setting.replace('_', "-"));
        assert_eq!(config(&[&flag, value]).check(), [], "{setting}");
    }
}
