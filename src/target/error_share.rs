//! Errors that a share of the calls ends with.

use std::fmt;
use std::str::FromStr;

use tonic::{Code, Status};

use super::portion::Portion;
use crate::units::UnitError;

const CODES: [(&str, Code); 16] = [
    ("CANCELLED", Code::Cancelled),
    ("UNKNOWN", Code::Unknown),
    ("INVALID_ARGUMENT", Code::InvalidArgument),
    ("DEADLINE_EXCEEDED", Code::DeadlineExceeded),
    ("NOT_FOUND", Code::NotFound),
    ("ALREADY_EXISTS", Code::AlreadyExists),
    ("PERMISSION_DENIED", Code::PermissionDenied),
    ("RESOURCE_EXHAUSTED", Code::ResourceExhausted),
    ("FAILED_PRECONDITION", Code::FailedPrecondition),
    ("ABORTED", Code::Aborted),
    ("OUT_OF_RANGE", Code::OutOfRange),
    ("UNIMPLEMENTED", Code::Unimplemented),
    ("INTERNAL", Code::Internal),
    ("UNAVAILABLE", Code::Unavailable),
    ("DATA_LOSS", Code::DataLoss),
    ("UNAUTHENTICATED", Code::Unauthenticated),
];

/// A share of the calls that ends with an error.
///
/// Which calls those are is up to chance and seed, so the share holds in the long run and not in each hundred calls.
#[derive(Clone, Debug)]
pub struct ErrorShare {
    code: Code,
    message: String,
    portion: Portion,
}

impl ErrorShare {
    /// How large the share is.
    pub(super) fn portion(&self) -> Portion {
        self.portion
    }

    /// What the calls end with.
    pub(super) fn status(&self) -> Status {
        Status::new(self.code, self.message.as_str())
    }
}

/// Reads `UNAVAILABLE:1%`, or with a message `NOT_FOUND:0.5%:no such person`. The status goes by its name in any usual
/// spelling (`DEADLINE_EXCEEDED`, `DeadlineExceeded`) or by its number, 1 to 16.
impl FromStr for ErrorShare {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<ErrorShare, UnitError> {
        let rule = "an error is a status and its share of the calls, such as UNAVAILABLE:1%, and may have a message after \
                    another colon";
        let mut parts = text.splitn(3, ':');
        let (Some(code), Some(portion)) = (parts.next(), parts.next()) else { return Err(UnitError::new(rule)) };
        let message = parts.next().unwrap_or("an error that the server was asked for");
        Ok(ErrorShare { code: parse_code(code)?, message: message.to_owned(), portion: portion.parse()? })
    }
}

/// The status by its name and the share, as they can be read again: `UNAVAILABLE:1%`.
impl fmt::Display for ErrorShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = CODES.iter().find(|(_, code)| *code == self.code).map_or("UNKNOWN", |(name, _)| name);
        write!(f, "{name}:{}", self.portion)
    }
}

fn parse_code(text: &str) -> Result<Code, UnitError> {
    let plain = |name: &str| name.replace(['_', '-', ' '], "").to_ascii_lowercase();
    let wanted = match plain(text).as_str() {
        // The one name that is spelled in two ways.
        "canceled" => "cancelled".to_owned(),
        other => other.to_owned(),
    };
    let number = wanted.parse::<i32>().ok();
    CODES
        .iter()
        .find(|(name, code)| plain(name) == wanted || number == Some(*code as i32))
        .map(|(_, code)| *code)
        .ok_or_else(|| {
            UnitError::new(format!(
                "`{}` is no gRPC status that an error can have: a name such as UNAVAILABLE, or a number from 1 to 16",
                text.trim()
            ))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_status_in_every_spelling() {
        for (name, code) in CODES {
            let camel = format!("{code:?}");
            for text in
                [name, camel.as_str(), &name.to_lowercase(), &name.replace('_', "-"), &(code as i32).to_string()]
            {
                let share: ErrorShare = format!("{text}:1%").parse().unwrap();
                assert_eq!(share.status().code(), code, "{text}");
                assert_eq!(share.to_string(), format!("{name}:1%"));
            }
        }
        assert_eq!("Canceled:1%".parse::<ErrorShare>().unwrap().status().code(), Code::Cancelled);
    }

    #[test]
    fn a_message_may_hold_colons() {
        let share: ErrorShare = "NOT_FOUND:0.5%:nobody: weiß nicht".parse().unwrap();
        assert_eq!(share.status().message(), "nobody: weiß nicht");
        assert_eq!(share.portion().to_string(), "0.5%");
    }

    #[test]
    fn refuses_what_is_no_error() {
        for (text, rule) in [
            ("", "a status and its share"),
            ("UNAVAILABLE", "a status and its share"),
            ("OK:1%", "`OK` is no gRPC status that an error can have"),
            ("0:1%", "`0` is no gRPC status"),
            ("17:1%", "`17` is no gRPC status"),
            ("UNAVAILABEL:1%", "`UNAVAILABEL` is no gRPC status"),
            ("UNAVAILABLE:1", "a share is a percentage"),
            ("UNAVAILABLE:200%", "a share is a percentage"),
        ] {
            let error = text.parse::<ErrorShare>().unwrap_err().to_string();
            assert!(error.contains(rule), "{text}: {error}");
        }
    }
}
