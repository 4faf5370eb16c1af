//! Numbers of variable length: seven bits a byte, the lowest first, the highest bit set while more follow (LEB128). Differences have their
//! sign in the lowest bit, so that small ones are short in both directions.

/// Maximum length of a number in bytes.
const BYTES_MAX: usize = 10;

/// Appends a number.
pub(crate) fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number off the front; returns `None` if there is none, or one above 2^64.
pub(crate) fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for at in 0..BYTES_MAX {
        let byte = *bytes.get(at)?;
        let part = u64::from(byte & 0x7f);
        if at == BYTES_MAX - 1 && part > 1 {
            return None;
        }
        number |= part << (7 * at);
        if byte & 0x80 == 0 {
            *bytes = &bytes[at + 1..];
            return Some(number);
        }
    }
    None
}

/// Returns the difference from one number to another, modulo 2^64, as a number that is small if they are near.
pub(crate) fn difference(from: u64, to: u64) -> u64 {
    let signed = to.wrapping_sub(from).cast_signed();
    ((signed << 1) ^ (signed >> 63)).cast_unsigned()
}

/// Returns the other number.
pub(crate) fn moved(from: u64, difference: u64) -> u64 {
    let signed = (difference >> 1).cast_signed() ^ -((difference & 1).cast_signed());
    from.wrapping_add(signed.cast_unsigned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn small_numbers_are_short() {
        for (number, length) in [(0, 1), (127, 1), (128, 2), (16383, 2), (16384, 3), (u64::MAX, 10)] {
            let mut bytes = Vec::new();
            put(&mut bytes, number);
            assert_eq!(bytes.len(), length, "{number}");
        }
        assert_eq!([difference(5, 5), difference(5, 4), difference(5, 6)], [0, 1, 2]);
    }

    #[test]
    fn what_is_no_number_is_none() {
        for bytes in
            [&[][..], &[0x80], &[0xff; 10], &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2]]
        {
            assert_eq!(take(&mut &*bytes), None, "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn numbers_and_differences_come_back(number: u64, other: u64, rest: [u8; 2]) {
            let mut bytes = Vec::new();
            put(&mut bytes, number);
            bytes.extend(rest);
            let mut left = &bytes[..];
            prop_assert_eq!(take(&mut left), Some(number));
            prop_assert_eq!(left, &rest[..]);
            prop_assert_eq!(moved(other, difference(other, number)), number);
        }
    }
}
