//! Finding out how the target wants to be spoken to before the schema is known, with a word about it.

use super::diagnose;
use crate::error::{Error, Problems};
use crate::transport::{self, Security, Target};

/// Finds out whether the target speaks TLS or plaintext, unless the user has said so. Whether plaintext was found, which
/// is not done if what is sent is `private` and may leave this machine.
pub(super) fn find_out(target: &mut Target, host: &str, private: bool) -> Result<bool, Problems> {
    if target.security != Security::FindOut {
        return Ok(false);
    }
    target.security = transport::probe(target, private).map_err(Error::from)?;
    let plaintext = target.security == Security::Plaintext;
    if plaintext {
        say_plaintext(host);
    }
    Ok(plaintext)
}

/// Says that plaintext was found.
pub(super) fn say_plaintext(host: &str) {
    diagnose::note(&format!("{host} speaks plaintext HTTP/2; add --insecure to say so and skip the test"));
}
