"""Every tool name a role file may use; one without a file in tools/ is refused by the bridge when asked for."""

READING = frozenset({"read_file", "list_files", "search_codebase", "read_documentation", "analyze_dependencies"})
WRITING = frozenset({"create_file", "edit_file", "move_file", "delete_file", "run_command"})
CHECKING = frozenset(
    {
        "run_tests",
        "run_conformance_check",
        "run_type_check",
        "run_security_scan",
        "analyze_coverage",
        "analyze_complexity",
    }
)
DELIVERING = frozenset({"generate_changelog", "create_release_notes", "verify_deployment_ready"})
ENDING = frozenset({"escalate_question", "complete"})

TOOLS = READING | WRITING | CHECKING | DELIVERING | ENDING
