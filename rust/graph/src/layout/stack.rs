//! Boxes in columns: their order from top to bottom with few crossings, and their places without overlaps.
//!
//! One order holds for all columns: a box over several columns is above or below its neighbours in each of them.

use super::table::{at, put};

/// Free space between neighbours in a column.
pub(super) const GAP_Y: f64 = 30.0;
/// Passes over the columns, the last one looking right; more passes gain little.
const SWEEPS: usize = 7;
/// Passes that straighten the links once the order is fixed.
const ROUNDS: usize = 4;

/// A box: the columns that it covers and its height.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Item {
    pub first: usize,
    pub last: usize,
    pub height: f64,
}

/// A link between two boxes, `left` feeding `right`; heights are measured from the top of each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tie {
    pub left: usize,
    pub right: usize,
    pub left_y: f64,
    pub right_y: f64,
}

impl Tie {
    /// The tie, or both halves of it where it leads over another box.
    pub(super) fn over(self, way: Option<usize>) -> Vec<Self> {
        let Some(way) = way else { return vec![self] };
        let to = Self {
            right: way,
            right_y: 0.0,
            ..self
        };
        let from = Self {
            left: way,
            left_y: 0.0,
            ..self
        };
        vec![to, from]
    }
}

/// A link to something outside at the height `y`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pull {
    pub item: usize,
    pub item_y: f64,
    pub y: f64,
}

/// Which neighbours count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    Left,
    Right,
    Both,
}

/// Tops of the items, the uppermost at 0, and the height of all.
pub(super) fn stack(items: &[Item], ties: &[Tie], pulls: &[Pull], columns: usize) -> (Vec<f64>, f64) {
    let mut stack = Stack::new(items, ties, pulls, columns);
    for sweep in 0..SWEEPS {
        if sweep % 2 == 0 {
            for column in (0..columns).rev() {
                stack.sort_column(column, Look::Right);
            }
        } else {
            for column in 0..columns {
                stack.sort_column(column, Look::Left);
            }
        }
    }
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by(|a, b| stack.centre(*a).total_cmp(&stack.centre(*b)));
    stack.settle(&order);
    for _ in 0..ROUNDS {
        let wanted: Vec<f64> = (0..items.len())
            .map(|i| stack.mean(i, Look::Both, true).unwrap_or_else(|| at(&stack.tops, i)))
            .collect();
        stack.tops = wanted;
        stack.settle(&order);
    }
    stack.normalised()
}

struct Stack<'i> {
    items: &'i [Item],
    tops: Vec<f64>,
    /// For each item its neighbours to the left and to the right: (item, own height, its height).
    neighbours: [Vec<Vec<(usize, f64, f64)>>; 2],
    /// For each item what it is linked to outside: (own height, place).
    pulls: Vec<Vec<(f64, f64)>>,
    /// The items in each column.
    columns: Vec<Vec<usize>>,
}

impl<'i> Stack<'i> {
    fn new(items: &'i [Item], ties: &[Tie], pulls: &[Pull], columns: usize) -> Self {
        let mut stack = Self {
            items,
            tops: vec![0.0; items.len()],
            neighbours: [vec![Vec::new(); items.len()], vec![Vec::new(); items.len()]],
            pulls: vec![Vec::new(); items.len()],
            columns: vec![Vec::new(); columns],
        };
        let [lefts, rights] = &mut stack.neighbours;
        for tie in ties {
            if let Some(list) = rights.get_mut(tie.left) {
                list.push((tie.right, tie.left_y, tie.right_y));
            }
            if let Some(list) = lefts.get_mut(tie.right) {
                list.push((tie.left, tie.right_y, tie.left_y));
            }
        }
        for pull in pulls {
            if let Some(list) = stack.pulls.get_mut(pull.item) {
                list.push((pull.item_y, pull.y));
            }
        }
        let mut bottoms = vec![0.0; columns];
        for (i, item) in items.iter().enumerate() {
            put(&mut stack.tops, i, at(&bottoms, item.first));
            for column in item.first..=item.last {
                put(&mut bottoms, column, at(&stack.tops, i) + item.height + GAP_Y);
                if let Some(list) = stack.columns.get_mut(column) {
                    list.push(i);
                }
            }
        }
        stack
    }

    fn height(&self, i: usize) -> f64 {
        at(self.items, i).height
    }

    fn centre(&self, i: usize) -> f64 {
        at(&self.tops, i) + self.height(i) / 2.0
    }

    /// Mean height of the neighbours; with `aligned` the top that would make the links level.
    fn mean(&self, i: usize, look: Look, aligned: bool) -> Option<f64> {
        let [lefts, rights] = &self.neighbours;
        let left = lefts.get(i).filter(|_| look != Look::Right).into_iter().flatten();
        let right = rights.get(i).filter(|_| look != Look::Left).into_iter().flatten();
        let linked = left
            .chain(right)
            .map(|(other, own, its)| (*own, at(&self.tops, *other) + its));
        let outside = self.pulls.get(i).into_iter().flatten().copied();
        let all = linked.chain(outside).map(|(own, y)| if aligned { y - own } else { y });
        let (sum, count) = all.fold((0.0, 0.0), |(sum, count), y| (sum + y, count + 1.0));
        (count > 0.0).then_some(sum / count)
    }

    /// Orders one column by the neighbours on one side; boxes that come from there keep their places.
    fn sort_column(&mut self, column: usize, look: Look) {
        let list = self.columns.get(column).cloned().unwrap_or_default();
        let enters = |i: usize| {
            let item = at(self.items, i);
            column == if look == Look::Right { item.last } else { item.first }
        };
        let mut keyed: Vec<(f64, f64, usize)> = list
            .into_iter()
            .map(|i| {
                let own = (self.centre(i), at(&self.tops, i));
                let (key, top) = if enters(i) {
                    let key = self.mean(i, look, false).unwrap_or(own.0);
                    (key, self.mean(i, look, true).unwrap_or(own.1))
                } else {
                    own
                };
                (key, top, i)
            })
            .collect();
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
        let entering: Vec<bool> = keyed.iter().map(|(.., i)| enters(*i)).collect();
        let (mut down, mut up) = (f64::NEG_INFINITY, f64::INFINITY);
        let mut tops = vec![0.0; keyed.len()];
        for (top, (_, wanted, i)) in tops.iter_mut().zip(&keyed) {
            *top = wanted.max(down);
            down = *top + self.height(*i) + GAP_Y;
        }
        for (top, (_, wanted, i)) in tops.iter_mut().zip(&keyed).rev() {
            let higher = wanted.min(up - self.height(*i));
            *top = f64::midpoint(*top, higher);
            up = higher - GAP_Y;
        }
        for ((top, (.., i)), entering) in tops.into_iter().zip(keyed).zip(entering) {
            if entering {
                put(&mut self.tops, i, top);
            }
        }
    }

    /// Takes the tops as preferences and removes all overlaps, keeping the order. Pushing everything down where needed is one
    /// solution, pushing everything up another; their mean lies between and is one as well.
    fn settle(&mut self, order: &[usize]) {
        let mut down = vec![f64::NEG_INFINITY; self.columns.len()];
        let mut up = vec![f64::INFINITY; self.columns.len()];
        let wanted = self.tops.clone();
        for &i in order {
            let item = at(self.items, i);
            let range = item.first..=item.last;
            let top = down
                .get(range.clone())
                .into_iter()
                .flatten()
                .copied()
                .fold(at(&wanted, i), f64::max);
            put(&mut self.tops, i, top);
            down.get_mut(range)
                .into_iter()
                .flatten()
                .for_each(|y| *y = top + item.height + GAP_Y);
        }
        for &i in order.iter().rev() {
            let item = at(self.items, i);
            let range = item.first..=item.last;
            let floor = up
                .get(range.clone())
                .into_iter()
                .flatten()
                .copied()
                .fold(f64::INFINITY, f64::min);
            let top = at(&wanted, i).min(floor - item.height);
            let middle = f64::midpoint(at(&self.tops, i), top);
            put(&mut self.tops, i, middle);
            up.get_mut(range).into_iter().flatten().for_each(|y| *y = top - GAP_Y);
        }
    }

    fn normalised(self) -> (Vec<f64>, f64) {
        let highest = self.tops.iter().copied().fold(f64::INFINITY, f64::min);
        let tops: Vec<f64> = self.tops.iter().map(|top| top - highest).collect();
        let ends = tops.iter().zip(self.items).map(|(top, item)| top + item.height);
        let height = ends.fold(0.0, f64::max);
        (tops, height)
    }
}
