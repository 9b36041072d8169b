"""A server of the Model Context Protocol that says in our words which arguments of a call are wrong.

Imported with the first use of the protocol only, for its SDK takes a while to load and need not be installed.
"""

from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import ValidationError

from pagemill.model.validation_messages import name_advice, reason_of

# A call may have thousands of arguments that fit nowhere.
MOST_FAULTS = 10
MOST_NAME = 100


class ToolServer(MCPServer):
    """Tools, with errors that a model can act on."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> Any:
        """The answer of a tool; ToolError if the call is wrong or the tool refuses it."""
        await self._refuse_unknown(name, arguments)
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(faults_of(name, error.__cause__)) from error
            raise

    async def _refuse_unknown(self, name: str, arguments: dict[str, Any]) -> None:
        """Raises ToolError if a tool has no such argument; the SDK would ignore a misspelled filter without a word."""
        known = {tool.name: tool.input_schema.get("properties", {}) for tool in await self.list_tools()}
        unknown = [one for one in arguments if name in known and one not in known[name]]
        if unknown:
            shown = unknown[0][:MOST_NAME]
            said = f"{name} has no argument {shown!r}; {name_advice(shown, known[name])}"
            raise ToolError(f"{said} (validation_error)")


def faults_of(name: str, error: ValidationError) -> str:
    """The arguments that a tool does not take, each with the reason."""
    found = error.errors(include_url=False)
    shown = [f"{'.'.join(map(str, one['loc']))}: {reason_of(one)}" for one in found[:MOST_FAULTS]]
    more = [f"and {len(found) - len(shown)} more"] if len(found) > len(shown) else []
    return f"The arguments of {name} are wrong: {'; '.join(shown + more)} (validation_error)"
