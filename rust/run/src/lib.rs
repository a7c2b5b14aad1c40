//! Sans-IO state machine of a run: state, event, effect, transition
