//! Every block of code in the documentation runs, from the first to the last of a page, as a
//! reader would type them, what is shown after a command is what it prints, and pictures are what
//! it draws.
//!
//! Here: blocks of `sh`, with the real binary, in a folder with what the repository has for them;
//! blocks of `toml`, which are files and say their name in their first line; and the outputs that
//! are shown, blocks of `text`. Blocks of `rust` are documentation tests of `salsa-learn`, blocks
//! of `python` run in `python/tests/test_docs.py`, with the commands between them.

mod page;
mod shown;

use std::path::Path;
use std::process::Command;

use crate::salsa::{folder, names, repository, run};
use page::{Block, Page, pages};
use shown::describes;

/// All that a reader has to take on trust, and why.
const NOT_RUN: &[(&str, &str)] = &[
    ("clusters.md", "submits to Slurm"),
    ("clusters.md", "needs other machines"),
    ("clusters.md", "needs Kubernetes"),
    ("clusters.md", "needs Ray"),
    ("guide/python.md", "installing is tested elsewhere"),
    ("guide/start.md", "installing is tested elsewhere"),
    ("reports.md", "opens a browser, and serves until it is stopped"),
];

#[test]
fn every_block_runs_somewhere() {
    let documented = std::fs::read_to_string(repository("crates/learn/src/lib.rs")).unwrap();
    let pages = pages();
    let mut not_run = Vec::new();
    for Page { name, blocks } in &pages {
        let mut before: Option<&Block> = None;
        for block in blocks {
            let at = format!("docs/{name}:{}", block.line);
            if let Some(reason) = &block.not_run {
                not_run.push((name.as_str(), reason.as_str()));
            }
            match block.language.as_str() {
                "sh" | "python" | "toml" => {}
                "rust" => assert!(
                    documented.contains(&format!("docs/{name}")),
                    "{at}: crates/learn/src/lib.rs does not include this page"
                ),
                // Of Rust no output is captured: a page asserts instead.
                "text" => assert!(
                    block.follows && before.is_some_and(prints),
                    "{at}: text is what a block of sh or python just before it prints"
                ),
                other => panic!("{at}: nothing runs a block of {other:?}"),
            }
            before = Some(block);
        }
    }
    assert_eq!(not_run, NOT_RUN, "what does not run is listed");
}

#[test]
fn the_commands_of_all_pages_run() {
    let pages = pages();
    let failures: Vec<String> = std::thread::scope(|scope| {
        let running: Vec<_> =
            pages.iter().map(|page| scope.spawn(|| run_commands(page).err())).collect();
        running.into_iter().filter_map(|page| page.join().unwrap()).collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

fn prints(block: &Block) -> bool {
    block.not_run.is_none() && ["sh", "python"].contains(&block.language.as_str())
}

fn run_commands(Page { name, blocks }: &Page) -> Result<(), String> {
    let at = folder();
    lay_out(at.path());
    let mut printed = None;
    for block in blocks.iter().filter(|block| block.not_run.is_none()) {
        let fail = |problem: String| Err(format!("docs/{name}:{}: {problem}", block.line));
        match block.language.as_str() {
            "toml" => match block.text.lines().next().and_then(|line| line.strip_prefix("# ")) {
                Some(file) => std::fs::write(at.path().join(file), &block.text).unwrap(),
                None => return fail("expected the name of the file in the first line".to_owned()),
            },
            "sh" => {
                let done = run(shell(at.path()).args(["-euc", &block.text]));
                if done.code != Some(0) {
                    return fail(format!("ends with {:?}\n{}{}", done.code, done.out, done.err));
                }
                printed = Some(done.out);
                continue;
            }
            "text" => {
                if let Some(printed) = printed.take().filter(|out| !describes(&block.text, out)) {
                    return fail(format!("the page shows\n{}\nfound\n{printed}", block.text));
                }
            }
            _ => {}
        }
        printed = None;
    }
    stale_picture(at.path()).map_or(Ok(()), |picture| {
        Err(format!("docs/{name}: docs/images/{picture} is not what the command draws"))
    })
}

/// A picture of the site that a page has drawn anew, and differently.
fn stale_picture(at: &Path) -> Option<String> {
    let images = repository("docs/images");
    names(&images).into_iter().find(|name| {
        let drawn = std::fs::read(at.join(name));
        drawn.is_ok_and(|drawn| drawn != std::fs::read(images.join(name)).unwrap())
    })
}

/// A shell that finds the real binary.
fn shell(at: &Path) -> Command {
    let salsa = Path::new(env!("CARGO_BIN_EXE_salsa")).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    let mut command = Command::new("sh");
    command
        .current_dir(at)
        .env("PATH", format!("{}:{path}", salsa.display()))
        .env("COLUMNS", "80")
        .env("NO_COLOR", "1")
        .env("LC_ALL", "C");
    command
}

/// The files of the repository that commands are given.
fn lay_out(at: &Path) {
    for name in ["examples", "runs", "suites"] {
        copy(&repository(name), &at.join(name));
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}
