//! Driver: carries out the machine's effects
