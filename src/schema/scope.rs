//! All messages of the loaded files, by name: what an `Any` may hold.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use prost_reflect::{DescriptorPool, MessageDescriptor};

use super::library::{Library, What};

/// The messages of all loaded files. Those that a method does not lead to are linked when they are first asked for.
#[derive(Clone)]
pub struct Scope {
    pool: DescriptorPool,
    beyond: Option<Arc<Beyond>>,
}

/// Files that are loaded and not linked.
struct Beyond {
    library: Arc<Library>,
    /// What was linked so far, by the file it was asked for; `None` where the file cannot be linked.
    linked: Mutex<HashMap<usize, Option<DescriptorPool>>>,
}

impl Scope {
    /// The messages of a pool, and those of the library that it is a part of.
    pub(super) fn new(pool: DescriptorPool, library: Option<Arc<Library>>) -> Scope {
        Scope { pool, beyond: library.map(|library| Arc::new(Beyond { library, linked: Mutex::default() })) }
    }

    /// The message called `name`, with its package and without a leading dot.
    pub fn message(&self, name: &str) -> Option<MessageDescriptor> {
        if let Some(message) = self.pool.get_message_by_name(name) {
            return Some(message);
        }
        let Beyond { library, linked } = self.beyond.as_deref()?;
        let (file, what) = library.find(name)?;
        if what != What::Message {
            return None;
        }
        let mut linked = linked.lock().unwrap_or_else(PoisonError::into_inner);
        let pool = linked.entry(file).or_insert_with(|| library.link(&[file]).ok().map(|linked| linked.pool));
        pool.as_ref()?.get_message_by_name(name)
    }

    /// The names of all messages, in no particular order.
    pub fn message_names(&self) -> Vec<String> {
        match &self.beyond {
            Some(beyond) => beyond.library.names(What::Message).map(str::to_owned).collect(),
            None => self.pool.all_messages().map(|message| message.full_name().to_owned()).collect(),
        }
    }
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").field("messages", &self.message_names().len()).finish()
    }
}
