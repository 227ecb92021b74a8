//! What is written reads back, and what is damaged is refused with an error, never a panic.

use std::io;

use proptest::prelude::*;
use salsa_traces::algorithms::{self, ALL};
use salsa_traces::execution::Randomness;
use salsa_traces::export::binary::{self, BinaryError, Records};
use salsa_traces::export::json_lines::{line, read_case, read_sample};
use salsa_traces::sample::{Sample, Sampler};
use salsa_traces::suite::Suite;
use serde_json::Value;

use crate::wanted::assert_same;

#[test]
fn a_json_line_reads_back_as_the_same_sample() {
    for_every_sample(|sample| {
        let text = String::from_utf8(line(sample, None)).unwrap();
        assert_same(&read_sample(&text, &sample.trajectory.spec).unwrap(), sample);
    });
}

#[test]
fn a_json_line_gives_the_problem_alone() {
    for_every_sample(|sample| {
        let text = String::from_utf8(line(sample, Some("a note"))).unwrap();
        let case = read_case(&text).unwrap();
        assert_eq!(case.note.as_deref(), Some("a note"));
        assert_eq!(case.generator, sample.generator);
        assert_eq!(case.graph, sample.graph);
        assert_eq!(case.inputs, sample.inputs);
    });
}

#[test]
fn a_json_line_holds_no_line_break() {
    for_every_sample(|sample| assert!(!line(sample, Some("two\nlines")).contains(&b'\n')));
}

#[test]
fn a_json_line_names_the_edges_of_the_message_passing_graph() {
    for_every_sample(|sample| {
        let value: Value = serde_json::from_slice(&line(sample, None)).unwrap();
        let ends = |which: usize| -> Vec<u64> {
            value["edge_index"][which].as_array().unwrap().iter().flat_map(Value::as_u64).collect()
        };
        let found: Vec<(u64, u64)> = ends(0).into_iter().zip(ends(1)).collect();
        let expected = sample.graph.entries().map(|(u, v)| (u.into(), v.into()));
        assert_eq!(found, expected.collect::<Vec<_>>());
    });
}

#[test]
fn a_binary_record_reads_back_as_the_same_sample() {
    for_every_sample(|sample| {
        let read: Vec<Sample> =
            Records::new(&file(&[sample])[..]).unwrap().collect::<Result<_, _>>().unwrap();
        assert_eq!(read, std::slice::from_ref(sample));
    });
}

#[test]
fn binary_records_read_back_in_order() {
    let samples: Vec<Sample> = (0..5).map(|index| first("dfs", "train", index, true)).collect();
    let bytes = file(&samples.iter().collect::<Vec<_>>());
    let read: Vec<Sample> = Records::new(&bytes[..]).unwrap().map(Result::unwrap).collect();
    assert_eq!(read, samples);
}

#[test]
fn every_flipped_bit_of_a_binary_file_is_noticed() {
    let bytes = small_file();
    for place in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1 << bit;
            assert!(read_all(&damaged).is_err(), "bit {bit} of byte {place}");
        }
    }
}

#[test]
fn every_replaced_byte_of_a_binary_file_is_noticed() {
    let bytes = small_file();
    for place in 0..bytes.len() {
        for value in [0x00, 0x7f, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[place] = value;
            assert!(damaged == bytes || read_all(&damaged).is_err(), "{value} at byte {place}");
        }
    }
}

#[test]
fn every_end_within_a_binary_record_is_noticed() {
    let bytes = small_file();
    let starts = record_starts(&bytes);
    for len in 0..bytes.len() {
        match starts.iter().position(|&start| start == len) {
            // Between records only the manifest knows how many there should be.
            Some(records) => assert_eq!(read_all(&bytes[..len]).unwrap(), records),
            None => assert!(read_all(&bytes[..len]).is_err(), "{len} bytes"),
        }
    }
}

#[test]
fn damage_is_told_with_the_number_of_its_record() {
    let bytes = small_file();
    let starts = record_starts(&bytes);
    let mut damaged = bytes.clone();
    damaged[starts[1] + 10] ^= 1;
    let message = |bytes: &[u8]| read_all(bytes).unwrap_err().to_string();
    assert_eq!(message(&damaged), "record 1 is damaged: its hash does not match");
    assert_eq!(message(&bytes[..bytes.len() - 1]), "record 1 is cut off");
    let other = "the file does not start with the mark of this format and version";
    assert_eq!(message(b"SALSA\0\x02\0"), other);
    assert_eq!(message(b""), other);
}

#[test]
fn a_length_of_0_is_refused() {
    for hints in [true, false] {
        let sample = first("bfs", "train", 0, hints);
        let mut value: Value = serde_json::from_slice(&line(&sample, None)).unwrap();
        value["length"] = 0.into();
        for (_, hint) in value["hints"].as_object_mut().unwrap() {
            hint["data"] = Value::Array(Vec::new());
        }
        let error = read_sample(&value.to_string(), &sample.trajectory.spec).unwrap_err();
        assert_eq!(error.to_string(), "length: expected at least 1 step, found 0");
    }
}

#[test]
fn a_sample_without_an_input_its_algorithm_needs_is_refused() {
    for (algorithm, input) in [("bfs", "source"), ("mst", "weights"), ("mis", "randomness")] {
        let sample = first(algorithm, "train", 0, true);
        let mut value: Value = serde_json::from_slice(&line(&sample, None)).unwrap();
        value.as_object_mut().unwrap().remove(input).unwrap();
        let text = value.to_string();
        let error = read_sample(&text, &sample.trajectory.spec).unwrap_err();
        assert_eq!(error.to_string(), format!("{input}: {algorithm} needs it"));
    }
}

#[test]
fn a_record_of_a_sample_without_its_source_is_refused() {
    let mut sample = first("bfs", "train", 0, true);
    sample.inputs.source = None;
    let error = read_all(&file(&[&sample])).unwrap_err();
    assert_eq!(error.to_string(), "record 0 holds no sample: source: bfs needs it");
}

#[test]
fn random_values_for_fewer_phases_than_there_are_steps_are_refused() {
    let mut sample = first("mis", "ws_16", 0, true);
    let phases = sample.inputs.randomness.unwrap().phases().to_vec();
    let expected = phases.len();
    sample.inputs.randomness = Some(Randomness::given(phases[1..].to_vec()));
    let problem = format!("expected {expected} phases, found {}", expected - 1);
    let error = read_all(&file(&[&sample])).unwrap_err().to_string();
    assert_eq!(error, format!("record 0 holds no sample: randomness: {problem}"));
}

#[test]
fn bytes_after_the_sample_in_a_record_are_refused() {
    let record = binary::record(&first("bfs", "train", 0, true));
    let mut body = record[4..record.len() - 32].to_vec();
    assert!(binary::decode(&body).is_ok());
    body.push(0);
    assert_eq!(binary::decode(&body).unwrap_err(), "there are 1 bytes after it");
}

#[test]
fn a_pointer_along_no_edge_is_refused() {
    // 0 - 1 - 2
    let bfs = algorithms::find("bfs").unwrap().spec();
    let text = |pi: &str| {
        let pi = format!(r#"{{"pi": {{"data": {pi}}}}}"#);
        format!(
            r#"{{"n": 3, "edges": [[0, 1], [1, 2]], "source": 0, "length": 3,
            "has_hints": false, "hints": {{}}, "outputs": {pi}}}"#
        )
    };
    assert!(read_sample(&text("[0, 0, 1]"), bfs).is_ok());
    let error = read_sample(&text("[0, 0, 0]"), bfs).unwrap_err();
    assert_eq!(error.to_string(), "pi: the values do not fit");
}

#[test]
fn a_source_outside_the_graph_is_refused() {
    let sample = first("bfs", "train", 0, true);
    let mut value: Value = serde_json::from_slice(&line(&sample, None)).unwrap();
    value["source"] = sample.graph.n_nodes().into();
    let error = read_sample(&value.to_string(), &sample.trajectory.spec).unwrap_err();
    let n_nodes = sample.graph.n_nodes();
    assert_eq!(
        error.to_string(),
        format!("source: expected a node below {n_nodes}, found {n_nodes}")
    );
}

proptest! {
    #[test]
    fn a_line_with_other_bytes_never_panics(
        which in any::<(usize, bool)>(),
        changes in prop::collection::vec(any::<(usize, u8, u8)>(), 1..4),
    ) {
        let sample = small_sample(which);
        let mut bytes = line(&sample, None);
        for (place, kind, byte) in changes {
            let place = place % bytes.len();
            match kind % 4 {
                0 => bytes[place] = byte,
                1 => bytes.insert(place, b"0123456789-.eE[]{},:\""[byte as usize % 21]),
                2 => bytes.truncate(place + 1),
                _ => {
                    bytes.remove(place);
                    bytes.push(b' ');
                }
            }
        }
        check_reading(&String::from_utf8_lossy(&bytes), &sample);
    }

    #[test]
    fn a_line_with_other_values_never_panics(
        which in any::<(usize, bool)>(),
        changes in prop::collection::vec(any::<(usize, usize)>(), 1..3),
    ) {
        let sample = small_sample(which);
        let mut value: Value = serde_json::from_slice(&line(&sample, None)).unwrap();
        for (place, other) in changes {
            let n_values = count(&value);
            replace(&mut value, &mut (place % n_values), &others()[other % others().len()]);
        }
        check_reading(&value.to_string(), &sample);
    }
}

/// Reads a line that may be damaged: whatever is accepted must be fit to work with.
fn check_reading(text: &str, sample: &Sample) {
    let _ = read_case(text);
    let Ok(read) = read_sample(text, &sample.trajectory.spec) else { return };
    read.check().unwrap();
    read.content_hash();
    read.hints_hash();
    assert_eq!(read_all(&file(&[&read])).unwrap(), 1);
}

/// Values to put in the place of others.
fn others() -> Vec<Value> {
    let texts = ["null", "true", "0", "1", "2", "-1", "0.5", "1e300", "4294967295", "4294967296"];
    let more = ["18446744073709551615", "[]", "[0]", "[[0, 0]]", "[[]]", "{}", r#""text""#];
    texts.iter().chain(&more).map(|text| serde_json::from_str(text).unwrap()).collect()
}

fn children(value: &mut Value) -> Vec<&mut Value> {
    match value {
        Value::Array(list) => list.iter_mut().collect(),
        Value::Object(map) => map.iter_mut().map(|(_, value)| value).collect(),
        _ => Vec::new(),
    }
}

fn count(value: &Value) -> usize {
    1 + children(&mut value.clone()).iter().map(|child| count(child)).sum::<usize>()
}

/// Puts `other` where the walk through all values comes after `left` steps.
fn replace(value: &mut Value, left: &mut usize, other: &Value) -> bool {
    if *left == 0 {
        *value = other.clone();
        return true;
    }
    *left -= 1;
    children(value).into_iter().any(|child| replace(child, left, other))
}

/// Some samples of every algorithm, with hints and without.
fn for_every_sample(test: impl Fn(&Sample)) {
    for algorithm in ALL {
        for (split, index) in [("train", 0), ("train", 1), ("ws_16", 0), ("delaunay_16", 0)] {
            for hints in [true, false] {
                test(&first(&algorithm.spec().algorithm, split, index, hints));
            }
        }
    }
}

fn first(algorithm: &str, split: &str, index: u64, hints: bool) -> Sample {
    let suite = Suite::named("paper").unwrap();
    let sampler = Sampler::new(&suite, 0, algorithms::find(algorithm).unwrap(), split);
    sampler.unwrap().sample(index, hints).unwrap()
}

/// The first training sample of four nodes.
fn small_sample((algorithm, hints): (usize, bool)) -> Sample {
    let name = &ALL[algorithm % ALL.len()].spec().algorithm;
    (0..).map(|index| first(name, "train", index, hints)).find(|s| s.graph.n_nodes() == 4).unwrap()
}

/// Two small samples of different algorithms, which have values of every kind.
fn small_file() -> Vec<u8> {
    file(&[&small_sample((1, true)), &small_sample((4, true))])
}

fn file(samples: &[&Sample]) -> Vec<u8> {
    let mut bytes = Vec::new();
    binary::write_header(&mut bytes).unwrap();
    samples.iter().for_each(|sample| bytes.extend(binary::record(sample)));
    bytes
}

/// How many records there are, or the first error.
fn read_all(bytes: &[u8]) -> Result<usize, BinaryError> {
    Records::new(io::Cursor::new(bytes))?.try_fold(0, |count, sample| sample.map(|_| count + 1))
}

/// Where each record starts, and where the last one ends.
fn record_starts(bytes: &[u8]) -> Vec<usize> {
    let mut starts = vec![binary::MAGIC.len()];
    while let Some(len) = bytes[starts[starts.len() - 1]..].first_chunk() {
        starts.push(starts[starts.len() - 1] + 4 + u32::from_le_bytes(*len) as usize + 32);
    }
    starts
}
