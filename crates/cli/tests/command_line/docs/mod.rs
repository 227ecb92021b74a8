//! Every block of code in the documentation runs, from the first to the last of a page, as a
//! reader would type them, what is shown after a command is what it prints, and pictures are what
//! it draws.
//!
//! Here: blocks of `sh`, with the real binary, in a folder with what the repository has for them;
//! blocks of `toml`, which are files and say their name in their first line; and the outputs that
//! are shown, blocks of `text`. Blocks of `rust` are documentation tests of `salsa-learn`, blocks
//! of `python` run in `python/tests/test_docs.py`, with the commands between them. Programs that a
//! page calls and that a test cannot have are stood in for (`outside`).

mod outside;
mod page;
mod shown;

use std::path::Path;
use std::process::Command;

use crate::salsa::{folder, names, repository, run};
use page::{Block, Page, pages};
use shown::describes;

#[test]
fn every_block_runs_somewhere() {
    let documented = std::fs::read_to_string(repository("crates/learn/src/lib.rs")).unwrap();
    let pages = pages();
    for Page { name, blocks } in &pages {
        let mut before: Option<&Block> = None;
        for block in blocks {
            let at = format!("docs/{name}:{}", block.line);
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
    ["sh", "python"].contains(&block.language.as_str())
}

fn run_commands(Page { name, blocks }: &Page) -> Result<(), String> {
    let at = folder();
    lay_out(at.path());
    let mut printed = None;
    for block in blocks {
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

/// A shell that finds the real binary, and what stands for the world outside.
fn shell(at: &Path) -> Command {
    let programs = at.join(PROGRAMS).display().to_string();
    let path = std::env::var("PATH").unwrap();
    let mut command = Command::new("sh");
    command
        .current_dir(at)
        .env("PATH", format!("{programs}:{path}"))
        .env("PYTHONPATH", programs)
        .env("COLUMNS", "80")
        .env("NO_COLOR", "1")
        .env("LC_ALL", "C");
    command
}

/// Where the programs are that a page may call.
const PROGRAMS: &str = ".programs";

/// The files of the repository that commands are given, and the programs.
fn lay_out(at: &Path) {
    outside::lay_out(&at.join(PROGRAMS));
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
