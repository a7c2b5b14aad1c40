//! Every code of the product with its cause and its fix.
//!
//! Append a code in its section, in alphabetical order: a doc line that names the cause, the code on the wire, and what to do about it. Gates
//! are `SCREAMING_SNAKE` on the wire, all others `snake_case`; a test holds the variant and its wire form together, another that the product
//! produces each code and a test names it. The schemas and the page of codes list them: run `cargo xtask schemas` and
//! `UPDATE=1 cargo test -p geonode-protocol --test it reference` afterwards.

macro_rules! codes {
    ($($section:literal { $($(#[doc = $doc:literal])+ $variant:ident = $wire:literal => $fix:literal,)+ })+) => {
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

            /// What to do about it, in one line.
            pub const fn fix(self) -> &'static str {
                match self { $($(Self::$variant => $fix,)+)+ }
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
        BlowupRisk = "BLOWUP_RISK" => "Lower counts, densities and levels of subdivision, or show instances instead of realizing them.",
        /// The evaluated result has another number of elements than the plan says.
        ExpectedEffects = "EXPECTED_EFFECTS" => "Change the inputs that decide the number, or the expectation, so that both say the same.",
        /// The evaluated result has coordinates that are not finite.
        FiniteBounds = "FINITE_BOUNDS" => "Look for divisions by zero, roots of negative numbers and very large scales.",
        /// A link in the tree is invalid.
        NoInvalidLinks = "NO_INVALID_LINKS" => "Link sockets of kinds that convert into each other, or put a conversion between them.",
        /// A modifier reports an error.
        NoModifierError = "NO_MODIFIER_ERROR" => "Read the error in the details and mend the modifier or what it refers to.",
        /// A node reports a warning.
        NoNodeWarnings = "NO_NODE_WARNINGS" => "Read the warning in the details and mend the node's inputs.",
        /// A modifier appeared that the plan did not name.
        NoUnexpectedNewModifier = "NO_UNEXPECTED_NEW_MODIFIER" => "Name every modifier that a step adds as the target of that step.",
        /// A node group appeared that the plan did not name.
        NoUnexpectedNewNodeGroup = "NO_UNEXPECTED_NEW_NODE_GROUP" => "Name every node group that a step makes as the target of that step.",
        /// A node that the plan made certainly does nothing.
        NodesHaveEffect = "NODES_HAVE_EFFECT" => "Link the node so that its result reaches the output, or leave it out; the cause in the details says why it does nothing.",
        /// The evaluated result is empty although nobody asked for that.
        NotEmpty = "NOT_EMPTY" => "Look where the geometry gets lost: selections, counts of zero, objects and collections that are not set.",
        /// The Group Output's geometry is not connected.
        OutputConnected = "OUTPUT_CONNECTED" => "Link a geometry to the Group Output.",
        /// The tree has no active Group Output or more than one.
        SingleGroupOutput = "SINGLE_GROUP_OUTPUT" => "Keep one Group Output and make it the active one.",
        /// A node that the plan does not name was changed.
        UserNodesUntouched = "USER_NODES_UNTOUCHED" => "Name the nodes that are to be changed, or leave them as they are.",
    }
    "protocol" {
        /// Two fields are given of which only one may be.
        ConflictingFields = "conflicting_fields" => "Leave one of the two out.",
        /// Context is asked for together with steps or with `done: true`.
        ContextRequestsNotAllowed = "context_requests_not_allowed" => "Ask first, with no steps and `done: false`; plan in the next turn.",
        /// The text ends before the plan does, at a place where its meaning is not certain.
        CutOff = "cut_off" => "Send the whole plan; a shorter one if the reply reached its limit.",
        /// An object has the same key twice.
        DuplicateKey = "duplicate_key" => "Keep one of the two.",
        /// Two steps have the same ID.
        DuplicateStepId = "duplicate_step_id" => "Give each step its own ID.",
        /// A text that must say something is empty.
        EmptyString = "empty_string" => "Say something, or leave the field out where it is optional.",
        /// Gate verification is switched off although the plan has steps.
        GateVerificationRequired = "gate_verification_required" => "Leave `requires_gate_verification` out.",
        /// A word is not one of the allowed ones.
        InvalidEnum = "invalid_enum" => "Take one of the words that the message lists.",
        /// The text is not JSON.
        InvalidJson = "invalid_json" => "Send one JSON object and nothing around it; the message says where reading stopped.",
        /// A value is of a kind that no socket or property takes.
        InvalidValue = "invalid_value" => "Send a number, a bool, a string, a list of them, or a data-block such as `{\"object\": NAME}`.",
        /// A required field is missing.
        MissingField = "missing_field" => "Add the field.",
        /// More was found than is reported.
        MoreFindings = "more_findings" => "Mend those that are reported; the others are reported then.",
        /// A number is NaN, infinite or too large.
        NonFiniteNumber = "non_finite_number" => "Send an ordinary number.",
        /// A number, a length or a range is outside its bounds.
        OutOfRange = "out_of_range" => "Stay within the bounds that the message names.",
        /// The text of the plan is larger than allowed.
        PlanTooLarge = "plan_too_large" => "Split the work over several plans with `done: false`.",
        /// The script of a Python step is longer than allowed.
        PythonTooLong = "python_too_long" => "Split the script over several steps, or use a NODE_TREE step.",
        /// The text around the plan was left out: a code fence.
        RecoveredCodeFence = "recovered_code_fence" => "Nothing needs to be done; plans need no fence.",
        /// The missing last brace was added.
        RecoveredCutOff = "recovered_cut_off" => "Nothing needs to be done; check that the plan is whole.",
        /// The text around the plan was left out: prose.
        RecoveredProse = "recovered_prose" => "Nothing needs to be done; plans need no prose around them.",
        /// Commas before a closing bracket were left out.
        RecoveredTrailingComma = "recovered_trailing_comma" => "Nothing needs to be done; JSON has no comma before a closing bracket.",
        /// A reserved node ID is given to a node of another type.
        ReservedId = "reserved_id" => "Choose another ID; `group_input` and `group_output` name the tree's own nodes.",
        /// The text holds several plans.
        SeveralPlans = "several_plans" => "Send one plan.",
        /// Objects and arrays are nested deeper than allowed.
        TooDeep = "too_deep" => "Nest less deeply.",
        /// The plan has more operations than allowed.
        TooManyOperations = "too_many_operations" => "Split the work over several plans with `done: false`.",
        /// The plan has more steps than allowed.
        TooManySteps = "too_many_steps" => "Send the first steps with `done: false`, the others in the next turn.",
        /// A field does not exist (in this version of the protocol).
        UnknownField = "unknown_field" => "Leave the field out, or take the name that the message proposes.",
        /// An operation does not exist (in this version of the protocol).
        UnknownOp = "unknown_op" => "Take one of the operations that the message lists, or set `version` to \"1.1\" for a newer one.",
        /// A step type does not exist.
        UnknownStepType = "unknown_step_type" => "Take one of the step types that the message lists.",
        /// The version of the protocol is not supported.
        UnsupportedVersion = "unsupported_version" => "Set `version` to \"1.1\".",
        /// A value is of the wrong JSON type.
        WrongType = "wrong_type" => "Send the type that the message names.",
    }
    "preflight" {
        /// A socket name fits several sockets.
        AmbiguousSocket = "ambiguous_socket" => "Name the socket by its identifier.",
        /// A text in a document or name is too long for Blender (63 bytes, 255 from 5.0).
        BadName = "bad_name" => "Take a shorter name.",
        /// A link would close a cycle.
        Cycle = "cycle" => "Leave out the link that leads back; a repeat zone or a simulation zone carries values back.",
        /// An ID is used twice for different things.
        DuplicateId = "duplicate_id" => "Give each node its own ID.",
        /// A field is connected to an input that takes single values only.
        FieldIntoSingle = "field_into_single" => "Link a single value, or make the field one with Sample Index or Attribute Statistic.",
        /// No link of this kind is possible between these sockets.
        IllegalLink = "illegal_link" => "Link sockets of kinds that convert into each other, outputs to inputs.",
        /// A document that crosses the border between Blender and the core does not have its form.
        InvalidDocument = "invalid_document" => "This is a defect of the host or of who calls the core; FORMATS.md specifies the document.",
        /// The node exists already; what the plan says of it differs and was not applied.
        LeftUnchanged = "left_unchanged" => "Name what shall change by operations of its own, such as `set_property`.",
        /// The data belongs to a linked library and cannot be edited.
        LibraryData = "library_data" => "Make the data local or override it in Blender first.",
        /// A name for something new is taken; it gets the next free one, and what is there stays.
        NameTaken = "name_taken" => "Nothing is to be done; name nodes of the tree to edit what is there.",
        /// The node is of another type than the plan says.
        NodeTypeMismatch = "node_type_mismatch" => "Take another ID, or the type that the node has.",
        /// What is to be removed is not there; nothing was done.
        NothingToRemove = "nothing_to_remove" => "Nothing needs to be done.",
        /// The object's type cannot carry a Geometry Nodes modifier.
        ObjectTypeUnsupported = "object_type_unsupported" => "Target a mesh, curve, text, point cloud, volume or Grease Pencil object.",
        /// An operation that was added by `register_op` cannot be carried out.
        OperationFailed = "operation_failed" => "Read the reason, which the operation's own code gave.",
        /// A certain mistake in the plan was repaired.
        Repaired = "repaired" => "Nothing needs to be done; the message says what was meant.",
        /// The node group is used elsewhere too; every user changes.
        SharedNodeGroup = "shared_node_group" => "Set `single_user: true` so that the others keep theirs, or accept that all change.",
        /// A socket of the interface exists with another type.
        SocketTypeMismatch = "socket_type_mismatch" => "Take another name, or remove the socket first.",
        /// The tree changed since the plan was made.
        StaleBase = "stale_base" => "Plan again against the tree as it is now.",
        /// The target does not exist and the plan does not allow making it.
        TargetMissing = "target_missing" => "Name an existing object, modifier and node group, or allow the modifier to be made.",
        /// The socket exists but is not available in the node's present mode.
        UnavailableSocket = "unavailable_socket" => "Set the property first that makes the socket available; the message names it where it is known.",
        /// The node has no such collection of items.
        UnknownCollection = "unknown_collection" => "Take one of the collections that the message lists.",
        /// The file has no such data-block.
        UnknownDataBlock = "unknown_data_block" => "Take the name of a data-block of this file.",
        /// The interface or modifier has no such input.
        UnknownInput = "unknown_input" => "Take one of the inputs that the message lists.",
        /// The object has no such modifier.
        UnknownModifier = "unknown_modifier" => "Take the name of a modifier of the object.",
        /// The tree has no such node.
        UnknownNode = "unknown_node" => "Create the node first, or take the ID of one that exists.",
        /// The file has no such node group.
        UnknownNodeGroup = "unknown_node_group" => "Take the name of a node group of this file, or make it in an earlier step.",
        /// This Blender has no such node type.
        UnknownNodeType = "unknown_node_type" => "Take the type that the message proposes; versions of Blender differ.",
        /// The scene has no such object.
        UnknownObject = "unknown_object" => "Take the name of an object of the scene.",
        /// The node has no such property.
        UnknownProperty = "unknown_property" => "Take one of the properties that the message lists.",
        /// The node has no such socket.
        UnknownSocket = "unknown_socket" => "Take one of the sockets that the message lists.",
        /// This Blender has no such socket type.
        UnknownSocketType = "unknown_socket_type" => "Take one of the socket types that the message lists.",
        /// The tree has no such zone.
        UnknownZone = "unknown_zone" => "Add the zone first, or take the ID of one that exists.",
        /// A geometry output and a geometry input of what the plan makes have no link; perhaps one was forgotten.
        UnlinkedGeometry = "unlinked_geometry" => "Add the link that the hint names, or leave it if it is meant so.",
        /// An edit would leave or make half a zone.
        ZoneIncomplete = "zone_incomplete" => "Add and remove zones as a whole, with `add_zone` and `remove_zone`.",
        /// A link crosses a zone boundary in a way that Blender does not allow.
        ZoneViolation = "zone_violation" => "Pass the value through the zone's items.",
    }
    "gate causes" {
        /// The measured count is not what the plan or its words say.
        CountMismatch = "count_mismatch" => "Change what decides the count, or what the plan says of it.",
        /// The result of a node goes nowhere.
        DeadEnd = "dead_end" => "Link the result onwards, or leave the node out.",
        /// A node group has no Group Output, so its group nodes give nothing.
        EmptyGroup = "empty_group" => "Give the node group a Group Output with a linked geometry.",
        /// Every instance shows nothing.
        EmptyInstances = "empty_instances" => "Give the instances an object, collection or geometry that has something to show.",
        /// A named attribute is read that nothing makes.
        MissingAttribute = "missing_attribute" => "Store the attribute upstream under this name, or read another.",
        /// A node lacks the object, collection, material or image that it is about.
        MissingData = "missing_data" => "Set the object, collection, material or image of the node.",
        /// A group node has no node group.
        MissingGroup = "missing_group" => "Set the node group of the node.",
        /// A node gets only components that it does not act on.
        NoEffect = "no_effect" => "Give the node the component that it acts on, for example by converting or realizing before it.",
        /// Blender of this version does not say it.
        NotAvailable = "not_available" => "Nothing can be done in this version; the other gates judge all the same.",
        /// A node gets no geometry at all.
        NothingReceived = "nothing_received" => "Link a geometry to the node.",
        /// The modifier gives back what it was given.
        Unchanged = "unchanged" => "Link what the tree makes to the Group Output.",
    }
    "run" {
        /// The step needs the artist's approval and nobody can give it here.
        ApprovalRequired = "approval_required" => "Run it in the interface, or allow it beforehand (`approve`).",
        /// The run was cancelled.
        Cancelled = "cancelled" => "Start it again when you want it.",
        /// Earlier turns of the conversation do not fit into its budget; the model is not told them.
        ConversationCut = "conversation_cut" => "Raise `conversation_tokens`, or begin a new conversation.",
        /// No conversation of this name is kept; it begins anew.
        ConversationUnknown = "conversation_unknown" => "Nothing needs to be done; say again what the earlier turns were about.",
        /// The native part of the add-on cannot be loaded.
        CoreMissing = "core_missing" => "Install the add-on built for this system, and Blender 4.2 or newer.",
        /// The requests of the run cost more than allowed.
        CostLimit = "cost_limit" => "Raise `max_run_cost`, or ask for less.",
        /// The process of a dry run ended without a result.
        DryRunCrashed = "dry_run_crashed" => "Lower counts and levels: applied here, the plan could have ended Blender.",
        /// A dry run needed more memory than it may use.
        DryRunMemory = "dry_run_memory" => "Lower counts and levels, or raise `dry_run_mb`.",
        /// A dry run took longer than it may.
        DryRunTimeout = "dry_run_timeout" => "Lower counts and levels, or raise `dry_run_s`.",
        /// The plan has no steps, is not done and asks for nothing.
        EmptyPlan = "empty_plan" => "Send steps, or `done: true`, or `context_requests`.",
        /// Blender failed while carrying out a step.
        ExecutionFailed = "execution_failed" => "Read the cause in the message; the file is as it was before.",
        /// An operation or a step type cannot be added to the protocol.
        ExtensionInvalid = "extension_invalid" => "Give a free name and the schema of an object, as the message says.",
        /// A required gate failed.
        GateFailed = "gate_failed" => "See the failed gates and their causes; the file is as it was before.",
        /// Something that must not happen; the trace is in the local log only.
        InternalError = "internal_error" => "Report it with the local log; the file is as it was before.",
        /// The command line or the arguments of a call make no sense.
        InvalidArgument = "invalid_argument" => "Call it as the message says; `--help` lists the arguments.",
        /// The run used up its turns without fulfilling the wish.
        IterationsExhausted = "iterations_exhausted" => "Ask for less at once, or raise `max_iterations`.",
        /// The prompt has no words.
        PromptEmpty = "prompt_empty" => "Say in a sentence what you want.",
        /// The prompt is longer than allowed.
        PromptTooLong = "prompt_too_long" => "Shorten it, or say it in several runs.",
        /// Scripts are not allowed by the settings of this run.
        PythonNotAllowed = "python_not_allowed" => "Allow scripts in the preferences, or ask for what nodes can do.",
        /// A script stands in a plan after which, or before which, the run changes the file too.
        PythonOutOfTurn = "python_out_of_turn" => "Put everything into one plan with `done: true`.",
        /// Restoring did not give back the state before the run.
        RestoreFailed = "restore_failed" => "Undo in Blender, or open the last saved file, and report it with the local log.",
        /// Another run is under way.
        RunInProgress = "run_in_progress" => "Wait for the other run, or cancel it.",
        /// The whole run took longer than allowed.
        RunTimeout = "run_timeout" => "Raise `max_run_s`, or take a faster model.",
        /// A saved run is damaged, or was saved by another version.
        SavedRunInvalid = "saved_run_invalid" => "Start the run anew, or save it again with this version.",
        /// A setting is outside its range or unknown.
        SettingInvalid = "setting_invalid" => "Take a name and a value that settings.md lists.",
        /// The requests of the run used more tokens than allowed.
        TokenLimit = "token_limit" => "Raise `max_run_tokens`, or ask for less.",
        /// The artist changed during the run what the run touches.
        TouchedByArtist = "touched_by_artist" => "Start the run again; it works on the file as it is then.",
        /// What earlier turns of a saved run had made is not in the file.
        TurnsLost = "turns_lost" => "Open the file that the run was saved with, or start the run anew.",
        /// Blender could not take back what a script does, so it does not run.
        UndoUnavailable = "undo_unavailable" => "Enable global undo in Blender's preferences, or use nodes instead of a script.",
        /// The artist rejected the plan.
        UserRejected = "user_rejected" => "Say what shall be different, or start another run.",
        /// The call would freeze Blender's window.
        WouldBlock = "would_block" => "Use the call that does not wait, or run Blender in the background.",
        /// Blender's data is used from another thread than its main one.
        WrongThread = "wrong_thread" => "Call it from Blender's main thread, for example from a timer.",
    }
    "planner" {
        /// A parameter that has no default is missing from the words.
        MissingParameter = "missing_parameter" => "Add it to the sentence; the message gives an example.",
        /// No preset fits the words.
        NoPresetMatch = "no_preset_match" => "Say it as one of the nearest presets does, or choose a language model.",
        /// The words are not English.
        NotEnglish = "not_english" => "Say it in English, or choose a language model.",
        /// The object that the wish needs is hidden, so that its result cannot be checked.
        ObjectHidden = "object_hidden" => "Show the object, or name another.",
        /// Only a part of the words was understood.
        PartlyUnderstood = "partly_understood" => "Leave out what was not understood, or choose a language model.",
        /// A preset file does not have its form.
        PresetInvalid = "preset_invalid" => "Reinstall the add-on; for presets of your own, mend the place that the message names.",
        /// The words hold several wishes.
        SeveralWishes = "several_wishes" => "Say one wish at a time, or choose a language model.",
        /// The object is of a kind that the preset cannot use.
        WrongObjectKind = "wrong_object_kind" => "Name an object of the kind that the message asks for.",
    }
    "script" {
        /// A script reads, writes or calls an attribute that safe mode does not allow.
        ScriptAttribute = "script_attribute" => "Use what the finding proposes; scripts.md lists what safe mode allows.",
        /// A script changed what outlives it (handlers, preferences, texts, drivers); everything was put back.
        ScriptBreach = "script_breach" => "Leave out what outlives a script; everything was put back.",
        /// A call of a script is not allowed in this form.
        ScriptCall = "script_call" => "Call it in the form that the finding proposes.",
        /// A script has characters that hide what it does: control, bidirectional, zero-width, look-alike.
        ScriptCharacter = "script_character" => "Write the script in plain characters.",
        /// A class of a script is not allowed in this form.
        ScriptClass = "script_class" => "Write a plain class: no metaclass, no decorators beyond the allowed ones.",
        /// A part of a script removes data; the artist is asked.
        ScriptDestructive = "script_destructive" => "Confirm it if the data may go.",
        /// A loop of a script never ends.
        ScriptEndless = "script_endless" => "Loop over something that ends.",
        /// A handler of a script would swallow the signal that stops it.
        ScriptException = "script_exception" => "Catch the exception that you expect by its type.",
        /// A script raised an exception of its own; the details name its type and line.
        ScriptFailed = "script_failed" => "Mend the line that the details name; the file is as it was before.",
        /// A text is formatted in a way that reaches attributes or grows without bounds.
        ScriptFormat = "script_format" => "Use an f-string with plain values.",
        /// A script imports what safe mode does not allow.
        ScriptImport = "script_import" => "Import only what scripts.md lists.",
        /// A script is nested deeper or chained longer than allowed.
        ScriptLimit = "script_limit" => "Write it flatter, or in several steps.",
        /// A script took more memory than it may and was stopped.
        ScriptMemory = "script_memory" => "Make less at once.",
        /// What Python compiles a script to is not what was checked.
        ScriptMismatch = "script_mismatch" => "Write the line more simply; report it if it is plain already.",
        /// A module is used as a value, or a member of it is not allowed.
        ScriptModule = "script_module" => "Write the member out where it is used, such as `bpy.data.objects`.",
        /// A script uses a name that safe mode does not allow.
        ScriptName = "script_name" => "Use another name; scripts.md lists the built-in ones.",
        /// A script makes a node that reads or writes files or runs scripts.
        ScriptNode = "script_node" => "Use another type of node.",
        /// A script calls an operator that safe mode does not allow.
        ScriptOperator = "script_operator" => "Use Blender's data instead, or an operator that scripts.md lists.",
        /// Safe mode refuses a script; the findings in the details say where and why.
        ScriptRefused = "script_refused" => "Mend the lines that the findings name; each has its own code.",
        /// A number in a script would take all memory or freeze Blender.
        ScriptSize = "script_size" => "Take a smaller number.",
        /// A statement or expression is of a kind that safe mode does not allow.
        ScriptStatement = "script_statement" => "Write it with the statements that scripts.md lists.",
        /// The text is not Python as every supported Blender reads it.
        ScriptSyntax = "script_syntax" => "Mend the line; Python 3.11 is what every supported Blender reads.",
        /// A script took longer than it may and was stopped.
        ScriptTimeout = "script_timeout" => "Do less, or raise `timeout_ms` of the step.",
        /// A type of Blender is used for more than a comparison.
        ScriptType = "script_type" => "Only compare with the type; make data through `bpy.data`.",
    }
    "files" {
        /// The .blend file is incomplete or overwritten.
        DamagedBlend = "damaged_blend" => "Open a backup (.blend1), or save the file again.",
        /// A file of the add-on's own was damaged; it was set aside.
        DamagedFile = "damaged_file" => "Nothing needs to be done; the file that was set aside can be deleted.",
        /// No space is left on the disk.
        DiskFull = "disk_full" => "Free some space and try again.",
        /// The file does not exist.
        FileNotFound = "file_not_found" => "Check the path.",
        /// The file is larger than allowed.
        FileTooLarge = "file_too_large" => "Take a smaller file.",
        /// The path cannot be used.
        InvalidPath = "invalid_path" => "Take a path below the allowed folder, without links that lead out of it.",
        /// A manifest does not have its form.
        ManifestInvalid = "manifest_invalid" => "Mend the place that the message names.",
        /// The file was saved by a newer Blender.
        NewerBlend = "newer_blend" => "Open it with a newer Blender.",
        /// The file is not a .blend file.
        NotABlend = "not_a_blend" => "Name a .blend file.",
        /// A conversation or a reply could not be kept on this computer.
        NotKept = "not_kept" => "Check that the add-on's folder can be written and the disk has space.",
        /// The output folder cannot be written.
        OutputNotWritable = "output_not_writable" => "Name a folder that can be written.",
        /// The file may not be read or written.
        PermissionDenied = "permission_denied" => "Change the permissions of the file, or take another.",
    }
    "provider" {
        /// The provider refused the key.
        AuthFailed = "auth_failed" => "Check the key, and that it belongs to this provider.",
        /// No key is given.
        AuthMissing = "auth_missing" => "Enter a key in the preferences, or set the environment variable that the message names.",
        /// The provider refused the request as malformed.
        BadRequest = "bad_request" => "Read the provider's words; another model or fewer settings may help.",
        /// The provider's answer does not have its form.
        BadResponse = "bad_response" => "Send again; if it stays, check the address and the model.",
        /// The provider refused the content.
        ContentRefused = "content_refused" => "Say it differently, or choose another model.",
        /// The request is longer than the model can read.
        ContextTooLong = "context_too_long" => "Lower `context_tokens`, begin a new conversation, or choose a model that reads more.",
        /// Plain http goes to a host that is not this machine.
        InsecureUrl = "insecure_url" => "Use https, or a server on this machine.",
        /// The file of keys does not have its form.
        KeyFileDamaged = "key_file_damaged" => "Enter the keys again in the preferences.",
        /// The file of keys could be read or chosen by others: its mode, its owner, a link.
        KeyFileUnsafe = "key_file_unsafe" => "Make the file readable by you alone, or delete it and enter the keys again.",
        /// The API key holds characters that keys never have.
        KeyInvalid = "key_invalid" => "Copy the key again, without spaces and line breaks.",
        /// A key store refuses: it is locked, or something is wrong with it.
        KeyStoreRefused = "key_store_refused" => "Unlock the key store, or set the provider's environment variable.",
        /// The provider cannot be reached.
        Network = "network" => "Check the connection and the address; a server of your own must be running.",
        /// Blender's online access is switched off.
        OnlineAccessDisabled = "online_access_disabled" => "Allow online access in Blender's preferences, or use the offline planner.",
        /// The provider is overloaded.
        Overloaded = "overloaded" => "Try again in a while.",
        /// The account has no quota left.
        QuotaExhausted = "quota_exhausted" => "Top up the account, or choose another provider.",
        /// The provider asks to slow down.
        RateLimited = "rate_limited" => "Wait for as long as the message says.",
        /// The provider refused the schema.
        SchemaRefused = "schema_refused" => "Nothing needs to be done; the schema is told in words. Switch `structured_output` off if it stays.",
        /// The provider did not answer in time.
        Timeout = "timeout" => "Try again, raise `timeout_s`, or take a faster model.",
        /// The provider does not know the model.
        UnknownModel = "unknown_model" => "Choose a model that the provider lists.",
    }
    "policy" {
        /// Something of the scene does not fit into its budget; the model is not shown it.
        ContextCut = "context_cut" => "Raise `context_tokens` if the model needs to see more.",
        /// A part of the context that the request asks for says nothing.
        ContextKeyEmpty = "context_key_empty" => "Nothing needs to be done; leave the key out.",
        /// A part of the context that the request asks for is not there.
        ContextKeyMissing = "context_key_missing" => "Ask for a key that is there.",
        /// More requests or tokens would go out in a minute or a day than the settings allow.
        RequestQuota = "request_quota" => "Wait, or raise the limit in the settings.",
        /// A schema would go out that this program did not make, or that refers to another document.
        SchemaNotAllowed = "schema_not_allowed" => "Register the tool that the schema belongs to, or leave the schema out.",
        /// An API key or what looks like one was taken out of a text.
        SecretRedacted = "secret_redacted" => "Nothing needs to be done; keep keys out of prompts and names.",
    }
    "tools" {
        /// Data would go to a host that is not allowed.
        EgressDenied = "egress_denied" => "Add the server to the allowed ones if you trust it.",
        /// More calls came at once than can wait.
        ToolBusy = "tool_busy" => "Call fewer tools at once.",
        /// The tool was called more often in this run than allowed.
        ToolQuota = "tool_quota" => "Go on with what the earlier calls answered.",
        /// The tool did not answer in time.
        ToolTimeout = "tool_timeout" => "Ask for less, or go on without it.",
        /// No result of this run has the reference, or it was let go for newer ones.
        UnknownReference = "unknown_reference" => "Call the tool again.",
        /// There is no tool of this name.
        UnknownTool = "unknown_tool" => "Call one of the tools that are offered.",
    }
    "audit" {
        /// Somebody or something changed the audit log.
        AuditBroken = "audit_broken" => "Keep the log as evidence and begin a new one (`audit_renew`).",
        /// The audit log, or an entry of it, would be larger than allowed.
        AuditFull = "audit_full" => "Begin a new log (`audit_renew`).",
        /// The audit log cannot be read or written.
        AuditUnwritable = "audit_unwritable" => "Check that the folder of the log can be written.",
    }
    "messages" {
        /// The request body does not have its form.
        BodyInvalid = "body_invalid" => "Mend the field that the message names.",
        /// The model cannot do what the request needs.
        CapabilityMismatch = "capability_mismatch" => "Choose one of the models that the message names.",
        /// No known model can do what the request needs.
        NoCapableModel = "no_capable_model" => "Choose another provider, or ask without what its models lack.",
        /// No provider is chosen.
        ProviderMissing = "provider_missing" => "Choose a provider in the preferences.",
        /// The reply does not have its form.
        ReturnInvalid = "return_invalid" => "Send again; another model may answer in the form that is asked for.",
        /// Streaming is switched off for the provider.
        StreamingDisabledProvider = "streaming_disabled_provider" => "Nothing needs to be done; the text appears when it is done. Switch `stream` on to see it arrive.",
        /// The model cannot stream.
        StreamingUnsupportedModel = "streaming_unsupported_model" => "Nothing needs to be done; the text appears when it is done.",
        /// A tool call does not have its form.
        ToolValidationError = "tool_validation_error" => "Send arguments that fit the tool's schema.",
        /// The cause is not known.
        Unknown = "unknown" => "Read the message; report it with the local log if it does not say more.",
        /// The provider is not known.
        UnknownProvider = "unknown_provider" => "Choose one of the providers that the message lists.",
    }
}
