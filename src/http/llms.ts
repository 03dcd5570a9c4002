/* `/llms.txt`: how an agent uses this server. It is the skill of `hooktape skill`, with this server's addresses. */
import skill from '../../skills/hooktape/SKILL.md' with { type: 'text' };

/** The address of a server in the skill. */
const exampleUrl = 'https://hooks.example.com';
/** Its metadata and title. */
const skillHead = /^---\n[\s\S]*?\n---\n+# .*\n+/;

export const llmsText = (baseUrl: string): string => `# Hooktape

> This server records webhooks, and lets people and agents find, read, verify and send them again, wait for them, and be woken by them.

- [Interface description](${baseUrl}/openapi.json): every operation of the REST API, as OpenAPI 3.1
- [API explorer](${baseUrl}/docs): the same as a page
- [MCP](${baseUrl}/mcp): the Model Context Protocol, with an API key or a sign-in
- [Dashboard](${baseUrl}/app): for people

${skill.replace(skillHead, '').replaceAll(exampleUrl, baseUrl)}`;
