//! What inputs need, from right to left: an output that must be single needs single inputs.

use super::kind::Structure;
use super::net::{End, Joint, Kind, Net};

/// What an input needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Need {
    #[default]
    None,
    Just(Structure),
    /// Two needs that cannot both be met.
    Conflict,
}

impl Need {
    fn with(self, other: Self) -> Self {
        use Structure::{Field, Single};
        match (self, other) {
            (one, two) if one == two => one,
            (Self::None, one) | (one, Self::None) => one,
            // What takes fields takes single values too.
            (Self::Just(Field), Self::Just(Single)) | (Self::Just(Single), Self::Just(Field)) => Self::Just(Single),
            _ => Self::Conflict,
        }
    }

    fn structure(self) -> Structure {
        match self {
            Self::Just(structure) => structure,
            Self::None | Self::Conflict => Structure::Dynamic,
        }
    }
}

fn first(end: &End<'_>) -> Need {
    let declared = &end.declared;
    match declared.structure {
        _ if declared.auto => Need::None,
        _ if declared.always_single() => Need::Just(Structure::Single),
        Structure::Dynamic => Need::None,
        structure => Need::Just(structure),
    }
}

impl Net<'_> {
    /// What each input needs.
    pub(super) fn requirements(&self) -> Vec<Need> {
        let mut needs: Vec<Need> = self.inputs.iter().map(first).collect();
        // Each round can only be caused by a zone whose ends differ, and they are made equal.
        for _ in 0..=self.joints.len() {
            let mut again = false;
            for at in self.order.iter().rev() {
                let Some(joint) = self.joints.get(*at) else { continue };
                for output in joint.outputs.clone() {
                    self.pass_on(output, &mut needs);
                }
                again |= self.join_zone_needs(*at, joint, &mut needs);
            }
            if !again {
                break;
            }
        }
        needs
    }

    /// What an output has to give.
    fn wanted(&self, output: usize, needs: &[Need]) -> Need {
        let Some(end) = self.outputs.get(output) else {
            return Need::None;
        };
        let available = end.links.iter().filter(|(input, _)| {
            let target = self.inputs.get(*input);
            target.is_some_and(|target| target.declared.available)
        });
        available
            .map(|(input, _)| needs.get(*input).copied().unwrap_or_default())
            .fold(Need::None, Need::with)
    }

    fn pass_on(&self, output: usize, needs: &mut [Need]) {
        let Some(end) = self.outputs.get(output) else { return };
        let wanted = self.wanted(output, needs);
        let single = Need::Just(Structure::Single);
        if wanted == single {
            for input in &end.follows {
                set(needs, *input, single);
            }
        } else if matches!(wanted, Need::Just(_)) {
            // Several inputs could provide it, and which of them is not known: then none is said to have to.
            let linked = |input: &&usize| {
                needs.get(**input) != Some(&single) && self.inputs.get(**input).is_some_and(|end| !end.links.is_empty())
            };
            let able: Vec<usize> = end.follows.iter().filter(linked).copied().collect();
            let told = if able.len() == 1 { wanted } else { Need::None };
            for input in able {
                set(needs, input, told);
            }
        }
    }

    /// Values that go round a zone need the same at both ends. True if the other end's needs have changed.
    fn join_zone_needs(&self, at: usize, joint: &Joint, needs: &mut [Need]) -> bool {
        let Some((start, end)) = self.zone(at, joint) else {
            return false;
        };
        let (from, to) = match joint.kind {
            Kind::Simulation => (0, 1),
            _ => (1, 0),
        };
        let mut changed = false;
        for (number, output) in end.outputs.clone().enumerate() {
            let (into, out) = (start.inputs.start + from + number, end.inputs.start + to + number);
            if into >= start.inputs.end || out >= end.inputs.end {
                continue;
            }
            let value = needs
                .get(into)
                .copied()
                .unwrap_or_default()
                .with(self.wanted(output, needs));
            let here = std::ptr::eq(start, joint);
            changed |= set(needs, into, value) && !here;
            changed |= set(needs, out, value) && here;
        }
        changed
    }

    /// The two ends of the zone that a node begins or ends, if its values go round.
    pub(super) fn zone(&self, at: usize, joint: &Joint) -> Option<(&Joint, &Joint)> {
        if !matches!(joint.kind, Kind::Repeat | Kind::Simulation) {
            return None;
        }
        let own = self.joints.get(at)?;
        match own.end {
            Some(end) => Some((own, self.joints.get(end)?)),
            None => Some((self.joints.iter().find(|start| start.end == Some(at))?, own)),
        }
    }

    /// What the group's inputs are: as the interface sets them, else as what they feed needs.
    pub(super) fn group_inputs(&self, needs: &[Need]) -> Vec<Structure> {
        let [set, _] = &self.set;
        let starts: Vec<&Joint> = self
            .joints
            .iter()
            .filter(|joint| joint.kind == Kind::GroupInput)
            .collect();
        let inferred = |at: usize| {
            let wanted = starts.iter().map(|joint| self.wanted(joint.outputs.start + at, needs));
            wanted.fold(Need::None, Need::with).structure()
        };
        set.iter()
            .enumerate()
            .map(|(at, set)| set.unwrap_or_else(|| inferred(at)))
            .collect()
    }

    /// What an output is that is to be inferred from what it feeds.
    pub(super) fn auto_output(&self, output: usize, needs: &[Need]) -> Structure {
        self.wanted(output, needs).structure()
    }
}

fn set(needs: &mut [Need], at: usize, value: Need) -> bool {
    match needs.get_mut(at) {
        Some(need) if *need != value => {
            *need = value;
            true
        }
        _ => false,
    }
}
