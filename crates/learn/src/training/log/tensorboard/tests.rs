//! Event files against a reader that shares nothing with the writer but the specification.

use proptest::prelude::*;

use super::*;

/// CRC-32C bit by bit, reflected polynomial 0x82f63b78.
fn crc32c(bytes: &[u8]) -> u32 {
    let mut crc = !0_u32;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0x82f6_3b78 } else { crc >> 1 };
        }
    }
    !crc
}

fn unmasked(bytes: &[u8]) -> u32 {
    let masked = u32::from_le_bytes(bytes.try_into().unwrap());
    masked.wrapping_sub(0xa282_ead8).rotate_left(15)
}

/// The data of every record, all sums checked.
fn records(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        assert_eq!(unmasked(&bytes[8..12]), crc32c(&bytes[..8]));
        let data = &bytes[12..12 + length];
        assert_eq!(unmasked(&bytes[12 + length..16 + length]), crc32c(data));
        found.push(data);
        bytes = &bytes[16 + length..];
    }
    found
}

#[derive(Debug, PartialEq)]
enum Value<'a> {
    Number(u64),
    Eight([u8; 8]),
    Bytes(&'a [u8]),
    Four([u8; 4]),
}

/// The fields of a protocol buffer: number and value.
fn fields(mut bytes: &[u8]) -> Vec<(u64, Value<'_>)> {
    fn number(bytes: &mut &[u8]) -> u64 {
        let mut value = 0;
        for place in 0.. {
            let (byte, rest) = bytes.split_first().unwrap();
            *bytes = rest;
            value |= u64::from(byte & 0x7f) << (7 * place);
            if byte & 0x80 == 0 {
                break;
            }
        }
        value
    }
    fn take<'a>(bytes: &mut &'a [u8], count: usize) -> &'a [u8] {
        let (taken, rest) = bytes.split_at(count);
        *bytes = rest;
        taken
    }
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let tag = number(&mut bytes);
        let value = match tag & 7 {
            0 => Value::Number(number(&mut bytes)),
            1 => Value::Eight(take(&mut bytes, 8).try_into().unwrap()),
            2 => {
                let length = number(&mut bytes) as usize;
                Value::Bytes(take(&mut bytes, length))
            }
            5 => Value::Four(take(&mut bytes, 4).try_into().unwrap()),
            other => panic!("wire type {other}"),
        };
        found.push((tag >> 3, value));
    }
    found
}

fn bytes<'a>(value: &Value<'a>) -> &'a [u8] {
    match value {
        Value::Bytes(bytes) => bytes,
        other => panic!("{other:?}"),
    }
}

/// What the Python package `tensorboard` 2.21 writes for the same three events.
const GOLDEN: &[u8] = b"\
    \x18\0\0\0\0\0\0\0\xa3\x7fK\"\t\0\0\0\0\0\0\xf8?\x1a\rbrain.Event:2*(dl\
    \x0f\0\0\0\0\0\0\0mS+\t\t\0\0\0\0\0\0\xf8?\x10):\x02\x08\x01\xa6\xac\x35\x3d\
    \x18\0\0\0\0\0\0\0\xa3\x7fK\"\t\0\0\0\0\0\0\x04@\x10\xac\x02*\n\n\x08\n\x01a\x15\0\0\0?\xdf{\xc4\xc1";

#[test]
fn the_bytes_are_those_of_the_reference_writer() {
    let folder = tempfile::tempdir().unwrap();
    let mut events = EventFile::create(folder.path(), 1.5, 41).unwrap();
    events.scalars(2.5, 300, &[("a".to_owned(), 0.5)]).unwrap();
    assert_eq!(std::fs::read(events.path()).unwrap(), GOLDEN);
}

#[test]
fn a_file_says_from_which_step_on_it_counts() {
    let folder = tempfile::tempdir().unwrap();
    let first = EventFile::create(folder.path(), 1.0, 0).unwrap();
    let second = EventFile::create(folder.path(), 1.0, 41).unwrap();
    let names = [&first, &second].map(|events| events.path().file_name().unwrap());
    assert_eq!(names[0], "events.out.tfevents.0000000001.salsa.000");
    assert_eq!(names[1], "events.out.tfevents.0000000001.salsa.001");
    let written = std::fs::read(second.path()).unwrap();
    let start = fields(records(&written)[1]);
    assert_eq!(start[1], (2, Value::Number(41)));
    assert_eq!(start[2].0, 7);
    assert_eq!(fields(bytes(&start[2].1)), [(1, Value::Number(1))]);
}

#[test]
fn a_folder_that_is_not_there_is_told() {
    let told = EventFile::create(Path::new("absent"), 1.0, 0).unwrap_err().to_string();
    assert!(told.starts_with("absent/events.out.tfevents.0000000001.salsa.000: "), "{told}");
}

proptest! {
    #[test]
    fn points_come_back(
        wall_time in any::<f64>(),
        step in 0..=i64::MAX as u64,
        points in proptest::collection::vec((any::<String>(), any::<f32>()), 1..5),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut events = EventFile::create(folder.path(), 0.0, 0).unwrap();
        let given: Vec<(String, f64)> =
            points.iter().map(|(tag, value)| (tag.clone(), f64::from(*value))).collect();
        events.scalars(wall_time, step, &given).unwrap();
        let written = std::fs::read(events.path()).unwrap();
        let event = fields(records(&written)[2]);
        prop_assert_eq!(&event[0], &(1, Value::Eight(wall_time.to_le_bytes())));
        prop_assert_eq!(&event[1], &(2, Value::Number(step)));
        prop_assert_eq!(event[2].0, 5);
        let values = fields(bytes(&event[2].1));
        prop_assert_eq!(values.len(), points.len());
        for ((number, value), (tag, point)) in values.iter().zip(&points) {
            prop_assert_eq!(*number, 1);
            let value = fields(bytes(value));
            prop_assert_eq!(&value[0], &(1, Value::Bytes(tag.as_bytes())));
            prop_assert_eq!(&value[1], &(2, Value::Four(point.to_le_bytes())));
        }
    }
}
