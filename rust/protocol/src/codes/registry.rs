//! Every code of the product with its cause and its fix.
//!
//! Append a code in its section, in alphabetical order: a doc line that names the cause, the code on the wire, and what to do about it, then
//! `[policy]` if it means that a rule about permissions or quotas was broken. Gates are `SCREAMING_SNAKE` on the wire, all others
//! `snake_case`; a test holds the variant and its wire form together, another that the product produces each code and a test names it. The schemas and the page of codes list them: run `cargo xtask schemas` and
//! `cargo xtask schemas` afterwards.

/// The section of scripts holds nothing but rules and what they stop; elsewhere a code is marked.
macro_rules! is_policy {
    ("script") => {
        true
    };
    ($section:literal) => {
        false
    };
    ($section:literal policy) => {
        true
    };
}

macro_rules! codes {
    ($($section:tt { $($(#[doc = $doc:literal])+ $variant:ident = $wire:literal => $fix:literal $([$flag:ident])?,)+ })+) => {
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

            /// Whether it means that a rule about permissions or quotas was broken, rather than that a plan does not work. The audit log
            /// records such refusals.
            pub const fn is_policy(self) -> bool {
                match self { $($(Self::$variant => is_policy!($section $($flag)?),)+)+ }
            }
        }
    };
}

codes! {
    "gates" {
        /// The predicted cost of the plan would freeze Blender.
        BlowupRisk = "BLOWUP_RISK" => "Lower counts, densities and levels of subdivision, or show instances instead of realizing them." [policy],
        /// The evaluated result does not have the number of elements, the size or the place that the plan expects.
        ExpectedEffects = "EXPECTED_EFFECTS" => "Change the inputs that decide it, or correct what the plan expects.",
        /// The evaluated result has coordinates that are not finite.
        FiniteBounds = "FINITE_BOUNDS" => "Look for divisions by zero, roots of negative numbers and very large scales.",
        /// A link in the tree is invalid.
        NoInvalidLinks = "NO_INVALID_LINKS" => "Link sockets of kinds that convert into each other, or put a conversion between them.",
        /// A modifier reports an error.
        NoModifierError = "NO_MODIFIER_ERROR" => "Read the error in the details, then correct the modifier or the data that it refers to.",
        /// A node reports a warning.
        NoNodeWarnings = "NO_NODE_WARNINGS" => "Read the warning in the details, then correct the node's inputs.",
        /// A modifier appeared that the plan did not name.
        NoUnexpectedNewModifier = "NO_UNEXPECTED_NEW_MODIFIER" => "Name every modifier that a step adds as the target of that step.",
        /// A node group appeared that the plan did not name.
        NoUnexpectedNewNodeGroup = "NO_UNEXPECTED_NEW_NODE_GROUP" => "Name every node group that a step creates as the target of that step.",
        /// A node that the plan creates certainly has no effect.
        NodesHaveEffect = "NODES_HAVE_EFFECT" => "Link the node so that its result reaches the Group Output, or leave it out; the details say why it has no effect.",
        /// The evaluated result is empty although the plan does not expect that.
        NotEmpty = "NOT_EMPTY" => "Find where the geometry is lost: look at selections, counts of zero, and inputs whose object or collection is not set.",
        /// The Group Output's geometry input is not linked.
        OutputConnected = "OUTPUT_CONNECTED" => "Link a geometry to the Group Output.",
        /// The tree has no active Group Output, or more than one.
        SingleGroupOutput = "SINGLE_GROUP_OUTPUT" => "Keep one Group Output and make it the active one.",
        /// A node that the plan does not name was changed.
        UserNodesUntouched = "USER_NODES_UNTOUCHED" => "List the nodes to change in the plan, or leave them as they are.",
    }
    "protocol" {
        /// Two fields are given of which only one is allowed.
        ConflictingFields = "conflicting_fields" => "Leave out one of the two fields.",
        /// Context is asked for together with steps or with `done: true`.
        ContextRequestsNotAllowed = "context_requests_not_allowed" => "Send `context_requests` with no steps and `done: false`; send the steps in the next turn.",
        /// The text ends before the plan does, at a place where its meaning is uncertain.
        CutOff = "cut_off" => "Send the whole plan; if the reply reached its limit, send a shorter plan.",
        /// An object has the same key twice.
        DuplicateKey = "duplicate_key" => "Keep only one of the two entries.",
        /// Two steps have the same ID.
        DuplicateStepId = "duplicate_step_id" => "Give each step its own ID.",
        /// A text that must not be empty is empty.
        EmptyString = "empty_string" => "Fill in the text, or leave the field out if it is optional.",
        /// Gate verification is switched off although the plan has steps.
        GateVerificationRequired = "gate_verification_required" => "Leave `requires_gate_verification` out.",
        /// A word is not one of those that are allowed.
        InvalidEnum = "invalid_enum" => "Use one of the words that the message lists.",
        /// The text is not JSON.
        InvalidJson = "invalid_json" => "Send one JSON object and nothing around it; the message says where reading stopped.",
        /// A value is of a kind that no socket or property takes.
        InvalidValue = "invalid_value" => "Send a number, a bool, a string, a list of them, or a data-block such as `{\"object\": NAME}`.",
        /// A required field is missing.
        MissingField = "missing_field" => "Add the missing field at the place that the path names.",
        /// There are more findings than are reported.
        MoreFindings = "more_findings" => "Correct the reported ones first; the next check reports the rest.",
        /// A number is NaN, infinite or too large.
        NonFiniteNumber = "non_finite_number" => "Send a finite number of ordinary size.",
        /// A number, a length or a range is outside its bounds.
        OutOfRange = "out_of_range" => "Keep within the bounds that the message names.",
        /// The text of the plan is larger than allowed.
        PlanTooLarge = "plan_too_large" => "Split the work over several plans with `done: false`.",
        /// The script of a Python step is longer than allowed.
        PythonTooLong = "python_too_long" => "Split the script over several steps, or use a NODE_TREE step.",
        /// A code fence around the plan was ignored.
        RecoveredCodeFence = "recovered_code_fence" => "Nothing needs to be done; plans need no code fence.",
        /// The plan's missing last brace was added.
        RecoveredCutOff = "recovered_cut_off" => "Nothing needs to be done if no step is missing from the plan.",
        /// Prose around the plan was ignored.
        RecoveredProse = "recovered_prose" => "Nothing needs to be done; plans need no prose around them.",
        /// Commas before a closing bracket were ignored.
        RecoveredTrailingComma = "recovered_trailing_comma" => "Nothing needs to be done; JSON has no comma before a closing bracket.",
        /// A reserved node ID is given to a node of another type.
        ReservedId = "reserved_id" => "Choose another ID; `group_input` and `group_output` name the tree's own nodes.",
        /// The text contains several plans.
        SeveralPlans = "several_plans" => "Combine them into one plan, or send only the first, with `done: false`.",
        /// Objects and arrays are nested deeper than allowed.
        TooDeep = "too_deep" => "Use fewer levels of nested objects and lists.",
        /// The plan has more operations than allowed.
        TooManyOperations = "too_many_operations" => "Split the work over several plans with `done: false`.",
        /// The plan has more steps than allowed.
        TooManySteps = "too_many_steps" => "Send the first steps with `done: false`, the others in the next turn.",
        /// A field does not exist in this version of the protocol.
        UnknownField = "unknown_field" => "Leave the field out, or use the name that the message proposes.",
        /// An operation does not exist in this version of the protocol.
        UnknownOp = "unknown_op" => "Use one of the operations that the message lists, or set `version` to \"1.2\" for a newer one.",
        /// A step type does not exist.
        UnknownStepType = "unknown_step_type" => "Use one of the step types that the message lists.",
        /// The version of the protocol is not supported.
        UnsupportedVersion = "unsupported_version" => "Set `version` to \"1.2\".",
        /// A value has the wrong JSON type.
        WrongType = "wrong_type" => "Send a value of the type that the message names.",
    }
    "preflight" {
        /// A socket name matches several sockets.
        AmbiguousSocket = "ambiguous_socket" => "Use the socket's identifier instead of its name.",
        /// A name or text is too long for Blender (63 bytes, 255 from 5.0).
        BadName = "bad_name" => "Use a shorter name.",
        /// A link would close a cycle.
        Cycle = "cycle" => "Leave out the link that leads back; to carry values back, use a repeat zone or a simulation zone.",
        /// An ID is used twice for different things.
        DuplicateId = "duplicate_id" => "Give each node its own ID.",
        /// A field is linked to an input that takes single values only.
        FieldIntoSingle = "field_into_single" => "Link a single value, or reduce the field to one with Sample Index or Attribute Statistic.",
        /// These two sockets cannot be linked.
        IllegalLink = "illegal_link" => "Link an output to an input of a type that it converts to.",
        /// A document that Blender and the core exchange does not have the specified form.
        InvalidDocument = "invalid_document" => "Report this defect of the add-on, or correct the code that calls the core; FORMATS.md specifies the document.",
        /// The node exists already; the plan describes it differently, and the difference was not applied.
        LeftUnchanged = "left_unchanged" => "Change the node with operations such as `set_property`.",
        /// The data belongs to a linked library and cannot be edited.
        LibraryData = "library_data" => "Make the data local or create a library override in Blender first." [policy],
        /// A node lost the socket of a link, with its type, its group or an item; the link is gone.
        LinkDropped = "link_dropped" => "Link what is meant to the sockets that the node has now.",
        /// The name of something new is taken; it gets the next free name, and what is there stays.
        NameTaken = "name_taken" => "Nothing needs to be done; to edit the existing tree, use its node IDs.",
        /// The node is of another type than the plan says.
        NodeTypeMismatch = "node_type_mismatch" => "Use another ID, or the type that the node has.",
        /// Nodes came out of a group that was dissolved; the message says what they are called.
        NodesReleased = "nodes_released" => "Nothing needs to be done; later lines and steps name them so.",
        /// What the plan says is so already; nothing was changed.
        NothingToChange = "nothing_to_change" => "Nothing needs to be done, unless something else was meant.",
        /// What is to be removed does not exist; nothing was changed.
        NothingToRemove = "nothing_to_remove" => "Nothing needs to be done.",
        /// The object's type cannot carry a Geometry Nodes modifier.
        ObjectTypeUnsupported = "object_type_unsupported" => "Target a mesh, curve, text, point cloud, volume or Grease Pencil object.",
        /// An operation that was added by `register_op` failed.
        OperationFailed = "operation_failed" => "Read the reason that the operation's own code gives.",
        /// A mistake in the plan whose meaning is certain was repaired.
        Repaired = "repaired" => "Nothing needs to be done; the message says how it was understood.",
        /// The node group has other users, which would change with it.
        SharedNodeGroup = "shared_node_group" => "Set `single_user: true` to change a copy only, or accept that all users change.",
        /// The interface has a socket of this name with another type.
        SocketTypeMismatch = "socket_type_mismatch" => "Use another name, or remove the existing socket first.",
        /// The tree has changed since the plan was made.
        StaleBase = "stale_base" => "Plan again against the tree as it is now.",
        /// The target does not exist, and the plan does not allow creating it.
        TargetMissing = "target_missing" => "Name an existing object, modifier and node group, or allow the modifier to be created.",
        /// The page says something that Python has and tree text does not.
        TextForm = "text_form" => "Write it in the form that the message names.",
        /// The page of tree text is not Python.
        TextSyntax = "text_syntax" => "Correct the line that the finding names.",
        /// The socket exists but is not available in the node's current mode.
        UnavailableSocket = "unavailable_socket" => "First set the property that makes the socket available; the message names it if it is known.",
        /// The node has no such collection of items.
        UnknownCollection = "unknown_collection" => "Use one of the collections that the message lists.",
        /// The file has no such data-block.
        UnknownDataBlock = "unknown_data_block" => "Use the name of a data-block of this file.",
        /// The interface or modifier has no such input.
        UnknownInput = "unknown_input" => "Use one of the inputs that the message lists.",
        /// The object has no such modifier.
        UnknownModifier = "unknown_modifier" => "Use the name of a modifier of the object.",
        /// A name on a page of tree text stands for nothing.
        UnknownName = "unknown_name" => "Assign the name before it is used, or use the one that the message proposes.",
        /// The tree has no such node.
        UnknownNode = "unknown_node" => "Create the node first, or use the ID of one that exists.",
        /// The file has no such node group.
        UnknownNodeGroup = "unknown_node_group" => "Use the name of a node group of this file, or create it in an earlier step.",
        /// This Blender has no such node type.
        UnknownNodeType = "unknown_node_type" => "Use the type that the message proposes; node types differ between versions of Blender.",
        /// The scene has no such object.
        UnknownObject = "unknown_object" => "Use the name of an object of the scene.",
        /// The node has no such property.
        UnknownProperty = "unknown_property" => "Use one of the properties that the message lists.",
        /// The node has no such socket.
        UnknownSocket = "unknown_socket" => "Use one of the sockets that the message lists.",
        /// This Blender has no such socket type.
        UnknownSocketType = "unknown_socket_type" => "Use one of the socket types that the message lists.",
        /// The tree has no such zone.
        UnknownZone = "unknown_zone" => "Add the zone first, or use the ID of one that exists.",
        /// A geometry output and a geometry input that the plan creates are not linked; a link may have been forgotten.
        UnlinkedGeometry = "unlinked_geometry" => "Add the link that the hint names, or leave it out if that is intended.",
        /// An edit would create or leave half a zone.
        ZoneIncomplete = "zone_incomplete" => "Add and remove zones as a whole, with `add_zone` and `remove_zone`.",
        /// A link crosses a zone boundary in a way that Blender does not allow.
        ZoneViolation = "zone_violation" => "Pass the value through the zone's items.",
    }
    "gate causes" {
        /// A measured count is not what the plan or the prompt asks for.
        CountMismatch = "count_mismatch" => "Change the input that decides it, or what the plan expects.",
        /// The result of a node is not used.
        DeadEnd = "dead_end" => "Link the result towards the Group Output, or remove the node.",
        /// A new default of an interface input that the modifier, which keeps its value, does not follow.
        DefaultNotApplied = "default_not_applied" => "Give the modifier the new value too.",
        /// A typed angle is that of degrees: angles are radians.
        Degrees = "degrees" => "Write angles in radians: 90° is pi / 2.",
        /// A direction is linked to a rotation, so that its numbers are read as angles.
        DirectionAsRotation = "direction_as_rotation" => "Put Align Rotation to Vector between them.",
        /// A node group has no Group Output, so its group nodes output nothing.
        EmptyGroup = "empty_group" => "Give the node group a Group Output with a linked geometry.",
        /// Every instance is empty.
        EmptyInstances = "empty_instances" => "Instance an object, collection or geometry that contains something visible.",
        /// A value or link at an input that the node does not use as it is set.
        InactiveInput = "inactive_input" => "Set the node to the mode that uses it, or set what is used.",
        /// A choice by number or by chance is made inside of instances, so that all of them look alike.
        InsideInstances = "inside_instances" => "Choose the points before they carry instances, use the domain Instance, or realize the instances first.",
        /// An item of a zone is read inside and gets no next value.
        ItemNotSet = "item_not_set" => "Link the item's next value to the zone's output.",
        /// Nodes made the result before the run and feed nothing now.
        LeftOver = "left_over" => "Ask for a clean-up to remove them, or leave them for later.",
        /// A material is set that nothing of the result has.
        LostMaterial = "lost_material" => "Set it where nothing paints over it, with a selection that holds something.",
        /// A named attribute is read that nothing stores.
        MissingAttribute = "missing_attribute" => "Store the attribute under this name before it is read, or read another.",
        /// A node's object, collection, material or image is not set.
        MissingData = "missing_data" => "Set the object, collection, material or image on the node.",
        /// A group node has no node group.
        MissingGroup = "missing_group" => "Choose a node group for the node.",
        /// A node receives only components that it does not act on.
        NoEffect = "no_effect" => "Give the node a component that it acts on, for example by converting or realizing the geometry before it.",
        /// A tube has no profile, so that it is a line.
        NoProfile = "no_profile" => "Give Curve to Mesh a profile curve.",
        /// This version of Blender does not report what the check needs.
        NotAvailable = "not_available" => "Nothing can be done in this version; the other gates still judge the result.",
        /// A node receives no geometry.
        NothingReceived = "nothing_received" => "Link a geometry to the node's input.",
        /// After a new selection nothing of a kind is left.
        NothingSelected = "nothing_selected" => "Check where the selection is true.",
        /// A new modifier runs a node group that another modifier of the object runs already.
        SecondModifier = "second_modifier" => "Remove the modifier that is not wanted, or keep both.",
        /// A size or place is not what the plan expects.
        SizeMismatch = "size_mismatch" => "Correct the sizes and places in the tree, or what the plan expects.",
        /// The object shows exactly what it showed before the run.
        Unchanged = "unchanged" => "Check the values, the selections and what is linked to the Group Output.",
        /// An input that the run made is used by nothing.
        UnusedInput = "unused_input" => "Use it in the tree, or take it away.",
        /// Every object of a collection is put on each point, although they are given one by one.
        WholeCollection = "whole_collection" => "Turn Pick Instance on, or leave the children of the collection together.",
    }
    "run" {
        /// The step needs the artist's approval, and nobody can give it here.
        ApprovalRequired = "approval_required" => "Run it in Blender's interface, or approve it beforehand (`approve`, on the command line `--yes`)." [policy],
        /// The run was cancelled.
        Cancelled = "cancelled" => "Nothing was changed; start it again if you still want it.",
        /// Earlier turns of the conversation do not fit into the budget; the model does not see them.
        ConversationCut = "conversation_cut" => "Raise `conversation_tokens`, or begin a new conversation.",
        /// No conversation of this name is stored; a new one begins.
        ConversationUnknown = "conversation_unknown" => "Nothing needs to be done; say again what matters from the earlier turns.",
        /// The native part of the add-on cannot be loaded.
        CoreMissing = "core_missing" => "Install the add-on that is built for this system, in Blender 4.2 or newer.",
        /// The native part of the add-on is of another version, as after an update until Blender is started again.
        CoreOutdated = "core_outdated" => "Save your work and restart Blender; if that does not help, install the add-on again.",
        /// The requests of the run cost more than allowed.
        CostLimit = "cost_limit" => "Raise `max_run_cost`, or ask for less.",
        /// The process of a dry run ended without a result.
        DryRunCrashed = "dry_run_crashed" => "Lower counts and levels; if it were applied here, the plan could crash Blender.",
        /// A dry run needed more memory than allowed.
        DryRunMemory = "dry_run_memory" => "Lower counts and levels, or raise `dry_run_mb`.",
        /// A dry run took longer than allowed.
        DryRunTimeout = "dry_run_timeout" => "Lower counts and levels, or raise `dry_run_s`.",
        /// The plan has no steps, is not done and requests no context.
        EmptyPlan = "empty_plan" => "Send steps, or `done: true`, or `context_requests`.",
        /// Blender failed while carrying out a step.
        ExecutionFailed = "execution_failed" => "Read the cause in the message; the file is as it was before.",
        /// An operation or a step type cannot be added to the protocol.
        ExtensionInvalid = "extension_invalid" => "Use a name that is free and a schema of an object; the message says what is wrong.",
        /// A required gate failed.
        GateFailed = "gate_failed" => "Read which gates failed and why; the file is as it was before.",
        /// A defect of the add-on; its trace is in the local log only.
        InternalError = "internal_error" => "Report it with the local log; the file is as it was before.",
        /// The command line or an argument of a call is invalid.
        InvalidArgument = "invalid_argument" => "Correct the argument that the message names; `--help` lists all of them.",
        /// The run used up its turns without fulfilling the prompt.
        IterationsExhausted = "iterations_exhausted" => "Ask for less at once, or raise `max_iterations`.",
        /// The prompt contains no words.
        PromptEmpty = "prompt_empty" => "Describe in a sentence what you want.",
        /// The prompt is longer than allowed.
        PromptTooLong = "prompt_too_long" => "Shorten the prompt, or split it over several runs.",
        /// Scripts are not allowed by the settings of this run.
        PythonNotAllowed = "python_not_allowed" => "Allow scripts in the preferences, or ask for something that nodes can do." [policy],
        /// A plan contains a script, but is not the only plan of the run that changes the file.
        PythonOutOfTurn = "python_out_of_turn" => "Put everything into one plan with `done: true`.",
        /// The record of a script's trial names what is not listed, or does not fit in itself; the script itself runs instead.
        RecordInvalid = "record_invalid" => "Nothing needs to be done; the script runs behind the walls within Blender, held to the names of its trial." [policy],
        /// What a script did in its trial cannot be done in the file as it is now; everything was put back.
        RecordMismatch = "record_mismatch" => "Run it again, so that it is tried on the file as it is now.",
        /// The state before the run could not be restored.
        RestoreFailed = "restore_failed" => "Undo in Blender or open the last saved file, then report it with the local log.",
        /// Another run is in progress.
        RunInProgress = "run_in_progress" => "Wait until the other run has ended, or cancel it.",
        /// The whole run took longer than allowed.
        RunTimeout = "run_timeout" => "Raise `max_run_s` (on the command line `--timeout`), or choose a faster model.",
        /// A script in the sandbox tried to reach the network, another program or another process, and was stopped.
        SandboxBreach = "sandbox_breach" => "Do not run the script: nothing that edits a scene needs this." [policy],
        /// This system has no sandbox for trying scripts, or the sandbox could not be set up.
        SandboxUnavailable = "sandbox_unavailable" => "Use Linux 6.2 or later with Landlock, or set `try_scripts` to `never`.",
        /// A saved run is damaged, or was saved by another version.
        SavedRunInvalid = "saved_run_invalid" => "Start the run again, or save it again with this version.",
        /// A setting is unknown or outside its range.
        SettingInvalid = "setting_invalid" => "Use a name and a value that settings.md lists.",
        /// The requests of the run used more tokens than allowed.
        TokenLimit = "token_limit" => "Raise `max_run_tokens`, or ask for less.",
        /// During the run, the artist changed something that the run changes too.
        TouchedByArtist = "touched_by_artist" => "Start the run again; it then starts from the file as it is now.",
        /// A script failed its trial, or it could not be tried although nobody would read it before it runs.
        TrialFailed = "trial_failed" => "Fix what the trial reported. Without a sandbox, set `try_scripts` to `never`." [policy],
        /// The results of earlier turns of a saved run are not in the file.
        TurnsLost = "turns_lost" => "Open the file that the run was saved with, or start the run again.",
        /// Blender could not undo the changes of a script, so the script was not run.
        UndoUnavailable = "undo_unavailable" => "Enable global undo in Blender's preferences, or use nodes instead of a script." [policy],
        /// The artist rejected the plan.
        UserRejected = "user_rejected" => "Say what should be different, or start another run.",
        /// The call would freeze Blender's window.
        WouldBlock = "would_block" => "Use the call that does not wait, or run Blender in the background.",
        /// Blender's data is used from another thread than the main thread.
        WrongThread = "wrong_thread" => "Make the call on Blender's main thread, for example from a timer.",
    }
    "planner" {
        /// The prompt does not give a value that has no default.
        MissingParameter = "missing_parameter" => "Add the value to the prompt; the message gives an example.",
        /// No preset fits the prompt.
        NoPresetMatch = "no_preset_match" => "Word the prompt like one of the nearest presets, or choose a language model.",
        /// The prompt is not in English.
        NotEnglish = "not_english" => "Write the prompt in English, or choose a language model.",
        /// The object that the prompt needs is hidden, so that its result cannot be checked.
        ObjectHidden = "object_hidden" => "Show the object, or name another.",
        /// Only a part of the prompt was understood.
        PartlyUnderstood = "partly_understood" => "Leave out what was not understood, or choose a language model.",
        /// The offline planner does not look at the pictures of a prompt.
        PicturesUnused = "pictures_unused" => "Say in words what the picture shows, or choose a language model.",
        /// A preset file does not have the specified form.
        PresetInvalid = "preset_invalid" => "Reinstall the add-on; in a preset of your own, correct the place that the message names.",
        /// The prompt asks for several things.
        SeveralWishes = "several_wishes" => "Ask for one thing at a time, or choose a language model.",
        /// There is no preset with this ID.
        UnknownPreset = "unknown_preset" => "Use an ID that `presets.list()` has.",
        /// The object is of a type that the preset cannot use.
        WrongObjectKind = "wrong_object_kind" => "Name an object of a type that the message asks for.",
    }
    "script" {
        /// A script reads, writes or calls an attribute that safe mode does not allow.
        ScriptAttribute = "script_attribute" => "Use what the finding proposes; scripts.md lists what safe mode allows.",
        /// A script changed something that outlives it (handlers, preferences, texts, drivers); everything was put back.
        ScriptBreach = "script_breach" => "Leave out the change that would outlive the script.",
        /// A script makes a call in a form that is not allowed.
        ScriptCall = "script_call" => "Write the call in the form that the finding proposes.",
        /// A script contains characters that can hide what it does: control, bidirectional, zero-width or look-alike ones.
        ScriptCharacter = "script_character" => "Replace these characters with plain ones.",
        /// A script defines a class in a form that is not allowed.
        ScriptClass = "script_class" => "Write a plain class: no metaclass, and only decorators that are allowed.",
        /// A script removes data; the artist is asked first.
        ScriptDestructive = "script_destructive" => "Approve the script if the data may be removed.",
        /// A loop of a script never ends.
        ScriptEndless = "script_endless" => "Loop over something finite.",
        /// An exception handler of a script would swallow the signal that stops the script.
        ScriptException = "script_exception" => "Catch only the type of exception that you expect.",
        /// A script raised an exception; the details name its type and line.
        ScriptFailed = "script_failed" => "Correct the line that the details name; the file is as it was before.",
        /// A text is formatted in a way that can reach attributes or grow without bounds.
        ScriptFormat = "script_format" => "Use an f-string with plain values.",
        /// A script imports a module that safe mode does not allow.
        ScriptImport = "script_import" => "Import only modules that scripts.md lists.",
        /// A script is nested deeper, or chains longer expressions, than allowed.
        ScriptLimit = "script_limit" => "Split the code into simpler statements, or over several steps.",
        /// A script used more memory than allowed and was stopped.
        ScriptMemory = "script_memory" => "Create less at once, or split the work over several steps.",
        /// Python compiles a script to something other than what was checked.
        ScriptMismatch = "script_mismatch" => "Write the line more simply; if it is already simple, report it.",
        /// A module is used as a value, or a member of it is not allowed.
        ScriptModule = "script_module" => "Write the member in full where it is used, such as `bpy.data.objects`.",
        /// A script uses a name that safe mode does not allow.
        ScriptName = "script_name" => "Use another name; scripts.md lists the built-in names that are allowed.",
        /// A script creates a node that reads or writes files or runs scripts.
        ScriptNode = "script_node" => "Use another type of node.",
        /// A script calls an operator that safe mode does not allow.
        ScriptOperator = "script_operator" => "Use Blender's data instead, or an operator that scripts.md lists.",
        /// Safe mode refuses a script; the findings in the details say where and why.
        ScriptRefused = "script_refused" => "Correct the lines that the findings name; each finding has its own code.",
        /// A script removes nodes of a tree that may be the artist's; the artist is asked first.
        ScriptRemovesNodes = "script_removes_nodes" => "Approve the script if these nodes may be removed.",
        /// A number in a script is so large that it would use up all memory or freeze Blender.
        ScriptSize = "script_size" => "Use a smaller number.",
        /// A statement or expression is of a kind that safe mode does not allow.
        ScriptStatement = "script_statement" => "Write it with the statements that scripts.md lists.",
        /// The text is not Python that every supported Blender can read.
        ScriptSyntax = "script_syntax" => "Correct the line; it must be valid Python 3.11.",
        /// A script took longer than allowed and was stopped.
        ScriptTimeout = "script_timeout" => "Do less at once, or raise `timeout_ms` of the step.",
        /// A script uses a Blender type for something other than a comparison.
        ScriptType = "script_type" => "Use the type in comparisons only; create data through `bpy.data`.",
        /// On this system, a script that never ends or takes all memory could not be stopped, so none runs in safe mode.
        ScriptUnbounded = "script_unbounded" => "Ask for something that nodes can do; update Blender, and report this system." [policy],
    }
    "files" {
        /// The .blend file is incomplete or was overwritten.
        DamagedBlend = "damaged_blend" => "Open a backup (.blend1), or save the file again.",
        /// A file of the add-on was damaged and has been set aside.
        DamagedFile = "damaged_file" => "Nothing needs to be done; the file that was set aside can be deleted.",
        /// No space is left on the disk.
        DiskFull = "disk_full" => "Free some space and try again.",
        /// A file or a preset of this name is there already, and nothing says that it may be replaced.
        FileExists = "file_exists" => "Choose another name, or say that it is to be replaced.",
        /// The file does not exist.
        FileNotFound = "file_not_found" => "Check that the path is spelled correctly and that the file exists.",
        /// The file is larger than allowed.
        FileTooLarge = "file_too_large" => "Use a smaller file.",
        /// The path cannot be used.
        InvalidPath = "invalid_path" => "Use a path inside the allowed folder, without links that lead out of it.",
        /// A manifest does not have the specified form.
        ManifestInvalid = "manifest_invalid" => "Correct the place that the message names.",
        /// The file was saved by a newer Blender.
        NewerBlend = "newer_blend" => "Open it with that Blender or a newer one.",
        /// The .blend file has never been saved, so there is no project folder.
        NoProject = "no_project" => "Save the .blend file first; its folder is the project's.",
        /// The file is not a .blend file.
        NotABlend = "not_a_blend" => "Choose a .blend file.",
        /// A conversation or a reply could not be stored on this computer.
        NotKept = "not_kept" => "Check that the add-on's folder can be written and that the disk has space.",
        /// The output folder cannot be written.
        OutputNotWritable = "output_not_writable" => "Choose a folder that you can write to.",
        /// The file may not be read or written.
        PermissionDenied = "permission_denied" => "Change the permissions of the file, or use another file.",
    }
    "provider" {
        /// The provider refused the key.
        AuthFailed = "auth_failed" => "Check that the key is correct, has not expired, belongs to this provider and may use this model.",
        /// No API key is set.
        AuthMissing = "auth_missing" => "Enter a key in the preferences, or set the environment variable that the message names.",
        /// The provider refused the request as malformed.
        BadRequest = "bad_request" => "Read the provider's explanation in the message; another model or fewer settings may help.",
        /// The provider's answer does not have the expected form.
        BadResponse = "bad_response" => "Try again; if it happens again, check the model and the address, which usually ends in /v1.",
        /// The provider refused the content.
        ContentRefused = "content_refused" => "Word the prompt differently, or choose another model.",
        /// The request is longer than the model can read.
        ContextTooLong = "context_too_long" => "Lower `context_tokens`, begin a new conversation, or choose a model with a larger context.",
        /// The address uses plain http to a host that is not this machine.
        InsecureUrl = "insecure_url" => "Use https, or a server on this machine." [policy],
        /// The file of keys does not have the expected form.
        KeyFileDamaged = "key_file_damaged" => "Enter the keys again in the preferences.",
        /// Other users could read or replace the file of keys, because of its mode, its owner or a link.
        KeyFileUnsafe = "key_file_unsafe" => "Make the file readable by you alone, or delete it and enter the keys again." [policy],
        /// The API key contains characters that keys never have.
        KeyInvalid = "key_invalid" => "Copy the key again, without spaces or line breaks.",
        /// The system's key store refused: it is locked, or it failed.
        KeyStoreRefused = "key_store_refused" => "Unlock the key store, or set the provider's environment variable.",
        /// The provider cannot be reached.
        Network = "network" => "Check the connection and the address, which usually ends in /v1; if it is a server of your own, check that it is running.",
        /// Blender's online access is switched off.
        OnlineAccessDisabled = "online_access_disabled" => "Allow online access in Blender's preferences, or use the offline planner.",
        /// The provider is overloaded.
        Overloaded = "overloaded" => "Try again in a few minutes, or choose another model.",
        /// The server read only a part of the request, because it serves a shorter context.
        PromptCut = "prompt_cut" => "Raise the context length of the server (Ollama: `num_ctx`), or lower `context_tokens`.",
        /// The account has no quota left.
        QuotaExhausted = "quota_exhausted" => "Top up the account, or choose another provider.",
        /// Too many requests were sent to the provider in a short time.
        RateLimited = "rate_limited" => "Wait for as long as the message says.",
        /// The provider refused the JSON schema of the reply.
        SchemaRefused = "schema_refused" => "Nothing needs to be done; the schema is sent as text instead. Switch `structured_output` off if it happens again.",
        /// The provider did not answer in time.
        Timeout = "timeout" => "Try again, since a model may still be loading; otherwise raise `timeout_s` (for a server on this computer `local_timeout_s`), or choose a faster model.",
        /// The provider does not know the model.
        UnknownModel = "unknown_model" => "Choose a model that the provider lists.",
    }
    "policy" {
        /// A part of the scene does not fit into its budget; the model does not see it.
        ContextCut = "context_cut" => "Raise `context_tokens` if the model needs to see more.",
        /// A part of the context that was requested is empty.
        ContextKeyEmpty = "context_key_empty" => "Nothing needs to be done; leave the key out.",
        /// A part of the context that was requested does not exist.
        ContextKeyMissing = "context_key_missing" => "Request a key that exists.",
        /// More requests or tokens would be sent in a minute or a day than the settings allow.
        RequestQuota = "request_quota" => "Wait, or raise the limit in the settings." [policy],
        /// A request contains a schema that does not come from this program, or that refers to another document.
        SchemaNotAllowed = "schema_not_allowed" => "Register the tool that the schema belongs to, or leave the schema out." [policy],
        /// An API key, or something that looks like one, was removed from a text.
        SecretRedacted = "secret_redacted" => "Nothing needs to be done; keep keys out of prompts and names.",
    }
    "tools" {
        /// A request would send data to a host that is not allowed.
        EgressDenied = "egress_denied" => "Add the server to the allowed ones if you trust it." [policy],
        /// There is nothing that this picture could show: no window, no 3D View or no camera.
        NoView = "no_view" => "Ask for a picture of an object.",
        /// Too many tools were called at once.
        ToolBusy = "tool_busy" => "Call fewer tools at once.",
        /// The tool was called more often in this run than allowed.
        ToolQuota = "tool_quota" => "Continue with the results of the earlier calls." [policy],
        /// The tool did not answer in time.
        ToolTimeout = "tool_timeout" => "Ask the tool for less, or continue without it.",
        /// The tool changes the file, which only a plan may do here.
        ToolWrites = "tool_writes" => "Put the change into the plan." [policy],
        /// The reference is not of this run, or its result was discarded for newer ones.
        UnknownReference = "unknown_reference" => "Call the tool again.",
        /// There is no tool with this name.
        UnknownTool = "unknown_tool" => "Call one of the tools that are offered.",
    }
    "audit" {
        /// The audit log was changed by somebody or something else.
        AuditBroken = "audit_broken" => "Keep the log as evidence and begin a new one (`audit_renew`).",
        /// The audit log, or an entry of it, would be larger than allowed.
        AuditFull = "audit_full" => "Begin a new log (`audit_renew`).",
        /// The audit log cannot be read or written.
        AuditUnwritable = "audit_unwritable" => "Check that the folder of the log can be read and written.",
    }
    "messages" {
        /// The request body does not have the expected form.
        BodyInvalid = "body_invalid" => "Correct the field that the message names.",
        /// The model cannot do what the request needs.
        CapabilityMismatch = "capability_mismatch" => "Choose one of the models that the message names.",
        /// No known model can do what the request needs.
        NoCapableModel = "no_capable_model" => "Choose another provider, or ask for something that its models can do.",
        /// No provider is chosen.
        ProviderMissing = "provider_missing" => "Choose a provider in the preferences.",
        /// The reply does not have the form that was asked for.
        ReturnInvalid = "return_invalid" => "Try again, or choose another model.",
        /// Streaming is switched off for the provider.
        StreamingDisabledProvider = "streaming_disabled_provider" => "Nothing needs to be done; the text appears when it is complete. Switch `stream` on to see it arrive.",
        /// The model cannot stream.
        StreamingUnsupportedModel = "streaming_unsupported_model" => "Nothing needs to be done; the text appears when it is complete.",
        /// A tool call does not fit the tool's schema.
        ToolValidationError = "tool_validation_error" => "Send arguments that fit the tool's schema.",
        /// The cause is not known.
        Unknown = "unknown" => "Read the message; if it does not say enough, report it with the local log.",
        /// The provider is not known.
        UnknownProvider = "unknown_provider" => "Choose one of the providers that the message lists.",
    }
}
