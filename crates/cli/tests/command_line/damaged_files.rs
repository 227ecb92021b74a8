//! Files that are malformed, truncated or something else: told by name, line and field.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::mistakes::{mistake, mistake_at};
use crate::salsa::{folder, printed};

#[test]
fn graph_files_are_told_by_file_and_line() {
    let at = folder();
    let write = |name: &str, text: &[u8]| std::fs::write(at.path().join(name), text).unwrap();
    write("nan.txt", b"0 1 nan\n");
    write("negative.txt", b"0 1 2\n1 2 -1\n");
    write("short.gr", b"p sp 3 2\na 1 2 5\n");
    write("empty.mtx", b"");
    write("bytes.graph", b"2 1\n\xff\xfe\n");
    write("open.graphml", b"<graphml><graph>");
    write("graph.xyz", b"0 1\n");
    let dijkstra = |file: &str, line: &str| {
        mistake_at(at.path(), &format!("execute -a dijkstra {file}"), line);
    };
    dijkstra("nan.txt", "nan.txt:1: expected a weight, a finite number, found \"nan\"");
    dijkstra(
        "negative.txt",
        "negative.txt: dijkstra needs weights of at least 0, edge (1, 2) has -1",
    );
    dijkstra("short.gr", "short.gr:2: expected 2 arcs as line 1 declares, found 1");
    dijkstra("empty.mtx", "empty.mtx:1: the file is empty");
    dijkstra("bytes.graph", "bytes.graph:2: expected UTF-8 text, found other bytes");
    dijkstra(
        "open.graphml",
        "open.graphml:1: not well-formed XML: the root node was opened but never closed",
    );
    dijkstra(
        "graph.xyz",
        "graph.xyz: unknown extension, expected one of .txt .edges .el .csv .tsv (edge-list), .gr \
         .col .dimacs (dimacs), .mtx (matrix-market), .graph .metis (metis), .graphml .xml \
         (graphml); or name the format with --graph-format",
    );
    dijkstra("missing.xyz", "missing.xyz: No such file or directory (os error 2)");
    dijkstra(".", ".: expected a file, found a folder");
}

#[test]
fn damaged_files_of_cases_and_samples_are_refused() {
    let at = folder();
    let write = |name: &str, bytes: &[u8]| std::fs::write(at.path().join(name), bytes).unwrap();
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(&b"{\"n\": 1, \"edges\": []}\n".repeat(9)).unwrap();
    let packed = packed.finish().unwrap();
    write("empty.jsonl", b"");
    write("garbage.jsonl", b"\x80\x81\xff\n");
    write("garbage.jsonl.gz", &[0x80; 99]);
    write("garbage.bin", b"\x80\x81\xff\n");
    write("empty.bin", b"");
    write("cut.jsonl.gz", &packed[..packed.len() / 2]);
    let told = |words: &str, line: &str| mistake_at(at.path(), words, line);
    told("execute -a dfs empty.jsonl", "empty.jsonl: there is no case in it");
    told("execute -a dfs garbage.jsonl", "garbage.jsonl:1: expected UTF-8 text, found other bytes");
    told(
        "execute -a dfs garbage.jsonl.gz",
        "garbage.jsonl.gz: invalid gzip header; the file is cut off, damaged or no gzip file",
    );
    told(
        "execute -a dfs cut.jsonl.gz",
        "cut.jsonl.gz: incomplete deflate stream; the file is cut off, damaged or no gzip file",
    );
    for file in ["garbage.bin", "empty.bin"] {
        let line = "the file does not start with the mark of this format and version";
        told(&format!("inspect -a dfs --file {file}"), &format!("{file}: {line}"));
    }
    told(
        "inspect -a dfs --file garbage.jsonl",
        "garbage.jsonl:1: expected UTF-8 text, found other bytes",
    );
    told("inspect -a dfs --file empty.jsonl", "empty.jsonl: there is no sample 0");
    told("inspect -a dfs --file .", ".: Is a directory (os error 21)");
    told("inspect -a dfs --file none.bin", "none.bin: No such file or directory (os error 2)");

    printed(at.path(), "generate -a dfs --samples 2 --out . --file-format bin");
    let name = "paper-dfs-train.bin";
    let good = std::fs::read(at.path().join(name)).unwrap();
    write(name, &good[..good.len() - 1]);
    let last = format!("inspect -a dfs --index 1 --file {name}");
    told(&last, &format!("{name}: it is damaged: its checksum does not match"));
    std::fs::remove_file(at.path().join(format!("{name}.manifest.json"))).unwrap();
    told(&last, &format!("{name}: record 1 is cut off"));
    let mut changed = good.clone();
    changed[good.len() - 40] ^= 1;
    write(name, &changed);
    told(&last, &format!("{name}: record 1 is damaged: its hash does not match"));
}

#[test]
fn files_that_cannot_be_verified_are_told() {
    let at = folder();
    std::fs::write(at.path().join("alone.jsonl"), "{}\n").unwrap();
    std::fs::write(at.path().join("odd.jsonl"), "{}\n").unwrap();
    let told = |words: &str, line: &str| mistake_at(at.path(), words, line);
    told(
        "verify alone.jsonl",
        "alone.jsonl: there is no alone.jsonl.manifest.json beside it, which says what it must \
         hold",
    );
    told("verify .", ".: no file with a manifest is in it");
    told("verify none.jsonl", "none.jsonl.manifest.json: No such file or directory (os error 2)");
    std::fs::write(at.path().join("odd.jsonl.manifest.json"), "{}\n").unwrap();
    told(
        "verify odd.jsonl",
        "odd.jsonl.manifest.json: not a manifest: missing field `code_version` at line 1 column 2",
    );
}

#[test]
fn suite_files_are_told_by_line_and_field() {
    const GOOD: &str = "\
name = \"mine\"
version = 1
convention = \"paper\"
seed = 7
[[split]]
name = \"train\"
samples = 10
generator = \"ws\"
nodes = 16
k = 4
";
    let at = folder();
    let told = |good: &str, bad: &str, line: &str| {
        std::fs::write(at.path().join("mine.toml"), GOOD.replacen(good, bad, 1)).unwrap();
        let line = format!("mine.toml:{line}");
        mistake_at(at.path(), "inspect -a bfs --suite mine.toml", &line);
    };
    told("k = 4", "k = 16", "10: split.k: expected less than the 16 nodes of the ring, found 16");
    told("k = 4", "p = 2", "10: split.p: expected from 0 to 1, found 2");
    told("k = 4", "p = nan", "10: split.p: NaN is not a finite number");
    told(
        "nodes = 16",
        "nodes = 1",
        "9: split.nodes: a sampled graph needs at least 2 nodes, found 1",
    );
    told("samples = 10\n", "", "5: split.samples: missing");
    told(
        "\"paper\"",
        "\"papre\"",
        "3: convention: unknown convention \"papre\", expected \"paper\" or \"release\"",
    );
    told(
        "seed = 7",
        "sead = 7",
        "4: sead: unknown field, there is name, version, summary, convention, seed, split, did \
         you mean \"seed\"?",
    );
    told("version = 1", "version = ", "2: string values must be quoted, expected literal string");
    mistake(
        "inspect -a bfs --suite ./none.toml",
        "./none.toml: No such file or directory (os error 2)",
    );
    mistake("inspect -a bfs --suite ./", "./: Is a directory (os error 21)");
}
