//! Types in annotations: `Int`, `Geometry`; with a subtype as Blender calls them, `VectorTranslation`, of Float the subtype alone, `Distance`.

use geonode_graph::Catalogue;
use geonode_graph::sockets::attribute_type;
use serde_json::Value;

/// Prefix of the RNA names of sockets.
const SOCKET: &str = "NodeSocket";
const FLOAT: &str = "NodeSocketFloat";

/// The annotation of a socket type with a subtype; `None` where the type has no name of this form.
pub fn write_type(socket_type: &str, subtype: Option<&str>) -> Option<String> {
    let base = socket_type.strip_prefix(SOCKET).filter(|base| !base.is_empty())?;
    Some(match subtype.filter(|subtype| *subtype != "NONE") {
        None => base.to_owned(),
        Some(subtype) if socket_type == FLOAT => camel(subtype),
        Some(subtype) => format!("{base}{}", camel(subtype)),
    })
}

/// The socket type and the subtype that an annotation means, for example `Distance`, `FloatDistance`, `NodeSocketFloatDistance`.
pub fn read_type(text: &str, catalogue: &Catalogue) -> Option<(String, Option<String>)> {
    let text = text.strip_prefix(SOCKET).unwrap_or(text);
    if let Some((kind, _)) = catalogue.socket_type(&format!("{SOCKET}{text}")) {
        return Some((kind.to_owned(), None));
    }
    let known = catalogue.sockets.iter().find_map(|(kind, socket)| {
        let base = kind.strip_prefix(SOCKET)?;
        let rest = text.strip_prefix(base).or((kind == FLOAT).then_some(text))?;
        let subtype = socket.subtypes.iter().find(|subtype| camel(subtype) == rest)?;
        Some((kind.clone(), Some(subtype.clone())))
    });
    // A short enum (`FLOAT`) or a menu's name (`Boolean`) is understood as well.
    known.or_else(|| catalogue.socket_type(text).map(|(kind, _)| (kind.to_owned(), None)))
}

/// `COLOR_TEMPERATURE` → `ColorTemperature`.
fn camel(subtype: &str) -> String {
    let parts = subtype.split('_').map(|part| {
        let mut chars = part.chars();
        let first = chars.next().into_iter().flat_map(char::to_uppercase);
        first.chain(chars.flat_map(char::to_lowercase)).collect::<String>()
    });
    parts.collect()
}

/// The word around the value of an item: `FLOAT_VECTOR` → `Vector`; `None` where no socket has this type.
pub fn write_item_type(short: &str, catalogue: &Catalogue) -> Option<String> {
    let wanted = attribute_type(short);
    let socket = catalogue.sockets.iter().find(|(_, socket)| socket.short == wanted)?;
    write_type(socket.0, None)
}

/// The field of an item that names its type in this collection: `socket_type` or `data_type`.
pub fn item_type_field<'a>(catalogue: &'a Catalogue, bl_idname: &str, collection: &str) -> Option<&'a str> {
    let fields = &catalogue.nodes.get(bl_idname)?.collections.get(collection)?.fields;
    ["socket_type", "data_type"]
        .into_iter()
        .find(|field| fields.contains_key(*field))
}

/// The value of that field for a word around an item: the one of the collection's types whose word it is, or that it names itself.
pub fn read_item_type(text: &str, catalogue: &Catalogue, bl_idname: &str, collection: &str) -> Option<String> {
    let field = item_type_field(catalogue, bl_idname, collection)?;
    let fields = &catalogue.nodes.get(bl_idname)?.collections.get(collection)?.fields;
    let allowed = fields.get(field)?.get("items")?.as_array()?;
    let wanted = read_type(text, catalogue).and_then(|(kind, _)| write_type(&kind, None));
    let mut shorts = allowed.iter().filter_map(Value::as_str);
    let fits = |short: &&str| *short == text || wanted.is_some() && write_item_type(short, catalogue) == wanted;
    shorts.find(fits).map(str::to_owned)
}
