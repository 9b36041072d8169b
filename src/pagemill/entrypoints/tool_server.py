"""A server of the Model Context Protocol that says in our words which arguments of a call are wrong.

Imported with the first use of the protocol only, for its SDK takes a while to load and need not be installed.
"""

from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import ValidationError

from pagemill.model.validation_messages import reason_of

# A call may have thousands of arguments that fit nowhere.
MOST_FAULTS = 10


class ToolServer(MCPServer):
    """Tools, with errors that a model can act on."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> Any:
        """The answer of a tool; ToolError if the call is wrong or the tool refuses it."""
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(faults_of(name, error.__cause__)) from error
            raise


def faults_of(name: str, error: ValidationError) -> str:
    """The arguments that a tool does not take, each with the reason."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    shown = [f"{'.'.join(map(str, one['loc']))}: {reason_of(one['msg'])}" for one in found[:MOST_FAULTS]]
    more = [f"and {len(found) - len(shown)} more"] if len(found) > len(shown) else []
    return f"The arguments of {name} are wrong: {'; '.join(shown + more)} (validation_error)"
