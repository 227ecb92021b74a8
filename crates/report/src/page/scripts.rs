//! The scripts and styles of the page, each file one thing.
//!
//! The scripts are modules, and tools check them as such; a page in one file has no addresses that
//! modules could import each other from. So they are put one after the other, what is imported
//! first, without the lines that say so. Names at their top level are different in all of them.

/// Scripts, each after those it imports.
pub static SCRIPTS: &[(&str, &str)] = &[
    ("dom.js", include_str!("script/dom.js")),
    ("words.js", include_str!("script/words.js")),
    ("theme.js", include_str!("script/theme.js")),
    ("overview.js", include_str!("script/overview.js")),
    ("tables.js", include_str!("script/tables.js")),
    ("scale.js", include_str!("script/scale.js")),
    ("looks.js", include_str!("script/looks.js")),
    ("chart.js", include_str!("script/chart.js")),
    ("accuracy.js", include_str!("script/accuracy.js")),
    ("curves.js", include_str!("script/curves.js")),
    ("scaling.js", include_str!("script/scaling.js")),
    ("tracks.js", include_str!("script/tracks.js")),
    ("scene.js", include_str!("script/scene.js")),
    ("stage.js", include_str!("script/stage.js")),
    ("values.js", include_str!("script/values.js")),
    ("player.js", include_str!("script/player.js")),
    ("live.js", include_str!("script/live.js")),
    ("main.js", include_str!("script/main.js")),
];

/// Styles, in order.
pub static STYLES: &[&str] = &[
    include_str!("style/colours.css"),
    include_str!("style/page.css"),
    include_str!("style/tables.css"),
    include_str!("style/charts.css"),
    include_str!("style/player.css"),
];

/// All scripts as one.
pub fn script() -> String {
    let mut all = String::new();
    for (_, text) in SCRIPTS {
        let mut is_import = false;
        for line in text.lines() {
            is_import |= line.starts_with("import ");
            if !is_import {
                all.push_str(line.strip_prefix("export ").unwrap_or(line));
                all.push('\n');
            }
            is_import &= !line.ends_with(';');
        }
    }
    all
}

/// All styles as one.
pub fn style() -> String {
    STYLES.concat()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn names(text: &str, before: &str) -> Vec<String> {
        let lines = text.lines().map(|line| line.strip_prefix("export ").unwrap_or(line));
        let rest = lines.filter_map(|line| line.strip_prefix(before));
        let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
        rest.map(|rest| rest.chars().take_while(|&letter| is_name(letter)).collect()).collect()
    }

    #[test]
    fn every_file_is_listed_after_what_it_imports() {
        let mut before: BTreeSet<&str> = BTreeSet::new();
        for (name, text) in SCRIPTS {
            for part in text.split("from \"./").skip(1) {
                let imported = part.split('"').next().unwrap();
                assert!(before.contains(imported), "{name} imports {imported}");
            }
            before.insert(name);
        }
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/page/script");
        let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name());
        let files: BTreeSet<String> = files.map(|file| file.into_string().unwrap()).collect();
        let listed: BTreeSet<String> = SCRIPTS.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(files, listed);
    }

    #[test]
    fn no_two_files_use_the_same_name() {
        let mut seen = BTreeSet::new();
        for (file, text) in SCRIPTS {
            for before in ["function ", "const ", "let ", "class "] {
                for name in names(text, before) {
                    assert!(seen.insert(name.clone()), "{name} of {file} is there already");
                }
            }
        }
        assert!(seen.len() > 20);
    }

    #[test]
    fn nothing_of_modules_is_left() {
        let script = script();
        let is_left = |line: &&str| line.starts_with("import ") || line.starts_with("export ");
        assert_eq!(script.lines().find(is_left), None);
        assert!(!script.contains("</script"));
    }
}
