//! Speeds that README.md and docs/library.md have of another page are those of that page.

const README: &str = include_str!("../../../README.md");
const LIBRARY: &str = include_str!("../../../docs/library.md");
const BENCHMARKS: &str = include_str!("../../../docs/benchmarks.md");
const BENCHES: &str = include_str!("../../../benches/README.md");

#[test]
fn speeds_that_are_measured_on_another_page_are_those_of_that_page() {
    let open = measured("growth", "open, and a query", "1,000,000");
    let told = format!("| {:.2} s |", open / 1000.0);
    let opening = row(
        README,
        "[a graph of 1,000,000 nodes](docs/benchmarks.md#how-our-own-operations-grow)",
    );
    assert!(opening.contains(&told), "{opening}: it is {told}");
    let [ours, theirs] =
        ["stratigraph", "hnswlib"].map(|side| measured("measured", "search", side));
    let searching = row(
        README,
        "[a durable database with relationships](docs/benchmarks.md)",
    );
    for told in [
        format!("| {:.0},000 a second |", ours / 1000.0),
        format!("| {:.2} x faster than hnswlib,", ours / theirs),
    ] {
        assert!(searching.contains(&told), "{searching}: it is {told}");
    }
}

#[test]
fn how_much_quicker_the_vector_index_is_stands_on_its_page() {
    let page = section("vector");
    let hnswlib = sentences(page, "| queries at 0.95 beside hnswlib |");
    let diskann = sentences(page, "| at 0.95 beside the best (diskann-sq8) |");
    let searching = row(README, "[the index alone](benches/README.md#vector)");
    let both = |figures: &[Vec<f64>; 2]| span(&figures.concat());
    for told in [
        format!(" {} x faster than hnswlib,", both(&hnswlib)),
        format!(" {} x faster than diskann ", both(&diskann)),
    ] {
        assert!(searching.contains(&told), "{searching}: it is {told}");
    }
    for (peer, [fair, good]) in [("| hnswlib 0.8 |", hnswlib), ("| diskann 0.61,", diskann)] {
        let told = format!("| {} | {} |", span(&fair), span(&good));
        let found = row(LIBRARY, peer);
        assert!(found.contains(&told), "{found}: it is {told}");
    }
}

#[test]
fn how_much_slower_the_server_is_stands_on_its_page() {
    let page = section("server");
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    let between = |before: &str| {
        let (_, rest) = page.split_once(before).unwrap();
        let (figures, _) = rest.split_once("** ").unwrap();
        let figures = figures.split(" to ").map(|figure| figure.parse().unwrap());
        figures.collect::<Vec<f64>>()
    };
    let shares = between("queries at 16 connections **");
    let slower: Vec<f64> = shares.iter().rev().map(|share| 1.0 / share).collect();
    let told = format!(
        "| {} x slower than a bare server of the same messages; {} x,",
        span(&between("p50 **")),
        span(&slower)
    );
    let found = row(README, "[over gRPC](benches/README.md#server)");
    assert!(found.contains(&told), "{found}: it is {told}");
}

#[test]
fn how_much_quicker_hops_are_stands_on_their_page() {
    let hops = row(section("query"), "| 1 hop; 2 hops, counted; 3 hops,");
    let cell = hops.split('|').nth(2).unwrap().trim();
    let [one, two, three] = *cell.split("; ").collect::<Vec<_>>() else {
        panic!("three figures: {hops}");
    };
    let whole = |figure: &str| figure.parse::<f64>().unwrap().round();
    let told = format!(
        "| {}, {} and {three} x faster than Kuzu |",
        whole(one),
        whole(two)
    );
    let found = row(README, "(benches/README.md#query)");
    assert!(found.contains(&told), "{found}: it is {told}");
}

/// The first row of a table of the page that has this.
fn row(page: &'static str, part: &str) -> &'static str {
    let mut rows = page.lines().filter(|line| line.starts_with("| "));
    rows.find(|line| line.contains(part))
        .unwrap_or_else(|| panic!("no row has {part}"))
}

/// What stands under a heading of benches/README.md.
fn section(name: &str) -> &'static str {
    let (_, rest) = BENCHES.split_once(&format!("\n## {name}\n")).unwrap();
    rest.split("\n## ").next().unwrap_or_default()
}

/// The figures of sentences in the row that begins so, and in the one below it.
fn sentences(page: &'static str, begins: &str) -> [Vec<f64>; 2] {
    let mut rows = page.lines().skip_while(|line| !line.starts_with(begins));
    [(); 2].map(|()| {
        let row = rows.next().unwrap_or_else(|| panic!("no row {begins}"));
        let figures = row.split('|').nth(3).unwrap_or_default().split(',');
        let figures = figures.map(|figure| figure.trim().parse().unwrap());
        figures.collect()
    })
}

/// From the least to the greatest, or one figure if they do not differ when they are rounded.
fn span(figures: &[f64]) -> String {
    let least = figures.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = figures.iter().copied().fold(0.0, f64::max);
    let [least, greatest] = [least, greatest].map(|figure| format!("{figure:.1}"));
    match least == greatest {
        true => least,
        false => format!("{least} to {greatest}"),
    }
}

/// The number in the row and the column of these names, of the table between two marks of docs/benchmarks.md.
fn measured(part: &str, row: &str, column: &str) -> f64 {
    let (_, table) = BENCHMARKS
        .split_once(&format!("<!-- {part}: begin -->"))
        .unwrap();
    let (table, _) = table.split_once(&format!("<!-- {part}: end -->")).unwrap();
    let mut lines = table.lines().filter(|line| line.starts_with('|'));
    let cells = |line: &'static str| line.split('|').map(str::trim).collect::<Vec<_>>();
    let place = cells(lines.next().unwrap());
    let place = place.iter().position(|name| *name == column);
    let mut rows = lines.map(cells);
    let found = rows.find(|cells| cells[1] == row);
    let (Some(place), Some(found)) = (place, found) else {
        panic!("docs/benchmarks.md: no {row} of {column} in the table {part}");
    };
    let number = found[place].split(' ').next().unwrap_or_default();
    let number = number.replace(',', "").parse::<f64>();
    number.unwrap_or_else(|_| panic!("{row} of {column}: {}", found[place]))
}
