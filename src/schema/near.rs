//! Did you mean: the names closest to one that is not there.

/// The names among `known` that `wanted` may be a misspelling of, best first, three at most.
///
/// A name is near when it differs only in case or punctuation, or when few edits (a letter changed, added, left out, or
/// swapped with its neighbour) lead from one to the other: one in three letters at most, and at least one.
pub(crate) fn near<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    const SHOWN: usize = 3;
    // Edit distance takes time in the product of both lengths; nobody misspells a name of this length by a few letters.
    const LONGEST: usize = 256;
    if wanted.len() > LONGEST {
        return Vec::new();
    }
    let folded = fold(wanted);
    let allowed = (folded.chars().count() / 3).max(1);
    let mut found: Vec<(usize, &str)> = known
        .into_iter()
        .filter(|name| name.len() <= LONGEST && *name != wanted)
        .map(|name| (strsim::osa_distance(&folded, &fold(name)), name))
        .filter(|(distance, name)| *distance <= allowed && *distance < name.chars().count())
        .collect();
    found.sort_unstable();
    found.dedup();
    found.into_iter().take(SHOWN).map(|(_, name)| name.to_owned()).collect()
}

/// What is left when case and the underscores of `snake_case` don't count.
fn fold(name: &str) -> String {
    name.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_misspellings_and_nothing_else() {
        for (wanted, known, expected) in [
            ("SayHelo", &["SayHello", "SayGoodbye"][..], &["SayHello"][..]),
            ("sayhello", &["SayHello", "SayHellos"], &["SayHello", "SayHellos"]),
            ("MOOD_LUOD", &["MOOD_CALM", "MOOD_LOUD"], &["MOOD_LOUD"]),
            ("user_name", &["userName", "user"], &["userName"]),
            ("x", &["y", "z"], &[]),
            ("Ping", &["Store", "Fetch"], &[]),
            ("", &["a"], &[]),
            ("n", &["n"], &[]),
        ] {
            assert_eq!(near(wanted, known.iter().copied()), expected, "{wanted}");
        }
    }
}
