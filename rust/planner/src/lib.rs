//! What the model is told, and what plans without one: prompts, retrieval, offline planner
