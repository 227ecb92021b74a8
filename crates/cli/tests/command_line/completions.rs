//! Completions and manual pages come from the same definition as the help texts.

use crate::help::COMMANDS;
use crate::salsa::{folder, names, printed};

#[test]
fn every_shell_completes_every_command() {
    let at = folder();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = printed(at.path(), &format!("completions {shell}"));
        for command in COMMANDS.iter().flat_map(|command| command.split(' ')) {
            assert!(text.contains(command), "{shell}: {command}");
        }
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let at = folder();
    let listed = printed(at.path(), "man --out pages");
    let mut expected: Vec<String> =
        COMMANDS.iter().map(|command| format!("salsa-{}.1", command.replace(' ', "-"))).collect();
    expected.push("salsa.1".to_owned());
    expected.sort();
    assert_eq!(names(&at.path().join("pages")), expected);
    for page in expected {
        assert!(listed.contains(&format!("pages/{page}\n")), "{listed}");
        let text = std::fs::read_to_string(at.path().join("pages").join(&page)).unwrap();
        assert!(text.contains(".SH NAME") && text.contains("Example"), "{page}");
    }
}
