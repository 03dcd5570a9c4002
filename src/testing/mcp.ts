/* A tool call of an agent without a library: one request, one response. */

export type ToolResult = { isError?: boolean; structuredContent?: object; content: { text: string }[] };

/** @param key the API key of the agent's account */
export async function callTool(
  fetch: (path: string, init: RequestInit) => Promise<Response>,
  key: string,
  name: string,
  given: Record<string, unknown>,
): Promise<ToolResult> {
  const response = await fetch('/mcp', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }),
  });
  const text = await response.text();
  return (JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as { result: ToolResult }).result;
}
