//! Stored reports that cannot be read, or not be put together.

use std::io;

use super::reading_hint;

/// A stored report that is none, or several that are not of one plan.
#[derive(Debug, thiserror::Error)]
pub enum StoredError {
    /// The file cannot be read.
    #[error("cannot read {from}")]
    Unreadable {
        /// The file in backticks, or standard input.
        from: String,
        /// Why.
        source: io::Error,
    },
    /// It is no JSON.
    #[error("{from} is no report: {what}")]
    NoJson {
        /// Where it is from.
        from: String,
        /// What the parser says.
        what: String,
    },
    /// It is another program's JSON.
    #[error("{from} is no report of grpcbench: {}", foreign(*ghz))]
    Foreign {
        /// Where it is from.
        from: String,
        /// Whether ghz wrote it.
        ghz: bool,
    },
    /// A later version wrote it.
    #[error("{from} is of a later grpcbench: its schema is {schema}, and this version knows them up to {known}")]
    Newer {
        /// Where it is from.
        from: String,
        /// The number of its schema.
        schema: u64,
        /// The highest that is known.
        known: u32,
    },
    /// A part of it is not what it should be.
    #[error("{from} is damaged at `{place}`: {what}")]
    Broken {
        /// Where it is from.
        from: String,
        /// The keys that lead there.
        place: String,
        /// What is wrong.
        what: String,
    },
    /// A file is given twice, and its run would count twice.
    #[error("`{path}` is named twice: one run would count as two")]
    Repeated {
        /// The file.
        path: String,
    },
    /// Two runs are of two plans.
    #[error("`{first}` and `{other}` are not runs of one plan: {}", told(differences))]
    Unlike {
        /// The first file.
        first: String,
        /// The file that differs from it.
        other: String,
        /// What differs, and what it is in each.
        differences: Vec<(&'static str, String, String)>,
    },
    /// Together they are more than one run can be.
    #[error("these runs cannot be one: {rule}")]
    TooLarge {
        /// Why.
        rule: String,
    },
}

fn foreign(ghz: bool) -> &'static str {
    if ghz { "ghz wrote it, which keeps no histograms" } else { "the key `grpcbench` is missing" }
}

fn told(differences: &[(&'static str, String, String)]) -> String {
    let each: Vec<String> =
        differences.iter().map(|(what, first, other)| format!("{what}: {first} and {other}")).collect();
    each.join("; ")
}

impl StoredError {
    pub(super) fn hint(&self) -> Option<String> {
        let hint = match self {
            StoredError::Foreign { ghz: true, .. } => "run the same test with grpcbench and -O json",
            StoredError::NoJson { .. } | StoredError::Foreign { .. } => {
                "-O json or -O pretty writes a report that can be read again"
            }
            StoredError::Newer { .. } => "read it with the version that wrote it, or a later one",
            StoredError::Unlike { .. } => "only runs of one plan are added up",
            StoredError::Repeated { .. } => "name each report once",
            StoredError::Unreadable { source, .. } => return reading_hint(source),
            StoredError::Broken { .. } | StoredError::TooLarge { .. } => return None,
        };
        Some(hint.to_owned())
    }
}
