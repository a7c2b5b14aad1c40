//! The output of groups that run in parallel: the lines of each group stay together, in the order of the groups.

use std::sync::{Arc, Mutex, PoisonError};

/// The groups that share a terminal: the first unfinished one prints at once, the others when it is their turn.
#[derive(Debug)]
struct Terminal {
    /// Whose turn it is.
    turn: usize,
    /// The lines that each group has not printed yet, and whether it has finished.
    speakers: Vec<(Vec<String>, bool)>,
    /// The destination of the lines.
    print: fn(&str),
}

/// Prints lines for one group.
#[derive(Debug, Clone)]
pub(crate) struct Printer {
    terminal: Arc<Mutex<Terminal>>,
    number: usize,
}

impl Printer {
    /// A group that prints at once.
    pub(crate) fn only() -> Self {
        Self {
            terminal: Arc::new(Mutex::new(Terminal::new(1, to_terminal))),
            number: 0,
        }
    }

    /// One for each group.
    pub(crate) fn several(count: usize) -> Vec<Self> {
        Self::printing(count, to_terminal)
    }

    fn printing(count: usize, print: fn(&str)) -> Vec<Self> {
        let terminal = Arc::new(Mutex::new(Terminal::new(count, print)));
        (0..count)
            .map(|number| Self {
                terminal: Arc::clone(&terminal),
                number,
            })
            .collect()
    }

    /// Prints a text and ends the line.
    pub(crate) fn line(&self, text: &str) {
        let mut terminal = self.terminal.lock().unwrap_or_else(PoisonError::into_inner);
        if terminal.turn == self.number {
            (terminal.print)(text);
        } else if let Some((waiting, _)) = terminal.speakers.get_mut(self.number) {
            waiting.push(text.to_owned());
        }
    }

    /// Marks the group as finished and prints the lines of the groups that waited for it.
    pub(crate) fn finish(&self) {
        let mut terminal = self.terminal.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, finished)) = terminal.speakers.get_mut(self.number) {
            *finished = true;
        }
        terminal.pass_on();
    }
}

impl Terminal {
    fn new(count: usize, print: fn(&str)) -> Self {
        Self {
            turn: 0,
            speakers: vec![(Vec::new(), false); count],
            print,
        }
    }

    /// Passes the turn to the first unfinished group, and prints the lines of those that have finished meanwhile.
    fn pass_on(&mut self) {
        while self.speakers.get(self.turn).is_some_and(|(_, finished)| *finished) {
            self.turn += 1;
            if let Some((waiting, _)) = self.speakers.get_mut(self.turn) {
                for text in std::mem::take(waiting) {
                    (self.print)(&text);
                }
            }
        }
    }
}

fn to_terminal(text: &str) {
    println!("{text}");
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    thread_local! {
        static PRINTED: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    }

    fn note(text: &str) {
        PRINTED.with_borrow_mut(|lines| lines.push(text.to_owned()));
    }

    fn printed() -> String {
        PRINTED.with_borrow_mut(std::mem::take).join(" ")
    }

    #[test]
    fn the_lines_of_a_group_stay_together_in_the_order_of_the_groups() {
        let printers = Printer::printing(4, note);
        let [first, second, third, fourth] = printers.as_slice() else {
            panic!("{printers:?}")
        };
        second.line("b1");
        first.line("a1");
        third.line("c1");
        first.line("a2");
        assert_eq!(printed(), "a1 a2", "only the first prints at once");
        third.finish();
        assert_eq!(printed(), "", "who finishes early waits all the same");
        first.finish();
        assert_eq!(printed(), "b1", "what was kept back comes with the turn");
        second.line("b2");
        assert_eq!(printed(), "b2", "and the rest at once");
        second.finish();
        assert_eq!(printed(), "c1");
        fourth.line("d1");
        assert_eq!(printed(), "d1");
    }
}
