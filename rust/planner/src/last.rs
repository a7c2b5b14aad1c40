//! The last result of a preset on the object that a prompt is about.

use geonode_graph::documents::Modifier;
use geonode_graph::documents::context::{Context, SceneObject};
use geonode_graph::ir::Tree;
use geonode_protocol::Code;
use serde_json::Value;

use crate::library::{Entry, Library, preset_of};
use crate::naming::{About, last_result, names};
use crate::preset::Unnamed;
use crate::refusal::Refusal;
use crate::request::Options;
use crate::roles::{Number, Thing};
use crate::template::{Read, scale_of};

/// Why a new result would silently copy all copies of an earlier one: “a ring of 12 cubes” on a cube that shows a ring of itself already.
///
/// “Array the cube 3 times along y” repeats what stands there; “12 cubes”, or another arrangement of nothing in particular, does not.
pub(crate) fn multiplied(library: &Library, read: &Read, context: &Context, options: &Options) -> Option<Refusal> {
    if read.cast.makes || read.cast.thing != Some(Thing::Itself) {
        return None;
    }
    let earlier = Last::of(&library.entries, context, Some(&read.cast.target))?;
    let same = earlier.entry.preset.id == read.entry.preset.id;
    let named = read.cast.used.iter().len() > 0;
    let title = &read.entry.preset.title;
    let again = names(title, earlier.object, context, About::New(&options.words)).reused;
    if earlier.thing() != Some(Thing::Itself) || again || read.cast.number == Number::One && (same || named) {
        return None;
    }
    Some(shows_copies(&earlier))
}

/// The refusal of what would copy all copies of a result.
pub(crate) fn shows_copies(earlier: &Last) -> Refusal {
    let (object, modifier) = (&earlier.object.name, &earlier.modifier.name);
    Refusal::new(
        Code::PartlyUnderstood,
        format!(
            "“{object}” already shows copies of itself (“{modifier}”), and this would copy all of them again. Nothing was changed. To change that result, say what of it (“make it 12”); to repeat the whole, say so (“array the {object} 3 times along y”); for something beside it, name or select another object."
        ),
    )
}

/// A result that a change can refer to.
pub(crate) struct Last<'c> {
    /// The preset that made it.
    pub(crate) entry: &'c Entry,
    /// The object that shows it.
    pub(crate) object: &'c SceneObject,
    /// The modifier.
    pub(crate) modifier: &'c Modifier,
    /// Its tree.
    pub(crate) tree: Option<&'c Tree>,
    /// The scene.
    pub(crate) context: &'c Context,
    /// Metres per local unit of the object.
    pub(crate) unit: f64,
}

impl<'c> Last<'c> {
    /// The last result on the object, if a preset made it and no other object uses it.
    pub(crate) fn of(entries: &'c [Entry], context: &'c Context, forced: Option<&str>) -> Option<Self> {
        let object = match forced {
            Some(name) => context.object(name),
            None => Self::only(context),
        }?;
        let modifier = last_result(object).filter(|modifier| modifier.made.is_some())?;
        let group = modifier.node_group.as_deref()?;
        let entry = preset_of(entries, group)?;
        if !names(&entry.preset.title, object, context, About::Last).reused {
            return None;
        }
        let tree = context.tree.as_ref().and_then(|bundle| bundle.trees.get(group));
        let scale = scale_of(object, &mut Vec::new());
        Some(Self {
            entry,
            object,
            modifier,
            tree,
            context,
            unit: context.units.metres_per_unit() * scale,
        })
    }

    /// The active object, or if a run made nothing on it, the only object on which one did.
    fn only(context: &'c Context) -> Option<&'c SceneObject> {
        let has_one = |object: &&SceneObject| last_result(object).is_some();
        if let Some(focus) = context.focus().filter(has_one) {
            return Some(focus);
        }
        let mut all = context.objects.iter().filter(has_one);
        let only = all.next()?;
        all.next().is_none().then_some(only)
    }

    /// The value of an input.
    pub(crate) fn value(&self, title: &str) -> Option<&Value> {
        self.modifier.values.as_ref()?.get(title)
    }

    /// What it places.
    pub(crate) fn thing(&self) -> Option<Thing> {
        let role = self.entry.preset.thing.as_ref()?;
        let name = |title: &str, key: &str| {
            let value = self.value(title)?;
            let name = value.get(key).or(Some(value))?;
            name.as_str().filter(|name| !name.is_empty()).map(str::to_owned)
        };
        if let Some(name) = name("Object", "object") {
            return Some(Thing::Object(name));
        }
        if let Some(name) = name("Collection", "collection") {
            return Some(Thing::Collection(name));
        }
        let nodes = self.tree.map(|tree| tree.nodes.as_slice()).unwrap_or_default();
        let shape = nodes.iter().find_map(|node| {
            let key = node.id.strip_prefix("shape_")?;
            ["cube", "sphere", "cone", "cylinder", "rock"]
                .contains(&key)
                .then(|| key.to_owned())
        });
        Some(match shape {
            Some(key) => Thing::Shape(key, None),
            None if role.unnamed == Unnamed::Shape => Thing::Shape("cube".to_owned(), None),
            None => Thing::Itself,
        })
    }

    /// The greatest extent of the object that it places, in local units of the object that shows it.
    pub(crate) fn thing_size(&self) -> Option<f64> {
        let Some(Thing::Object(name)) = self.thing() else {
            return None;
        };
        let thing = self.context.object(&name)?;
        let scale = self.unit / self.context.units.metres_per_unit();
        Some(thing.shown_size().into_iter().fold(0.0, f64::max) / scale)
    }

    /// Leaves what is placed as it is where the prompt names nothing else.
    pub(crate) fn keep_thing(&self, read: &mut Read) {
        let same = read.entry.preset.id == self.entry.preset.id && read.cast.target == self.object.name;
        let unnamed = matches!(&read.cast.thing, Some(Thing::Shape(_, None) | Thing::Itself));
        if same && unnamed {
            read.cast.thing = self.thing();
            read.cast.kept = true;
            read.remarks.retain(|remark| !read.cast.remarks.contains(remark));
        }
    }
}
