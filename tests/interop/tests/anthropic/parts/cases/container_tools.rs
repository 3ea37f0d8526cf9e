//! Tools of the service's container: commands, code and files.

use llm_wire_stub::ServerTool;
use serde_json::{Value, json};

use super::{Case, server_tools::ran};

/// The case of one tool.
fn one(name: &'static str, tool: ServerTool, content: Value) -> Case {
    Case::new(name, |turn| turn.server_tool(tool), content).ran(0, 0)
}

pub(super) fn commands() -> Vec<Case> {
    let bash = |content: &Value| {
        let input = json!({"command": "ls"});
        let kind = "bash_code_execution_tool_result";
        json!([ran(
            "srvtoolu_b",
            "bash_code_execution",
            &input,
            kind,
            content
        )])
    };
    let output = |stdout: &str, stderr: &str, code: i64| {
        json!({
            "type": "bash_code_execution_result", "stdout": stdout, "stderr": stderr, "return_code": code,
            "content": [],
        })
    };
    let ran_code = || json!({"type": "code_execution_result", "stdout": "1", "stderr": "", "return_code": 0, "content": []});
    vec![
        one(
            "a command",
            ServerTool::bash("ls", "a\nb\n").id("srvtoolu_b"),
            bash(&output("a\nb\n", "", 0)),
        ),
        one(
            "a command that failed",
            ServerTool::failed_bash("ls", 2, "no").id("srvtoolu_b"),
            bash(&output("", "no", 2)),
        ),
        one(
            "a command that could not run",
            ServerTool::bash("ls", "")
                .id("srvtoolu_b")
                .error("execution_time_exceeded"),
            bash(&json!({
                "type": "bash_code_execution_tool_result_error", "error_code": "execution_time_exceeded",
            })),
        ),
        one(
            "code that ran",
            ServerTool::new(
                "code_execution",
                json!({"code": "1"}),
                "code_execution_tool_result",
                ran_code(),
            )
            .id("srvtoolu_c"),
            json!([ran(
                "srvtoolu_c",
                "code_execution",
                &json!({"code": "1"}),
                "code_execution_tool_result",
                &ran_code(),
            )]),
        ),
    ]
}

pub(super) fn files() -> Vec<Case> {
    let editor = |input: &Value, content: &Value| {
        let kind = "text_editor_code_execution_tool_result";
        json!([ran(
            "srvtoolu_e",
            "text_editor_code_execution",
            input,
            kind,
            content
        )])
    };
    let view = json!({"command": "view", "path": "a.py"});
    vec![
        one(
            "a file that was created",
            ServerTool::create_file("a.py", "x = 1\n").id("srvtoolu_e"),
            editor(
                &json!({"command": "create", "path": "a.py", "file_text": "x = 1\n"}),
                &json!({"type": "text_editor_code_execution_create_result", "is_file_update": false}),
            ),
        ),
        one(
            "a file that was looked at",
            ServerTool::view_file("a.py", "x = 1\ny = 2").id("srvtoolu_e"),
            editor(
                &view,
                &json!({
                    "type": "text_editor_code_execution_view_result", "file_type": "text", "content": "x = 1\ny = 2",
                    "num_lines": 2, "start_line": 1, "total_lines": 2,
                }),
            ),
        ),
        one(
            "a file that was changed",
            ServerTool::replace_in_file("a.py", "x = 1", "x = 2\ny").id("srvtoolu_e"),
            editor(
                &json!({"command": "str_replace", "path": "a.py", "old_str": "x = 1", "new_str": "x = 2\ny"}),
                &json!({
                    "type": "text_editor_code_execution_str_replace_result", "old_start": 1, "old_lines": 1,
                    "new_start": 1, "new_lines": 2, "lines": ["-x = 1", "+x = 2", "+y"],
                }),
            ),
        ),
        one(
            "a file that is not there",
            ServerTool::view_file("a.py", "")
                .id("srvtoolu_e")
                .error("file_not_found"),
            editor(
                &view,
                &json!({
                    "type": "text_editor_code_execution_tool_result_error", "error_code": "file_not_found",
                    "error_message": null,
                }),
            ),
        ),
    ]
}
