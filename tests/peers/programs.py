"""The programs that are measured, each set up without an account for a model endpoint on this machine."""
import json
import os
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Program:
    name: str
    command: list
    # What the screen shows when a person can type.
    ready: str
    environment: dict = field(default_factory=dict)


def write(path, text):
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.write_text(text if isinstance(text, str) else json.dumps(text))
    path.chmod(0o600)


def codex(programs, home, work, port):
    write(
        home / ".codex/config.toml",
        f"""model = "m"
model_provider = "lab"
[model_providers.lab]
name = "lab"
base_url = "http://127.0.0.1:{port}/v1"
env_key = "LAB_KEY"
wire_api = "responses"
[projects."{work}"]
trust_level = "trusted"
""",
    )
    return Program("codex", [programs / "codex"], "Ask Codex", {"LAB_KEY": "x"})


def claude(programs, home, work, port):
    key = "sk-ant-x-xxxxxxxxxxxxxxxxxxxx"
    project = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
    settings = {"hasCompletedOnboarding": True, "theme": "dark", "projects": {str(work): project}}
    settings["customApiKeyResponses"] = {"approved": [key[-20:]], "rejected": []}
    write(home / ".claude.json", settings)
    environment = {
        "ANTHROPIC_API_KEY": key,
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }
    return Program("claude", [programs / "claude"], "❯", environment)


def opencode(programs, _home, work, port):
    options = {"baseURL": f"http://127.0.0.1:{port}/v1", "apiKey": "x"}
    lab = {"npm": "@ai-sdk/openai-compatible", "name": "lab", "options": options, "models": {"m": {"name": "m"}}}
    settings = {"model": "lab/m", "small_model": "lab/m", "autoupdate": False, "provider": {"lab": lab}}
    write(work / "opencode.json", settings)
    return Program("opencode", [programs / "opencode"], "Ask anything")


def pi(programs, home, _work, port):
    model = {"id": "m", "name": "m", "reasoning": False, "input": ["text"], "contextWindow": 200000, "maxTokens": 8000}
    model["cost"] = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
    lab = {"baseUrl": f"http://127.0.0.1:{port}", "api": "anthropic-messages", "apiKey": "x", "models": [model]}
    write(home / ".pi/agent/models.json", {"providers": {"lab": lab}})
    return Program("pi", [programs / "pi", "--provider", "lab", "--model", "m"], "0.0%")


def scorel(_programs, home, _work, port):
    write(
        home / ".scorel/config.toml",
        f"""[model]
type = "custom"
provider = "lab"
api = "openai-completions"
baseUrl = "http://127.0.0.1:{port}/v1"
id = "m"
apiKeyEnv = "LAB_KEY"
contextWindow = 1000000
""",
    )
    write(home / ".scorel/env", "LAB_KEY=x\n")
    return Program("scorelctl", [Path(os.environ["SCORELCTL"]).resolve()], "❯")


ALL = {"scorelctl": scorel, "codex": codex, "claude": claude, "opencode": opencode, "pi": pi}
