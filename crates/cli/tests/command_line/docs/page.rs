//! A page of the documentation and its blocks of code.

use std::path::{Path, PathBuf};

use crate::salsa::repository;

/// A page under `docs/`.
pub struct Page {
    /// Its path there.
    pub name: String,
    pub blocks: Vec<Block>,
}

/// What stands between two fences.
pub struct Block {
    /// The line of its first fence, from 1.
    pub line: usize,
    /// What follows the fence.
    pub language: String,
    /// Whether only empty lines stand between it and the block before.
    pub follows: bool,
    pub text: String,
}

/// Every page, sorted by name.
pub fn pages() -> Vec<Page> {
    let docs = repository("docs");
    let mut paths = Vec::new();
    markdown_files(&docs, &mut paths);
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.strip_prefix(&docs).unwrap().display().to_string();
        let text = std::fs::read_to_string(&path).unwrap();
        let blocks = blocks(&text).unwrap_or_else(|problem| panic!("docs/{name}:{problem}"));
        Page { name, blocks }
    };
    paths.into_iter().map(read).collect()
}

fn markdown_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            markdown_files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
}

/// The blocks of a page, or the line and what is wrong there.
pub fn blocks(page: &str) -> Result<Vec<Block>, String> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut is_open = false;
    let mut follows = false;
    for (line, text) in (1..).zip(page.lines()) {
        let problem = |problem: &str| Err(format!("{line}: {problem}"));
        if !text.trim_start().starts_with("```") {
            if is_open {
                let block = blocks.last_mut().expect("one is open");
                block.text.push_str(text);
                block.text.push('\n');
            } else if !text.trim().is_empty() {
                follows = false;
            }
        } else if is_open {
            if text != "```" {
                return problem("expected three ticks alone to end the block");
            }
            is_open = false;
            follows = true;
        } else {
            let Some(info) = text.strip_prefix("```") else {
                return problem("a block of code is indented, so no test would find it");
            };
            let (language, text) = (info.to_owned(), String::new());
            blocks.push(Block { line, language, follows, text });
            is_open = true;
        }
    }
    if is_open { Err("the last block does not end".to_owned()) } else { Ok(blocks) }
}

#[test]
fn blocks_are_found() {
    let found = blocks("a\n```sh\nls\n```\n\n```text\nb\n```\nc\n```sh\n```\n").unwrap();
    let found: Vec<_> =
        found.iter().map(|block| (block.line, &*block.language, block.follows)).collect();
    assert_eq!(found, [(2, "sh", false), (6, "text", true), (10, "sh", false)]);
    assert!(blocks("- a\n  ```sh\n  ls\n  ```\n").is_err());
    assert!(blocks("```sh\nls\n").is_err());
}
