//! The one registry of every code of the product. A code is stable once shipped; its doc line names the cause.
//!
//! Append a code in its section, in alphabetical order, with one doc line. Gates are `SCREAMING_SNAKE` on the wire, all others
//! `snake_case`; a test holds the variant and its wire form together. The schemas list the codes: run `cargo xtask schemas` afterwards.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! codes {
    ($($section:literal { $($(#[doc = $doc:literal])+ $variant:ident = $wire:literal,)+ })+) => {
        /// A stable code: what a finding, a message or an error is.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($($(#[doc = $doc])+ $variant,)+)+
        }

        impl Code {
            /// Every code, in the order of the registry.
            pub const ALL: &'static [Self] = &[$($(Self::$variant,)+)+];

            /// The code on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $($(Self::$variant => $wire,)+)+ }
            }

            /// What causes it, in one line.
            pub fn doc(self) -> &'static str {
                match self { $($(Self::$variant => concat!($($doc),+).trim_start(),)+)+ }
            }

            /// Part of the product that it belongs to.
            pub const fn section(self) -> &'static str {
                match self { $($(Self::$variant)|+ => $section,)+ }
            }
        }
    };
}

codes! {
    "gates" {
        /// The predicted cost of the plan would freeze Blender.
        BlowupRisk = "BLOWUP_RISK",
        /// The evaluated result has another number of elements than the plan says.
        ExpectedEffects = "EXPECTED_EFFECTS",
        /// The evaluated result has coordinates that are not finite.
        FiniteBounds = "FINITE_BOUNDS",
        /// A link in the tree is invalid.
        NoInvalidLinks = "NO_INVALID_LINKS",
        /// A modifier reports an error.
        NoModifierError = "NO_MODIFIER_ERROR",
        /// A node reports a warning.
        NoNodeWarnings = "NO_NODE_WARNINGS",
        /// A modifier appeared that the plan did not name.
        NoUnexpectedNewModifier = "NO_UNEXPECTED_NEW_MODIFIER",
        /// A node group appeared that the plan did not name.
        NoUnexpectedNewNodeGroup = "NO_UNEXPECTED_NEW_NODE_GROUP",
        /// A node that the plan made certainly does nothing.
        NodesHaveEffect = "NODES_HAVE_EFFECT",
        /// The evaluated result is empty although nobody asked for that.
        NotEmpty = "NOT_EMPTY",
        /// The Group Output's geometry is not connected.
        OutputConnected = "OUTPUT_CONNECTED",
        /// The tree has no active Group Output or more than one.
        SingleGroupOutput = "SINGLE_GROUP_OUTPUT",
        /// A node that the plan does not name was changed.
        UserNodesUntouched = "USER_NODES_UNTOUCHED",
    }
    "protocol" {
        /// Two fields are given of which only one may be.
        ConflictingFields = "conflicting_fields",
        /// Context is asked for together with steps or with `done: true`.
        ContextRequestsNotAllowed = "context_requests_not_allowed",
        /// The text ends before the plan does, at a place where its meaning is not certain.
        CutOff = "cut_off",
        /// An object has the same key twice.
        DuplicateKey = "duplicate_key",
        /// Two steps have the same ID.
        DuplicateStepId = "duplicate_step_id",
        /// A text that must say something is empty.
        EmptyString = "empty_string",
        /// Gate verification is switched off although the plan has steps.
        GateVerificationRequired = "gate_verification_required",
        /// A word is not one of the allowed ones.
        InvalidEnum = "invalid_enum",
        /// The text is not JSON.
        InvalidJson = "invalid_json",
        /// A value is of a kind that no socket or property takes.
        InvalidValue = "invalid_value",
        /// A required field is missing.
        MissingField = "missing_field",
        /// More was found than is reported.
        MoreFindings = "more_findings",
        /// A number is NaN, infinite or too large.
        NonFiniteNumber = "non_finite_number",
        /// A number, a length or a range is outside its bounds.
        OutOfRange = "out_of_range",
        /// The text of the plan is larger than allowed.
        PlanTooLarge = "plan_too_large",
        /// The script of a Python step is longer than allowed.
        PythonTooLong = "python_too_long",
        /// The text around the plan was left out: a code fence.
        RecoveredCodeFence = "recovered_code_fence",
        /// The missing last brace was added.
        RecoveredCutOff = "recovered_cut_off",
        /// The text around the plan was left out: prose.
        RecoveredProse = "recovered_prose",
        /// Commas before a closing bracket were left out.
        RecoveredTrailingComma = "recovered_trailing_comma",
        /// A reserved node ID is given to a node of another type.
        ReservedId = "reserved_id",
        /// The text holds several plans.
        SeveralPlans = "several_plans",
        /// Objects and arrays are nested deeper than allowed.
        TooDeep = "too_deep",
        /// The plan has more operations than allowed.
        TooManyOperations = "too_many_operations",
        /// The plan has more steps than allowed.
        TooManySteps = "too_many_steps",
        /// A field does not exist (in this version of the protocol).
        UnknownField = "unknown_field",
        /// An operation does not exist (in this version of the protocol).
        UnknownOp = "unknown_op",
        /// A step type does not exist.
        UnknownStepType = "unknown_step_type",
        /// The version of the protocol is not supported.
        UnsupportedVersion = "unsupported_version",
        /// A value is of the wrong JSON type.
        WrongType = "wrong_type",
    }
    "preflight" {
        /// A socket name fits several sockets.
        AmbiguousSocket = "ambiguous_socket",
        /// A text in a document or name is too long for Blender (63 bytes, 255 from 5.0).
        BadName = "bad_name",
        /// A link would close a cycle.
        Cycle = "cycle",
        /// An ID is used twice for different things.
        DuplicateId = "duplicate_id",
        /// A field is connected to an input that takes single values only.
        FieldIntoSingle = "field_into_single",
        /// No link of this kind is possible between these sockets.
        IllegalLink = "illegal_link",
        /// A document that crosses the border between Blender and the core does not have its form.
        InvalidDocument = "invalid_document",
        /// The node exists already; what the plan says of it differs and was not applied.
        LeftUnchanged = "left_unchanged",
        /// The data belongs to a linked library and cannot be edited.
        LibraryData = "library_data",
        /// The node is of another type than the plan says.
        NodeTypeMismatch = "node_type_mismatch",
        /// What is to be removed is not there; nothing was done.
        NothingToRemove = "nothing_to_remove",
        /// The object's type cannot carry a Geometry Nodes modifier.
        ObjectTypeUnsupported = "object_type_unsupported",
        /// An operation that was added by `register_op` cannot be carried out.
        OperationFailed = "operation_failed",
        /// A property is read-only.
        ReadOnlyProperty = "read_only_property",
        /// A certain mistake in the plan was repaired.
        Repaired = "repaired",
        /// The node group is used elsewhere too; every user changes.
        SharedNodeGroup = "shared_node_group",
        /// A socket of the interface exists with another type.
        SocketTypeMismatch = "socket_type_mismatch",
        /// The tree changed since the plan was made.
        StaleBase = "stale_base",
        /// The target does not exist and the plan does not allow making it.
        TargetMissing = "target_missing",
        /// The socket exists but is not available in the node's present mode.
        UnavailableSocket = "unavailable_socket",
        /// The node has no such collection of items.
        UnknownCollection = "unknown_collection",
        /// The file has no such data-block.
        UnknownDataBlock = "unknown_data_block",
        /// The interface or modifier has no such input.
        UnknownInput = "unknown_input",
        /// The object has no such modifier.
        UnknownModifier = "unknown_modifier",
        /// The tree has no such node.
        UnknownNode = "unknown_node",
        /// The file has no such node group.
        UnknownNodeGroup = "unknown_node_group",
        /// This Blender has no such node type.
        UnknownNodeType = "unknown_node_type",
        /// The scene has no such object.
        UnknownObject = "unknown_object",
        /// The node has no such property.
        UnknownProperty = "unknown_property",
        /// The node has no such socket.
        UnknownSocket = "unknown_socket",
        /// This Blender has no such socket type.
        UnknownSocketType = "unknown_socket_type",
        /// The tree has no such zone.
        UnknownZone = "unknown_zone",
        /// A geometry output and a geometry input of what the plan makes have no link; perhaps one was forgotten.
        UnlinkedGeometry = "unlinked_geometry",
        /// An edit would leave or make half a zone.
        ZoneIncomplete = "zone_incomplete",
        /// A link crosses a zone boundary in a way that Blender does not allow.
        ZoneViolation = "zone_violation",
    }
    "gate causes" {
        /// The measured count is not what the plan or its words say.
        CountMismatch = "count_mismatch",
        /// The result of a node goes nowhere.
        DeadEnd = "dead_end",
        /// A node group has no Group Output, so its group nodes give nothing.
        EmptyGroup = "empty_group",
        /// Every instance shows nothing.
        EmptyInstances = "empty_instances",
        /// A named attribute is read that nothing makes.
        MissingAttribute = "missing_attribute",
        /// A node lacks the object, collection, material or image that it is about.
        MissingData = "missing_data",
        /// A group node has no node group.
        MissingGroup = "missing_group",
        /// A node gets only components that it does not act on.
        NoEffect = "no_effect",
        /// Blender of this version does not say it.
        NotAvailable = "not_available",
        /// A node gets no geometry at all.
        NothingReceived = "nothing_received",
        /// The modifier gives back what it was given.
        Unchanged = "unchanged",
    }
    "run" {
        /// The step needs the artist's approval and nobody can give it here.
        ApprovalRequired = "approval_required",
        /// The run was cancelled.
        Cancelled = "cancelled",
        /// Earlier turns of the conversation do not fit into its budget; the model is not told them.
        ConversationCut = "conversation_cut",
        /// No conversation of this name is kept; it begins anew.
        ConversationUnknown = "conversation_unknown",
        /// The native part of the add-on cannot be loaded.
        CoreMissing = "core_missing",
        /// The requests of the run cost more than allowed.
        CostLimit = "cost_limit",
        /// The process of a dry run ended without a result.
        DryRunCrashed = "dry_run_crashed",
        /// A dry run needed more memory than it may use.
        DryRunMemory = "dry_run_memory",
        /// A dry run took longer than it may.
        DryRunTimeout = "dry_run_timeout",
        /// The plan has no steps, is not done and asks for nothing.
        EmptyPlan = "empty_plan",
        /// Blender failed while carrying out a step.
        ExecutionFailed = "execution_failed",
        /// A manifest's expectation is not met by the scene.
        ExpectationFailed = "expectation_failed",
        /// An operation or a step type cannot be added to the protocol.
        ExtensionInvalid = "extension_invalid",
        /// A required gate failed.
        GateFailed = "gate_failed",
        /// Something that must not happen; the trace is in the local log only.
        InternalError = "internal_error",
        /// The command line or the arguments of a call make no sense.
        InvalidArgument = "invalid_argument",
        /// The run used up its turns without fulfilling the wish.
        IterationsExhausted = "iterations_exhausted",
        /// The provider keeps giving the same answer that failed before.
        NoProgress = "no_progress",
        /// The plan was refused.
        PlanRejected = "plan_rejected",
        /// The prompt has no words.
        PromptEmpty = "prompt_empty",
        /// The prompt is longer than allowed.
        PromptTooLong = "prompt_too_long",
        /// Scripts are not allowed by the settings of this run.
        PythonNotAllowed = "python_not_allowed",
        /// A script stands in a plan after which, or before which, the run changes the file too.
        PythonOutOfTurn = "python_out_of_turn",
        /// Restoring did not give back the state before the run.
        RestoreFailed = "restore_failed",
        /// Another run is under way.
        RunInProgress = "run_in_progress",
        /// The whole run took longer than allowed.
        RunTimeout = "run_timeout",
        /// A saved run is damaged, or was saved by another version.
        SavedRunInvalid = "saved_run_invalid",
        /// A setting is outside its range or unknown.
        SettingInvalid = "setting_invalid",
        /// The requests of the run used more tokens than allowed.
        TokenLimit = "token_limit",
        /// The artist changed during the run what the run touches.
        TouchedByArtist = "touched_by_artist",
        /// What earlier turns of a saved run had made is not in the file.
        TurnsLost = "turns_lost",
        /// Blender could not take back what a script does, so it does not run.
        UndoUnavailable = "undo_unavailable",
        /// The artist rejected the plan.
        UserRejected = "user_rejected",
        /// The call would freeze Blender's window.
        WouldBlock = "would_block",
        /// Blender's data is used from another thread than its main one.
        WrongThread = "wrong_thread",
    }
    "planner" {
        /// A parameter that has no default is missing from the words.
        MissingParameter = "missing_parameter",
        /// No preset fits the words.
        NoPresetMatch = "no_preset_match",
        /// The words are not English.
        NotEnglish = "not_english",
        /// The object that the wish needs is hidden, so that its result cannot be checked.
        ObjectHidden = "object_hidden",
        /// Only a part of the words was understood.
        PartlyUnderstood = "partly_understood",
        /// A preset file does not have its form.
        PresetInvalid = "preset_invalid",
        /// The words hold several wishes.
        SeveralWishes = "several_wishes",
        /// The object is of a kind that the preset cannot use.
        WrongObjectKind = "wrong_object_kind",
    }
    "script" {
        /// A script reads, writes or calls an attribute that safe mode does not allow.
        ScriptAttribute = "script_attribute",
        /// A script changed what outlives it (handlers, preferences, texts, drivers); everything was put back.
        ScriptBreach = "script_breach",
        /// A call of a script is not allowed in this form.
        ScriptCall = "script_call",
        /// A script has characters that hide what it does: control, bidirectional, zero-width, look-alike.
        ScriptCharacter = "script_character",
        /// A class of a script is not allowed in this form.
        ScriptClass = "script_class",
        /// A part of a script removes data; the artist is asked.
        ScriptDestructive = "script_destructive",
        /// A loop of a script never ends.
        ScriptEndless = "script_endless",
        /// A handler of a script would swallow the signal that stops it.
        ScriptException = "script_exception",
        /// A script raised an exception of its own; the details name its type and line.
        ScriptFailed = "script_failed",
        /// A text is formatted in a way that reaches attributes or grows without bounds.
        ScriptFormat = "script_format",
        /// A script imports what safe mode does not allow.
        ScriptImport = "script_import",
        /// A script is nested deeper or chained longer than allowed.
        ScriptLimit = "script_limit",
        /// A script took more memory than it may and was stopped.
        ScriptMemory = "script_memory",
        /// What Python compiles a script to is not what was checked.
        ScriptMismatch = "script_mismatch",
        /// A module is used as a value, or a member of it is not allowed.
        ScriptModule = "script_module",
        /// A script uses a name that safe mode does not allow.
        ScriptName = "script_name",
        /// A script makes a node that reads or writes files or runs scripts.
        ScriptNode = "script_node",
        /// A script calls an operator that safe mode does not allow.
        ScriptOperator = "script_operator",
        /// Safe mode refuses a script; the findings in the details say where and why.
        ScriptRefused = "script_refused",
        /// A number in a script would take all memory or freeze Blender.
        ScriptSize = "script_size",
        /// A statement or expression is of a kind that safe mode does not allow.
        ScriptStatement = "script_statement",
        /// The text is not Python as every supported Blender reads it.
        ScriptSyntax = "script_syntax",
        /// A script took longer than it may and was stopped.
        ScriptTimeout = "script_timeout",
        /// A type of Blender is used for more than a comparison.
        ScriptType = "script_type",
    }
    "files" {
        /// The .blend file is incomplete or overwritten.
        DamagedBlend = "damaged_blend",
        /// A file of the add-on's own was damaged; it was set aside.
        DamagedFile = "damaged_file",
        /// No space is left on the disk.
        DiskFull = "disk_full",
        /// The file does not exist.
        FileNotFound = "file_not_found",
        /// The file is larger than allowed.
        FileTooLarge = "file_too_large",
        /// The path cannot be used.
        InvalidPath = "invalid_path",
        /// A manifest does not have its form.
        ManifestInvalid = "manifest_invalid",
        /// The file was saved by a newer Blender.
        NewerBlend = "newer_blend",
        /// The .blend is unsaved, so there is no project folder.
        NoProject = "no_project",
        /// The file is not a .blend file.
        NotABlend = "not_a_blend",
        /// A conversation or a reply could not be kept on this computer.
        NotKept = "not_kept",
        /// The output folder cannot be written.
        OutputNotWritable = "output_not_writable",
        /// The file may not be read or written.
        PermissionDenied = "permission_denied",
    }
    "provider" {
        /// The provider refused the key.
        AuthFailed = "auth_failed",
        /// No key is given.
        AuthMissing = "auth_missing",
        /// The provider refused the request as malformed.
        BadRequest = "bad_request",
        /// The provider's answer does not have its form.
        BadResponse = "bad_response",
        /// The provider refused the content.
        ContentRefused = "content_refused",
        /// The request is longer than the model can read.
        ContextTooLong = "context_too_long",
        /// Plain http goes to a host that is not this machine.
        InsecureUrl = "insecure_url",
        /// The file of keys does not have its form.
        KeyFileDamaged = "key_file_damaged",
        /// The file of keys could be read or chosen by others: its mode, its owner, a link.
        KeyFileUnsafe = "key_file_unsafe",
        /// The API key holds characters that keys never have.
        KeyInvalid = "key_invalid",
        /// A key store refuses: it is locked, or something is wrong with it.
        KeyStoreRefused = "key_store_refused",
        /// The provider cannot be reached.
        Network = "network",
        /// Blender's online access is switched off.
        OnlineAccessDisabled = "online_access_disabled",
        /// The provider is overloaded.
        Overloaded = "overloaded",
        /// The account has no quota left.
        QuotaExhausted = "quota_exhausted",
        /// The provider asks to slow down.
        RateLimited = "rate_limited",
        /// The provider refused the schema.
        SchemaRefused = "schema_refused",
        /// The provider did not answer in time.
        Timeout = "timeout",
        /// The provider does not know the model.
        UnknownModel = "unknown_model",
    }
    "policy" {
        /// Something of the scene does not fit into its budget; the model is not shown it.
        ContextCut = "context_cut",
        /// A part of the context that the request asks for says nothing.
        ContextKeyEmpty = "context_key_empty",
        /// A part of the context that the request asks for is not there.
        ContextKeyMissing = "context_key_missing",
        /// More requests or tokens would go out in a minute or a day than the settings allow.
        RequestQuota = "request_quota",
        /// A schema would go out that this program did not make, or that refers to another document.
        SchemaNotAllowed = "schema_not_allowed",
        /// An API key or what looks like one was taken out of a text.
        SecretRedacted = "secret_redacted",
    }
    "tools" {
        /// Data would go to a host that is not allowed.
        EgressDenied = "egress_denied",
        /// More calls came at once than can wait.
        ToolBusy = "tool_busy",
        /// The tool was called more often in this run than allowed.
        ToolQuota = "tool_quota",
        /// The tool did not answer in time.
        ToolTimeout = "tool_timeout",
        /// No result of this run has the reference, or it was let go for newer ones.
        UnknownReference = "unknown_reference",
        /// There is no tool of this name.
        UnknownTool = "unknown_tool",
    }
    "audit" {
        /// Somebody or something changed the audit log.
        AuditBroken = "audit_broken",
        /// The audit log, or an entry of it, would be larger than allowed.
        AuditFull = "audit_full",
        /// The audit log cannot be read or written.
        AuditUnwritable = "audit_unwritable",
    }
    "messages" {
        /// The request body does not have its form.
        BodyInvalid = "body_invalid",
        /// The model cannot do what the request needs.
        CapabilityMismatch = "capability_mismatch",
        /// No known model can do what the request needs.
        NoCapableModel = "no_capable_model",
        /// No provider is chosen.
        ProviderMissing = "provider_missing",
        /// The reply does not have its form.
        ReturnInvalid = "return_invalid",
        /// Streaming is switched off for the provider.
        StreamingDisabledProvider = "streaming_disabled_provider",
        /// The model cannot stream.
        StreamingUnsupportedModel = "streaming_unsupported_model",
        /// A tool call does not have its form.
        ToolValidationError = "tool_validation_error",
        /// The cause is not known.
        Unknown = "unknown",
        /// The provider is not known.
        UnknownProvider = "unknown_provider",
    }
}

/// Further names of codes. A text that is one of them is read as the code; nothing is ever written with it.
///
/// The client's errors and the messages of a run name the same causes; both use the client's names.
pub const ALIASES: &[(&str, Code)] = &[
    ("authentication_missing", Code::AuthMissing),
    ("authorization_failed", Code::AuthFailed),
    ("network_timeout", Code::Timeout),
];

/// The text is no code of the registry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown code {0:?}")]
pub struct UnknownCode(pub String);

impl FromStr for Code {
    type Err = UnknownCode;

    fn from_str(text: &str) -> Result<Self, UnknownCode> {
        Self::ALL
            .iter()
            .copied()
            .find(|code| code.as_str() == text)
            .or_else(|| ALIASES.iter().find(|(name, _)| *name == text).map(|(_, code)| *code))
            .ok_or_else(|| UnknownCode(text.to_owned()))
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Code {
    fn schema_name() -> Cow<'static, str> {
        "Code".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let all: Vec<&str> = Self::ALL.iter().map(|code| code.as_str()).collect();
        json_schema!({"type": "string", "enum": all, "description": "A stable code."})
    }
}

#[cfg(test)]
mod tests {
    use super::Code;

    /// `NoModifierError` → `no_modifier_error`.
    fn snake(variant: &str) -> String {
        let mut out = String::new();
        for c in variant.chars() {
            if c.is_ascii_uppercase() && !out.is_empty() {
                out.push('_');
            }
            out.push(c.to_ascii_lowercase());
        }
        out
    }

    #[test]
    fn wire_form_follows_the_variant_and_is_unique() {
        let mut seen = std::collections::HashSet::new();
        assert!(Code::ALL.len() > 100);
        for code in Code::ALL {
            let name = snake(&format!("{code:?}"));
            let expected = if code.section() == "gates" {
                name.to_uppercase()
            } else {
                name
            };
            assert_eq!(code.as_str(), expected);
            assert!(seen.insert(code.as_str()), "{code} is listed twice");
            assert_eq!(code.as_str().parse(), Ok(*code));
            assert!(code.doc().ends_with('.'), "{code}: the doc line is a sentence");
        }
    }

    #[test]
    fn an_alias_is_read_as_its_code_and_is_none_itself() {
        for (name, code) in super::ALIASES {
            assert_eq!(name.parse(), Ok(*code));
            assert!(Code::ALL.iter().all(|code| code.as_str() != *name), "{name}");
        }
    }

    #[test]
    fn alphabetical_within_each_section() {
        for pair in Code::ALL
            .windows(2)
            .filter(|pair| pair[0].section() == pair[1].section())
        {
            assert!(
                format!("{:?}", pair[0]) < format!("{:?}", pair[1]),
                "{} stands before {}",
                pair[0],
                pair[1]
            );
        }
    }
}
