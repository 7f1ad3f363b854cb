//! How much a server may send before we open its windows again (RFC 9113 section 6.9).

use std::fmt;
use std::str::FromStr;

use crate::units::{ByteCount, UnitError};
use crate::wire;

/// The windows that we announce.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Windows {
    /// So wide that they hold no server back: 1 GiB for a stream and 2 GiB for all together.
    #[default]
    Wide,
    /// Those that the protocol starts with: 65,535 bytes each.
    Protocol,
    /// So many bytes, from 1 to 2^31-1: for a stream, and for all together, which cannot have less than 65,535.
    Bytes(u32),
}

/// What every connection and stream starts with.
const FIRST_WINDOW: u32 = 65_535;

impl Windows {
    /// How many bytes a stream and the connection may be sent.
    pub fn bytes(self) -> (u32, u32) {
        let config = self.config();
        (config.stream_window, config.connection_window)
    }

    pub(super) fn config(self) -> wire::Config {
        let wide = wire::Config::default();
        let narrow = |bytes: u32| wire::Config {
            stream_window: bytes,
            connection_window: bytes.max(FIRST_WINDOW),
            ..wire::Config::default()
        };
        match self {
            Windows::Wide => wide,
            Windows::Protocol => narrow(FIRST_WINDOW),
            Windows::Bytes(bytes) => narrow(bytes),
        }
    }
}

/// `wide`, `default`, or a number of bytes.
impl fmt::Display for Windows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Windows::Wide => f.pad("wide"),
            Windows::Protocol => f.pad("default"),
            Windows::Bytes(bytes) => write!(f, "{bytes}"),
        }
    }
}

impl FromStr for Windows {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Windows, UnitError> {
        match text.trim() {
            "wide" => return Ok(Windows::Wide),
            "default" => return Ok(Windows::Protocol),
            _ => {}
        }
        let rule =
            || UnitError::new("windows are `wide`, `default`, or a size from 1 to 2147483647 bytes, such as 1MiB");
        let size: ByteCount = text.parse().map_err(|_| rule())?;
        match u32::try_from(size.bytes()) {
            Ok(bytes) if (1..=u32::MAX >> 1).contains(&bytes) => Ok(Windows::Bytes(bytes)),
            _ => Err(rule()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_read_and_written() {
        for (text, windows, bytes) in [
            ("wide", Windows::Wide, (1 << 30, (1 << 31) - 1)),
            ("default", Windows::Protocol, (65_535, 65_535)),
            ("1", Windows::Bytes(1), (1, 65_535)),
            ("1048576", Windows::Bytes(1 << 20), (1 << 20, 1 << 20)),
            ("2147483647", Windows::Bytes((1 << 31) - 1), ((1 << 31) - 1, (1 << 31) - 1)),
        ] {
            assert_eq!(text.parse(), Ok(windows), "{text}");
            assert_eq!((windows.to_string(), windows.bytes()), (text.to_owned(), bytes));
        }
        assert_eq!("1 MiB".parse(), Ok(Windows::Bytes(1 << 20)));
        for text in ["", "0", "2147483648", "-1", "narrow", "1x"] {
            let error = text.parse::<Windows>().expect_err(text);
            assert!(error.to_string().contains("windows are"), "{text}: {error}");
        }
    }
}
