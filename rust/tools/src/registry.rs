//! The tools that a run can call, by id.

use indexmap::IndexMap;

use crate::spec::SpecError;
use crate::tool::Tool;

/// Tools in the order in which they were added.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    tools: IndexMap<String, Tool>,
}

impl Registry {
    /// Adds a tool.
    ///
    /// # Errors
    /// [`SpecError::Taken`] when its id is used.
    pub fn add(&mut self, tool: Tool) -> Result<(), SpecError> {
        if self.tools.contains_key(&tool.spec.id) {
            return Err(SpecError::Taken(tool.spec.id.clone()));
        }
        self.tools.insert(tool.spec.id.clone(), tool);
        Ok(())
    }

    /// The tool of this id.
    pub fn get(&self, id: &str) -> Option<&Tool> {
        self.tools.get(id)
    }

    /// All tools.
    pub fn iter(&self) -> impl Iterator<Item = &Tool> {
        self.tools.values()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }
}
