//! Finding out how the target wants to be spoken to, with a word about it.

use super::diagnose;
use super::signals::Interrupts;
use crate::error::{Error, Problems};
use crate::transport::{self, Security, Target};

/// How it went to find out what a target speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// It was known, or is TLS.
    Fine,
    /// Plaintext, which was not known.
    Plaintext,
    /// Someone did not want to wait for it.
    Interrupted,
}

/// Finds out whether the target speaks TLS or plaintext, unless the user has said so. Plaintext is no answer if what is
/// sent is `private` and may leave this machine.
pub(super) fn find_out(
    target: &mut Target,
    host: &str,
    private: bool,
    interrupts: Option<&mut Interrupts>,
) -> Result<Found, Problems> {
    if target.security != Security::FindOut {
        return Ok(Found::Fine);
    }
    let asked = target.clone();
    let probe = move || transport::probe(&asked, private);
    let probed = match interrupts {
        None => probe(),
        Some(interrupts) => match interrupts.or(probe.clone()) {
            Ok(None) => return Ok(Found::Interrupted),
            Ok(Some(probed)) => probed,
            // Without a thread to spare the probe is not interrupted.
            Err(_) => probe(),
        },
    };
    target.security = probed.map_err(Error::from)?;
    if target.security != Security::Plaintext {
        return Ok(Found::Fine);
    }
    diagnose::note(&format!("{host} speaks plaintext HTTP/2; add --insecure to say so and skip the test"));
    Ok(Found::Plaintext)
}
