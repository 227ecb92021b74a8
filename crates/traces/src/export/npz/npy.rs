//! One array in the NPY format, version 1.0: a line of text, then little-endian numbers.
//!
//! Only arrays of one dimension occur. Their header has one form, the one that NumPy writes, so
//! reading is comparing; a parser of Python literals would be the larger part of this format.
//! Format: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>

/// A number that NumPy knows.
pub(super) trait Number: Copy + Sized {
    /// Its type in words.
    const DESCRIPTION: &'static str;

    fn put(self, bytes: &mut Vec<u8>);

    /// The number in the bytes of one.
    fn of(bytes: &[u8]) -> Option<Self>;
}

macro_rules! numbers {
    ($($number:ty: $description:literal,)*) => {$(
        impl Number for $number {
            const DESCRIPTION: &'static str = $description;

            fn put(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }

            fn of(bytes: &[u8]) -> Option<Self> {
                Some(Self::from_le_bytes(bytes.try_into().ok()?))
            }
        }
    )*};
}

numbers! { u8: "|u1", u16: "<u2", u32: "<u4", u64: "<u8", i64: "<i8", f64: "<f8", }

impl Number for bool {
    const DESCRIPTION: &'static str = "|b1";

    fn put(self, bytes: &mut Vec<u8>) {
        bytes.push(self.into());
    }

    fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0] => Some(false),
            [1] => Some(true),
            _ => None,
        }
    }
}

/// The file of an array.
pub(super) fn npy<T: Number>(values: impl ExactSizeIterator<Item = T>) -> Vec<u8> {
    let mut bytes = header::<T>(values.len());
    values.for_each(|value| value.put(&mut bytes));
    bytes
}

/// The array in a file.
pub(super) fn numbers<T: Number>(file: &[u8]) -> Result<Vec<T>, String> {
    let size = size_of::<T>();
    // The length of the header depends on the number of values only through their digits.
    let body = file.len().saturating_sub(header::<T>(0).len());
    let len = body / size;
    let expected = || format!("expected an array of type {:?} and one dimension", T::DESCRIPTION);
    let body = file.strip_prefix(&header::<T>(len)[..]).ok_or_else(expected)?;
    if body.len() != len * size {
        return Err(expected());
    }
    body.chunks_exact(size).map(|bytes| T::of(bytes).ok_or_else(expected)).collect()
}

/// What precedes the values; with it they start at a multiple of 64 bytes.
fn header<T: Number>(len: usize) -> Vec<u8> {
    let (start, description) = (b"\x93NUMPY\x01\x00", T::DESCRIPTION);
    let text = format!("{{'descr': '{description}', 'fortran_order': False, 'shape': ({len},), }}");
    // The length of the text has two bytes of its own, and a line break ends it.
    let padded = (start.len() + 2 + text.len() + 1).next_multiple_of(64);
    let text_len = (padded - start.len() - 2) as u16;
    let mut header = start.to_vec();
    header.extend(text_len.to_le_bytes());
    header.extend(text.as_bytes());
    header.resize(padded - 1, b' ');
    header.push(b'\n');
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_the_one_that_numpy_writes() {
        // numpy.save of numpy.array([7, 8], dtype="<u2").
        let text = "{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }";
        let mut expected = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        expected.extend(format!("{text:117}\n\x07\0\x08\0").bytes());
        assert_eq!(npy([7_u16, 8].into_iter()), expected);
        assert_eq!(numbers::<u16>(&expected), Ok(vec![7, 8]));
    }

    #[test]
    fn arrays_of_any_length_read_back() {
        for len in [0, 1, 9, 10, 99_999, 100_000] {
            let values: Vec<f64> = (0..len).map(f64::from).collect();
            assert_eq!(numbers(&npy(values.iter().copied())), Ok(values));
        }
    }

    #[test]
    fn another_type_or_length_is_refused() {
        let file = npy([1_u32, 2].into_iter());
        numbers::<u64>(&file).unwrap_err();
        numbers::<u32>(&file[..file.len() - 1]).unwrap_err();
        numbers::<u32>(&file[..10]).unwrap_err();
        let no_bool = npy([2_u8].into_iter());
        let text = "{'descr': '|b1', 'fortran_order': False, 'shape': (1,), }";
        let mut bytes = no_bool.clone();
        bytes[10..10 + text.len()].copy_from_slice(text.as_bytes());
        numbers::<bool>(&bytes).unwrap_err();
    }
}
