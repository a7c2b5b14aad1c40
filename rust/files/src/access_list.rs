//! Access lists of Windows as text (SDDL), such as `O:S-1-5-21-1-2-3-1001D:AI(A;ID;FA;;;SY)(A;ID;FA;;;S-1-5-21-1-2-3-1001)`.

/// Who may open everything on the computer anyway: the system, administrators of the computer, of the domain and of all of it, backups.
const MASTERS: [&str; 5] = ["SY", "BA", "DA", "EA", "BO"];

/// Why somebody but the user could read or have written what has this owner and list, if somebody could.
pub(crate) fn exposed(text: &str, user: &str) -> Option<&'static str> {
    // The first administrator of a computer has a name of two letters.
    let is_user = |who: &str| who == user || who == "LA" && user.ends_with("-500");
    let may = |who: &str| is_user(who) || MASTERS.contains(&who);
    let (owner, list) = text.split_once("D:").unwrap_or((text, "NO_ACCESS_CONTROL"));
    if !owner.strip_prefix("O:").is_some_and(may) {
        return Some("it belongs to another user");
    }
    let others =
        list.starts_with("NO_ACCESS_CONTROL") || entries(list).any(|entry| grants(entry) && !may(trustee(entry)));
    others.then_some(
        "others can read or write it (in its Properties, under Security, leave only yourself, SYSTEM and Administrators)",
    )
}

/// The entries; a condition within one has parentheses of its own.
fn entries(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    list.split(move |sign| {
        match sign {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => return false,
        }
        depth == usize::from(sign == '(')
    })
    .filter(|entry| entry.contains(';'))
}

/// Whether an entry allows something, and not only to what is made inside of a folder.
fn grants(entry: &str) -> bool {
    let mut fields = entry.split(';');
    let (kind, flags) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
    let only_inherited = flags.as_bytes().chunks(2).any(|flag| flag == b"IO");
    !matches!(kind, "D" | "OD" | "XD") && !only_inherited
}

fn trustee(entry: &str) -> &str {
    entry.split(';').nth(5).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const USER: &str = "S-1-5-21-1-2-3-1001";

    fn is_exposed(list: &str) -> bool {
        exposed(&format!("O:{USER}D:{list}"), USER).is_some()
    }

    #[test]
    fn what_only_the_user_and_administrators_open_is_private() {
        for list in [
            "",
            "P(A;;FA;;;S-1-5-21-1-2-3-1001)",
            "AI(A;ID;FA;;;SY)(A;ID;FA;;;BA)(A;ID;FA;;;S-1-5-21-1-2-3-1001)",
            "(A;OICIIO;FA;;;WD)",
            "(D;;FA;;;WD)(A;;FA;;;BA)",
            "(XA;;FX;;;BA;(@User.Title==\"x\" && (Member_of {SID(WD)})))(A;;FA;;;SY)",
        ] {
            assert!(!is_exposed(list), "{list}");
        }
        assert_eq!(exposed("O:BAD:(A;;FA;;;LA)", "S-1-5-21-1-2-3-500"), None);
    }

    #[test]
    fn everybody_else_is_named_by_any_entry_that_allows() {
        for list in [
            "(A;;FA;;;WD)",
            "(A;;FR;;;BU)",
            "AI(A;ID;FA;;;SY)(A;ID;0x1200a9;;;AU)",
            "(A;;FA;;;S-1-5-21-1-2-3-1002)",
            "(A;OICI;FA;;;WD)",
            "(A;;FA;;;LA)",
            "(XA;;FX;;;WD;(@User.Title==\"x\"))",
            "(XA;;FX;;;BA;((Exists a)))(A;;FR;;;WD)",
            "NO_ACCESS_CONTROL",
        ] {
            assert!(is_exposed(list), "{list}");
        }
        for text in ["", &format!("O:{USER}"), "D:(A;;FA;;;SY)", "O:WDD:(A;;FA;;;SY)"] {
            assert!(exposed(text, USER).is_some(), "{text}");
        }
    }
}
