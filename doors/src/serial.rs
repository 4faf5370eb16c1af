//! Serial numbers that guests see of disks, the same over every door.

/// The most bytes of a serial number (virtio 1.2, 5.2.6.1).
pub const SERIAL_BYTES: usize = 20;

/// Returns the serial number of the disk `name`: the name, if it fits into [`SERIAL_BYTES`]. A longer one is its first eleven
/// characters, a hyphen and its checksum in eight hexadecimal digits, so that names with one beginning differ.
///
/// Guests find disks by it (`/dev/disk/by-id`), so it depends on the name alone and stays the same for good.
pub fn serial_number(name: &str) -> String {
    if name.len() <= SERIAL_BYTES {
        return name.to_owned();
    }
    let start: String = name.chars().take(SERIAL_BYTES - "-00000000".len()).collect();
    format!("{start}-{:08x}", crc32c::crc32c(name.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_fits_is_the_serial_number() {
        for name in ["a", "web1", &"x".repeat(SERIAL_BYTES)] {
            assert_eq!(serial_number(name), name);
        }
    }

    #[test]
    fn names_that_agree_in_their_first_characters_have_different_serial_numbers() {
        let names =
            ["customer-database-primary-1", "customer-database-primary-2", &"x".repeat(21), &"x".repeat(63)];
        let serials = names.map(serial_number);
        for serial in &serials {
            assert_eq!(serial.len(), SERIAL_BYTES, "{serial}");
        }
        let mut distinct = serials.to_vec();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), names.len(), "{serials:?}");
        // Guests have it in their configuration.
        assert_eq!(serials[0], "customer-da-15b974cc");
    }
}
