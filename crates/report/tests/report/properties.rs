//! What is true of any records.

use proptest::prelude::*;
use salsa_report::formats::terminal::{Terminal, terminal};
use salsa_report::formats::{csv, latex, markdown};
use salsa_report::study::Study;
use salsa_report::tables;

use crate::fixture::{elsewhere, entries, entry};

/// Every table in every format as one text.
fn everything(study: &Study) -> String {
    let mut text = csv::figures(study, None).unwrap();
    for kind in tables::ALL {
        let table = (kind.of)(study);
        text += &terminal(&table, Terminal { width: 100, colours: true });
        text += &markdown::markdown(&table);
        text += &latex::fragment(&table);
        text += &csv::figures(study, Some(kind)).unwrap();
    }
    text
}

/// Names with letters that mean something somewhere.
fn names() -> impl Strategy<Value = String> {
    proptest::collection::vec(
        prop_oneof![
            Just('_'),
            Just('|'),
            Just('&'),
            Just('%'),
            Just('$'),
            Just('#'),
            Just('{'),
            Just('}'),
            Just('\\'),
            Just('~'),
            Just('^'),
            Just('<'),
            Just('>'),
            Just('*'),
            Just('`'),
            Just('"'),
            Just(','),
            Just('\n'),
            Just('\u{1b}'),
            Just('β'),
            Just('é'),
            Just('['),
            Just(']'),
            proptest::char::range('a', 'e'),
        ],
        1..12,
    )
    .prop_map(|letters| format!("m{}m", letters.into_iter().collect::<String>()))
}

proptest! {
    #[test]
    fn means_and_deviations_are_those_of_the_seeds(
        values in proptest::collection::vec(0.0..=1.0f64, 1..8),
    ) {
        let seeds = values.iter().zip(1..);
        let records = seeds.map(|(value, seed)| {
            entry(elsewhere("mine", seed, "node_accuracy", &[("er_16", *value)]))
        });
        let study = Study::new(records.collect()).unwrap();
        let summary = study.experiments[0].measured("er_16", "node_accuracy").unwrap().summary;
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        prop_assert!((summary.mean - mean).abs() < 1e-12);
        // By the sum of squares, which the summary does not use.
        let squares = values.iter().map(|value| value * value).sum::<f64>() - n * mean * mean;
        match summary.deviation {
            None => prop_assert_eq!(values.len(), 1),
            Some(deviation) => {
                prop_assert!((deviation.powi(2) * (n - 1.0) - squares).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn any_name_leaves_every_table_in_shape(name in names()) {
        let record = elsewhere(&name, 1, "node_accuracy", &[("er_16", 0.5), ("er_80", 0.25)]);
        let study = Study::new(vec![entry(record)]).unwrap();
        let table = (tables::Kind::named("main").unwrap().of)(&study);

        let text = markdown::markdown(&table);
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
        prop_assert_eq!(rows.len(), 3);
        for row in rows {
            let bars = row.replace("\\\\", "").replace("\\|", "").matches('|').count();
            prop_assert_eq!(bars, 6, "{}", row);
        }

        let text = latex::fragment(&table);
        let row = text.lines().find(|line| line.starts_with("bfs & ")).unwrap();
        prop_assert_eq!(row.replace("\\&", "").matches('&').count(), 4, "{}", row);
        let bare = text.replace("\\{", "").replace("\\}", "");
        prop_assert_eq!(bare.matches('{').count(), bare.matches('}').count());
        prop_assert!(text.is_ascii() || name.contains('é'));

        let text = csv::figures(&study, None).unwrap();
        let mut reader = ::csv::Reader::from_reader(text.as_bytes());
        let rows: Vec<::csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        prop_assert_eq!(rows.len(), 2);
        prop_assert_eq!(&rows[0][1], &name);

        let text = terminal(&table, Terminal { width: 80, colours: false });
        let has_codes = text.contains('\u{1b}');
        prop_assert!(!has_codes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn the_order_of_records_does_not_matter(shuffled in Just(entries()).prop_shuffle()) {
        let (study, expected) = (Study::new(shuffled).unwrap(), crate::fixture::study());
        prop_assert_eq!(everything(&study), everything(&expected));
    }
}
