//! Finding out how a target wants to be spoken to, before the run. Security is found out, never silently weakened.

use tokio::runtime::Builder;

use super::handshake::establish;
use super::route::Route;
use super::{Security, Target};
use crate::error::ConnectError;

/// Whether the target speaks TLS or plaintext, where that is not known yet: TLS is tried first, and plaintext only if
/// the peer's answer is no TLS and it then plainly speaks HTTP/2 in the clear. Certificates that are not accepted are
/// errors, not a reason to go on without.
///
/// With `private`, the calls carry what should not travel in the clear: plaintext is then taken only where it cannot
/// leave this machine.
///
/// Blocks this thread, at most twice the connect timeout. Errors when the target cannot be reached, or speaks neither.
pub fn probe(target: &Target, private: bool) -> Result<Security, ConnectError> {
    if target.security != Security::FindOut {
        return Ok(target.security);
    }
    let runtime = Builder::new_current_thread().enable_all().build().expect("the system gives a runtime");
    runtime.block_on(find_out(target, private))
}

async fn find_out(target: &Target, private: bool) -> Result<Security, ConnectError> {
    let over = |security| Route::new(&Target { security, ..target.clone() }, "/", &[], None);
    let refusal = match establish(&over(Security::Tls)?).await {
        Ok(_) => return Ok(Security::Tls),
        Err(refusal @ (ConnectError::PlaintextPeer { .. } | ConnectError::ClosedInHandshake { .. })) => refusal,
        Err(error) => return Err(error),
    };
    if target.tls.asked_for() {
        return Err(refusal);
    }
    let plaintext = establish(&over(Security::Plaintext)?).await.map_err(|_| refusal)?;
    if private && !plaintext.local {
        return Err(ConnectError::WouldExposeMetadata { address: plaintext.connected.address });
    }
    Ok(Security::Plaintext)
}
