//! Functions of the host: called, refused, replaced, and asked about many at once.
//!
//! Next: `searches.rs`.

use super::{database, mistake, one};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use stratigraph::{Database, Detail, Error, HostFunction, ProcedureType, Value};

/// `my.plus(number, [more])`, which adds one if nothing is said.
fn plus(offset: i64) -> HostFunction {
    HostFunction::new("my.plus", ProcedureType::INTEGER)
        .about("A number and another.")
        .takes("number", ProcedureType::INTEGER)
        .takes_with_default("more", ProcedureType::INTEGER.not_null(), 1)
        .run(move |arguments| {
            let sum = arguments.iter().map(Value::as_int).sum::<Option<i64>>();
            Ok(sum.map_or(Value::Null, |sum| Value::from(sum + offset)))
        })
}

#[test]
fn a_function_of_the_host_is_called_like_any_other() {
    let database = database(&["UNWIND range(1, 3) AS n CREATE (:N {n: n})"]);
    database.register_function(plus(0)).unwrap();
    assert_eq!(one(&database, "RETURN MY.Plus(1)"), 2);
    assert_eq!(one(&database, "RETURN my.plus(1, 5) + 1"), 7);
    assert_eq!(
        one(
            &database,
            "MATCH (n:N) WHERE my.plus(n.n) > 2 RETURN sum(my.plus(n.n, 0))"
        ),
        5
    );
    // One that is a group's key is found again.
    let text =
        "MATCH (n:N) RETURN my.plus(n.n) % 2 AS odd, count(*) AS c ORDER BY my.plus(n.n) % 2 DESC";
    let counts: Vec<i64> = { database.query(text, ()).unwrap() }
        .map(|row| row.unwrap().get("c").unwrap())
        .collect();
    assert_eq!(counts, [1, 2]);
    let read = database.read().unwrap();
    assert_eq!(read.query("RETURN my.plus(2)", ()).unwrap().count(), 1);
    let mut txn = database.write().unwrap();
    let set = "MATCH (n:N) SET n.n = my.plus(n.n) RETURN sum(n.n) AS sum";
    let sum: i64 = txn
        .query(set, ())
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .get(0)
        .unwrap();
    assert_eq!(sum, 9);
}

#[test]
fn nodes_come_whole() {
    let database = database(&["CREATE (:Person {name: 'Ada'})"]);
    let name = HostFunction::new("nameOf", ProcedureType::STRING)
        .takes("node", ProcedureType::NODE)
        .run(|arguments| {
            let node = arguments[0].as_node().ok_or("no node")?;
            let label = node.labels().next().ok_or("no label")?;
            let name = node.get("name").and_then(Value::as_str).ok_or("no name")?;
            Ok(format!("{label} {name}").into())
        });
    database.register_function(name).unwrap();
    let mut rows = database
        .query("MATCH (p) RETURN nameOf(p) AS name", ())
        .unwrap();
    let name: String = rows.next().unwrap().unwrap().get("name").unwrap();
    assert_eq!(name, "Person Ada");
}

#[test]
fn mistakes_are_told_with_the_signature() {
    let database = database(&[]);
    let unknown = mistake(&database, "RETURN my.plus(1)");
    assert_eq!(unknown.0, Detail::UnknownFunction);
    database.register_function(plus(0)).unwrap();
    let failing = HostFunction::new("my.fails", ProcedureType::INTEGER.not_null())
        .takes("how", ProcedureType::ANY)
        .run(|arguments| match arguments[0].as_str() {
            Some(how) => Err(how.to_owned()),
            None => Ok(Value::Null),
        });
    database.register_function(failing).unwrap();
    for (text, detail, part) in [
        ("RETURN my.plos(1)", Detail::UnknownFunction, "my.plus"),
        (
            "RETURN my.plus()",
            Detail::InvalidNumberOfArguments,
            "number :: INTEGER",
        ),
        (
            "RETURN my.plus(1, 2, 3)",
            Detail::InvalidNumberOfArguments,
            "takes 1 to 2",
        ),
        (
            "RETURN my.plus('a')",
            Detail::InvalidArgumentType,
            "INTEGER",
        ),
        (
            "WITH {a: 'x'} AS m RETURN my.plus(m.a)",
            Detail::InvalidArgumentType,
            "my.plus(number",
        ),
        (
            "RETURN my.plus(1, null)",
            Detail::InvalidArgumentType,
            "NOT NULL",
        ),
        (
            "RETURN my.fails('so it is')",
            Detail::ProcedureFailed,
            "so it is",
        ),
        ("RETURN my.fails(1)", Detail::ProcedureFailed, "NOT NULL"),
    ] {
        let (found, message, hint) = mistake(&database, text);
        assert_eq!(found, detail, "{text}: {message}");
        assert!(
            message.contains(part) || hint.contains(part),
            "{text}: {message} {hint}"
        );
    }
}

#[test]
fn what_cannot_be_called_is_not_registered() {
    let database = Database::in_memory().unwrap();
    let any = ProcedureType::ANY;
    for (function, part) in [
        (HostFunction::new("toInteger", any), "of the engine"),
        (HostFunction::new("VECTOR.cosine", any), "of the engine"),
        (HostFunction::new("count", any), "of the engine"),
        (HostFunction::new("a b", any), "its name"),
        (
            HostFunction::new("f", any).takes("a", any).takes("a", any),
            "one name",
        ),
        (
            HostFunction::new("f", any).run_batch(|_| Ok(Vec::new())),
            "an argument at least",
        ),
    ] {
        let refused = database.register_function(function).unwrap_err();
        assert!(matches!(refused, Error::BadDeclaration { .. }));
        assert!(refused.to_string().contains(part), "{refused}");
    }
}

#[test]
fn a_function_that_is_registered_again_takes_the_place_of_the_first() {
    let database = database(&[]);
    let before = database.procedures();
    database.register_function(plus(0)).unwrap();
    assert!(before.find_function("my.plus").is_none());
    let prepared = database.prepare("RETURN my.plus(1)").unwrap();
    let run = || -> i64 {
        prepared
            .query(())
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .get(0)
            .unwrap()
    };
    assert_eq!((run(), one(&database, "RETURN my.plus(1)")), (2, 2));
    database.register_function(plus(100)).unwrap();
    assert_eq!((run(), one(&database, "RETURN my.plus(1)")), (102, 102));
    assert!(database.procedures().generation() > before.generation());
}

#[test]
fn functions_of_the_host_are_listed() {
    let database = database(&[]);
    database.register_function(plus(0)).unwrap();
    let text = "SHOW FUNCTIONS YIELD name, signature, description, isBuiltIn WHERE NOT isBuiltIn \
                RETURN name, signature, description";
    let rows: Vec<_> = database
        .query(text, ())
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let [row] = rows.as_slice() else {
        panic!("{} rows", rows.len());
    };
    let (name, signature, about): (String, String, String) = row.to().unwrap();
    assert_eq!(name, "my.plus");
    assert_eq!(
        signature,
        "my.plus(number :: INTEGER, more = 1 :: INTEGER NOT NULL) :: INTEGER"
    );
    assert_eq!(about, "A number and another.");
    let listed = "CALL dbms.functions() YIELD name WHERE name = 'my.plus' RETURN count(*)";
    assert_eq!(one(&database, listed), 1);
}

#[test]
fn a_batch_function_is_asked_about_one_in_an_expression() {
    let database = database(&["UNWIND range(1, 3) AS n CREATE (:N {n: n})"]);
    let calls = Arc::new(AtomicI64::new(0));
    let counted = Arc::clone(&calls);
    let double = HostFunction::new("double", ProcedureType::FLOAT)
        .takes("number", ProcedureType::INTEGER)
        .takes_with_default("times", ProcedureType::INTEGER, 2)
        .run_batch(move |columns| {
            counted.fetch_add(1, Ordering::Relaxed);
            assert_eq!((columns.len(), columns[1].len()), (2, columns[0].len()));
            let rows = columns[0].iter().zip(&columns[1]);
            // Whole numbers are taken for floats, as they are wherever a float is wanted.
            let results = rows.map(|(number, times)| {
                let product = number.as_int().zip(times.as_int()).map(|(a, b)| a * b);
                product.map_or(Value::Null, Value::from)
            });
            Ok(results.collect())
        });
    database.register_function(double).unwrap();
    let mut rows = database
        .query("MATCH (n:N) RETURN sum(double(n.n)) AS sum", ())
        .unwrap();
    let sum: f64 = rows.next().unwrap().unwrap().get(0).unwrap();
    assert_eq!((sum, calls.load(Ordering::Relaxed)), (12.0, 3));
    let short = HostFunction::new("short", ProcedureType::ANY)
        .takes("a", ProcedureType::ANY)
        .run_batch(|_| Ok(Vec::new()));
    database.register_function(short).unwrap();
    let (detail, message, _) = mistake(&database, "RETURN short(1)");
    assert_eq!(detail, Detail::ProcedureFailed);
    assert!(message.contains("0 results for 1 rows"), "{message}");
}
