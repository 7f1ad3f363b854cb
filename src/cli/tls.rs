//! How the server is to prove who it is, and how we do.

use std::ffi::OsString;

use super::args::RunArgs;
use super::input;
use super::values::invalid;
use crate::error::{Problems, UsageError};
use crate::transport::{Identity, Target, TlsOptions};

/// What the flags and `SSLKEYLOGFILE` ask of TLS.
pub(super) fn options(args: &RunArgs) -> Result<TlsOptions, Problems> {
    let mut problems = Problems::new();
    let roots = args.reach.cacert.as_deref().and_then(|path| problems.keep(TlsOptions::read_roots(path)));
    let identity = problems.keep(identity(args)).flatten();
    let log_keys = problems.keep(log_keys()).unwrap_or_default();
    problems.into_result()?;
    Ok(TlsOptions { roots, skip_verification: args.reach.skip_tls, identity, log_keys })
}

/// Says that secrets are written down, which nobody should be surprised by.
pub(super) fn note(target: &Target) -> Option<String> {
    let path = key_log().filter(|_| target.tls.log_keys)?;
    let path = path.to_string_lossy();
    Some(format!("the TLS secrets of this run are appended to `{path}`, as SSLKEYLOGFILE asks for"))
}

/// The name by which the server is called and verified. `--cname` and `--authority` are two words for it.
pub(super) fn authority(args: &RunArgs) -> Result<Option<String>, UsageError> {
    let given = [("--cname", &args.reach.cname), ("--authority", &args.reach.authority)];
    let [cname, authority] = given.map(|(flag, name)| name.as_deref().map(|name| input::authority(flag, name)));
    match (cname.transpose()?, authority.transpose()?) {
        (Some(cname), Some(authority)) if cname != authority => Err(UsageError::Conflict {
            one: format!("--cname {cname}"),
            other: format!("--authority {authority}"),
            because: "each is the :authority of the calls and the name that TLS verifies",
        }),
        (cname, authority) => Ok(cname.or(authority)),
    }
}

fn identity(args: &RunArgs) -> Result<Option<Identity>, UsageError> {
    match (&args.reach.cert, &args.reach.key) {
        (Some(cert), Some(key)) => Identity::read(cert, key).map(Some),
        (Some(_), None) => Err(UsageError::Missing {
            what: "--key",
            example: "name the file with the private key of --cert, such as --key client.key",
        }),
        (None, Some(_)) => Err(UsageError::Missing {
            what: "--cert",
            example: "name the file with the certificate of --key, such as --cert client.pem",
        }),
        (None, None) => Ok(None),
    }
}

/// Whether the secrets of TLS are to be written down, as the variable that many TLS programs know asks for.
fn log_keys() -> Result<bool, UsageError> {
    let Some(path) = key_log() else { return Ok(false) };
    let opened = std::fs::OpenOptions::new().create(true).append(true).open(&path);
    opened
        .map(|_| true)
        .map_err(|error| invalid("SSLKEYLOGFILE", &path.to_string_lossy(), format!("it cannot be written: {error}")))
}

fn key_log() -> Option<OsString> {
    std::env::var_os("SSLKEYLOGFILE").filter(|path| !path.is_empty())
}
