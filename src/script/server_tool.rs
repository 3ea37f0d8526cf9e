//! Tools that the provider runs itself.

use serde_json::json;

use super::{Arguments, Json};

/// A tool that the provider runs itself: its call, and what came of it.
///
/// ```
/// use llm_wire_stub::{ServerTool, Turn};
/// use serde_json::json;
///
/// let turn = Turn::new()
///     .server_tool(ServerTool::web_search("tides", [("Tides today", "https://tides.example")]))
///     .server_tool(ServerTool::bash("date", "Wed Aug 19\n"))
///     .server_tool(ServerTool::mcp("clocks", "now", json!({"zone": "UTC"}), "14:34"))
///     .server_tool(ServerTool::web_fetch("https://gone.example", "").error("url_not_accessible"))
///     .text("It is high tide.");
/// # let _ = turn;
/// ```
///
/// Names, members and errors of the results are those of Anthropic Messages. Known from traffic: web search, web
/// fetch, bash, creating and viewing a file, tool search, MCP; only from the documentation: replacing in a file, and
/// the errors of all but the text editor. OpenAI Responses has a search of the web, of files, code (a command of bash) and
/// MCP; each of these is one item there, with its result.
#[derive(Clone, Debug)]
#[must_use]
pub struct ServerTool {
    pub(crate) kind: ServerToolKind,
    pub(crate) id: Option<String>,
    pub(crate) arguments: Arguments,
    pub(crate) result: ServerResult,
    pub(crate) caller: Option<Json>,
}

#[derive(Clone, Debug)]
pub(crate) enum ServerToolKind {
    WebSearch,
    WebFetch,
    FileSearch,
    Bash,
    TextEditor,
    ToolSearch,
    Mcp {
        server: String,
        tool: String,
    },
    Other {
        name: String,
        /// The type of the block with its result.
        result_type: String,
    },
}

impl ServerToolKind {
    /// The name, as Anthropic Messages has it.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::WebSearch => "web_search",
            Self::WebFetch => "web_fetch",
            Self::FileSearch => "file_search",
            Self::Bash => "bash_code_execution",
            Self::TextEditor => "text_editor_code_execution",
            Self::ToolSearch => "tool_search_tool_regex",
            Self::Mcp { tool, .. } => tool,
            Self::Other { name, .. } => name,
        }
    }
}

/// What came of a call.
#[derive(Clone, Debug)]
pub(crate) enum ServerResult {
    /// Title and address of each page.
    Pages(Vec<(String, String)>),
    Page {
        url: String,
        text: String,
    },
    /// Name and words of each file.
    Files(Vec<(String, String)>),
    Output {
        stdout: String,
        stderr: String,
        return_code: i64,
    },
    Created,
    Viewed(String),
    Replaced {
        old: String,
        new: String,
    },
    Tools(Vec<String>),
    Text(String),
    Error(String),
    /// The member `content`, as it is.
    Content(Json),
}

impl ServerTool {
    const fn of(kind: ServerToolKind, arguments: Arguments, result: ServerResult) -> Self {
        Self {
            kind,
            id: None,
            arguments,
            result,
            caller: None,
        }
    }

    /// A search of the web for this, which found pages with these titles and addresses.
    pub fn web_search<T: Into<String>, U: Into<String>>(
        query: &str,
        pages: impl IntoIterator<Item = (T, U)>,
    ) -> Self {
        let pages = pages
            .into_iter()
            .map(|(title, url)| (title.into(), url.into()));
        Self::of(
            ServerToolKind::WebSearch,
            json!({"query": query}).into(),
            ServerResult::Pages(pages.collect()),
        )
    }

    /// A page of the web that was fetched, and the text on it.
    pub fn web_fetch(url: &str, text: impl Into<String>) -> Self {
        Self::of(
            ServerToolKind::WebFetch,
            json!({"url": url}).into(),
            ServerResult::Page {
                url: url.to_owned(),
                text: text.into(),
            },
        )
    }

    /// A search for this in files that were uploaded, which found these words in files of these names. Only OpenAI
    /// Responses has it.
    ///
    /// ```
    /// use llm_wire_stub::{Api, ServerTool, Turn, json_body};
    ///
    /// let search = ServerTool::file_search("capitals", [("capitals.txt", "France: Paris")]);
    /// let turn = Turn::new().server_tool(search).text("Paris.");
    /// let body: serde_json::Value = serde_json::from_slice(&json_body(Api::OpenAiResponses, &turn)).unwrap();
    /// assert_eq!(body["output"][0]["results"][0]["filename"], "capitals.txt");
    /// ```
    pub fn file_search<N: Into<String>, T: Into<String>>(
        query: &str,
        files: impl IntoIterator<Item = (N, T)>,
    ) -> Self {
        let files = files
            .into_iter()
            .map(|(name, text)| (name.into(), text.into()));
        Self::of(
            ServerToolKind::FileSearch,
            json!({"queries": [query]}).into(),
            ServerResult::Files(files.collect()),
        )
    }

    /// A command that ran well and wrote this.
    pub fn bash(command: &str, stdout: impl Into<String>) -> Self {
        Self::of(
            ServerToolKind::Bash,
            json!({"command": command}).into(),
            ServerResult::Output {
                stdout: stdout.into(),
                stderr: String::new(),
                return_code: 0,
            },
        )
    }

    /// A command that failed with this code and wrote this to its standard error.
    pub fn failed_bash(command: &str, return_code: i64, stderr: impl Into<String>) -> Self {
        Self::of(
            ServerToolKind::Bash,
            json!({"command": command}).into(),
            ServerResult::Output {
                stdout: String::new(),
                stderr: stderr.into(),
                return_code,
            },
        )
    }

    /// A file that was created with this text.
    pub fn create_file(path: &str, text: &str) -> Self {
        Self::of(
            ServerToolKind::TextEditor,
            json!({"command": "create", "path": path, "file_text": text}).into(),
            ServerResult::Created,
        )
    }

    /// A file that was looked at, and the text in it.
    pub fn view_file(path: &str, text: impl Into<String>) -> Self {
        Self::of(
            ServerToolKind::TextEditor,
            json!({"command": "view", "path": path}).into(),
            ServerResult::Viewed(text.into()),
        )
    }

    /// A file in which the first line, which was this, was replaced.
    pub fn replace_in_file(path: &str, old: &str, new: &str) -> Self {
        Self::of(
            ServerToolKind::TextEditor,
            json!({"command": "str_replace", "path": path, "old_str": old, "new_str": new}).into(),
            ServerResult::Replaced {
                old: old.to_owned(),
                new: new.to_owned(),
            },
        )
    }

    /// A search for tools, which found these.
    pub fn tool_search<T: Into<String>>(query: &str, tools: impl IntoIterator<Item = T>) -> Self {
        Self::of(
            ServerToolKind::ToolSearch,
            json!({"query": query}).into(),
            ServerResult::Tools(tools.into_iter().map(Into::into).collect()),
        )
    }

    /// A tool of an MCP server that the provider is connected to, and what it answered.
    pub fn mcp(
        server: impl Into<String>,
        tool: impl Into<String>,
        arguments: impl Into<Arguments>,
        text: impl Into<String>,
    ) -> Self {
        let kind = ServerToolKind::Mcp {
            server: server.into(),
            tool: tool.into(),
        };
        Self::of(kind, arguments.into(), ServerResult::Text(text.into()))
    }

    /// Any other tool: its name, its arguments, the type of the block with its result, and the member `content`
    /// of that block.
    ///
    /// ```
    /// use llm_wire_stub::{Json, ServerTool};
    /// use serde_json::json;
    ///
    /// let advice = ServerTool::new(
    ///     "advisor",
    ///     json!({}),
    ///     "advisor_tool_result",
    ///     Json::raw(r#"{"type":"advisor_result","text":"Go on.","stop_reason":"end_turn"}"#),
    /// );
    /// # let _ = advice;
    /// ```
    pub fn new(
        name: impl Into<String>,
        arguments: impl Into<Arguments>,
        result_type: impl Into<String>,
        content: impl Into<Json>,
    ) -> Self {
        let kind = ServerToolKind::Other {
            name: name.into(),
            result_type: result_type.into(),
        };
        let content = ServerResult::Content(content.into());
        Self::of(kind, arguments.into(), content)
    }

    /// The bytes of what it says that may be long.
    pub(super) fn len(&self) -> usize {
        let result = match &self.result {
            ServerResult::Page { text, .. }
            | ServerResult::Viewed(text)
            | ServerResult::Text(text) => text.len(),
            ServerResult::Output { stdout, stderr, .. } => stdout.len() + stderr.len(),
            ServerResult::Content(content) => content.as_str().len(),
            ServerResult::Pages(pages) => pages.len() * 300,
            ServerResult::Files(files) => files.iter().map(|(_, text)| text.len() + 160).sum(),
            ServerResult::Tools(tools) => tools.len() * 40,
            ServerResult::Created | ServerResult::Replaced { .. } | ServerResult::Error(_) => 0,
        };
        result + self.arguments.raw_text().map_or(0, str::len)
    }

    /// Sets the id of the call, which its result names; without it one is made from the seed.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Lets the tool fail with this code; that of an MCP server says it as a text.
    pub fn error(mut self, code: impl Into<String>) -> Self {
        self.result = ServerResult::Error(code.into());
        self
    }

    /// Sets the member `content` of the result.
    pub fn content(mut self, content: impl Into<Json>) -> Self {
        self.result = ServerResult::Content(content.into());
        self
    }

    /// Says who called the tool, if not the model itself: the member `caller`, of the call and of its result.
    pub fn caller(mut self, caller: impl Into<Json>) -> Self {
        self.caller = Some(caller.into());
        self
    }
}
