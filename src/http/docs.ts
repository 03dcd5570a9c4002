/*
 * `/openapi.json`, `/docs` and `/llms.txt`: the interface description, Swagger UI to explore it, and a guide for agents. Swagger UI
 * is embedded: the page loads nothing from another origin.
 */

import { Elysia } from 'elysia';
import styleFile from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' };
import bundleFile from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' };
import skill from '../../skills/hooktape/SKILL.md' with { type: 'text' };
import tokens from '../ui/styles/tokens.css' with { type: 'text' };
import ownStyle from './docs.css' with { type: 'text' };
import explorerScript from './docs-explorer.js' with { type: 'text' };
import type { Document } from './openapi/document.ts';
import type { DeclaredOperation } from './route-table.ts';
import { withScriptNonce } from './script-nonce.ts';

/** The address of a server in the skill. */
const exampleUrl = 'https://hooks.example.com';
/** Its metadata and title. */
const skillHead = /^---\n[\s\S]*?\n---\n+# .*\n+/;

/** How an agent uses this server: the skill of `hooktape skill`, with this server's addresses. */
const llmsText = (baseUrl: string): string => `# Hooktape

> This server records webhooks, and lets people and agents find, read, verify and send them again, wait for them, and be woken by them.

- [Interface description](${baseUrl}/openapi.json): every operation of the REST API, as OpenAPI 3.1
- [API explorer](${baseUrl}/docs): the same as a page
- [MCP](${baseUrl}/mcp): the Model Context Protocol, with an API key or a sign-in
- [Dashboard](${baseUrl}/app): for people

${skill.replace(skillHead, '').replaceAll(exampleUrl, baseUrl)}`;

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Hooktape API</title>
<link rel="icon" href="data:,">
<script src="/docs/theme.js"></script>
<link rel="stylesheet" href="/docs/page.css">
</head>
<body>
<header class="docs-bar"><a href="/app">← Dashboard</a><span>API explorer</span></header>
<div id="explorer"></div>
<script src="/docs/swagger-ui.js"></script>
<script src="/docs/explorer.js"></script>
</body>
</html>
`;

// The theme chosen in the dashboard (ui/kit/preferences.ts), else the theme of the system.
const theme = `const dark = matchMedia('(prefers-color-scheme: dark)');
const apply = () => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('hooktape.theme');
  } catch {}
  const isDark = chosen === 'dark' || (chosen !== 'light' && dark.matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
};
apply();
dark.addEventListener('change', apply);
addEventListener('storage', apply);
`;

/** Patterns for method and path of the operations that need no credentials. */
const openRequests = (operations: readonly DeclaredOperation[]): string[] =>
  operations.filter(({ isOpen }) => isOpen).map(({ method, path }) => `^${method} ${path.replace(/{\w+}/g, '[^/]+')}$`);

const start = (operations: readonly DeclaredOperation[]): string =>
  `const openRequests = ${JSON.stringify(openRequests(operations))};\n${explorerScript}`;

// The rules of Swagger UI are in a layer, so that every rule of this server wins over them.
const pageStyle = `@import url('/docs/swagger-ui.css') layer(swagger-ui);\n${tokens}\n${ownStyle}`;

// Swagger UI sets style attributes and shows its icons from data: URLs.
const policy = (scriptSource: string): string =>
  `default-src 'none'; script-src ${scriptSource}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const asset = (body: string | Blob, type: string, caching = 'no-cache', scriptSource = "'none'"): Response =>
  new Response(body, {
    headers: {
      'content-type': type,
      'cache-control': caching,
      'content-security-policy': policy(scriptSource),
      'x-frame-options': 'DENY',
    },
  });

const explorer = (): Response => {
  const { html, scriptSource } = withScriptNonce(page);
  return asset(html, 'text/html; charset=utf-8', 'no-store', scriptSource);
};

/** Calls it at most once. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

// The descriptions are public.
const compressed = { detail: { hide: true }, isCompressed: true };

/** Functions that are called at the first request, not at the start. */
type Sources = {
  /** Makes the interface description. */
  describe: () => Promise<Document>;
  operations: () => readonly DeclaredOperation[];
};

export const docsRoutes = ({ describe, operations, baseUrl }: Sources & { baseUrl: string }) => {
  const document = once(describe);
  const forGenerators = once(async () => JSON.stringify(await document()));
  // The description for the page, which may only call its own origin. That can differ from HOOKTAPE_BASE_URL.
  const forPage = once(async () => JSON.stringify({ ...(await document()), servers: [{ url: '/' }] }));
  const read = async (file: string) => new Blob([await Bun.file(file).arrayBuffer()]);
  return new Elysia()
    .get('/openapi.json', async () => asset(await forGenerators(), 'application/json'), compressed)
    .get('/docs/openapi.json', async () => asset(await forPage(), 'application/json'), compressed)
    .get('/llms.txt', () => asset(llmsText(baseUrl), 'text/plain; charset=utf-8'))
    .get('/docs', explorer)
    .get('/docs/explorer.js', () => asset(start(operations()), 'text/javascript; charset=utf-8'))
    .get('/docs/theme.js', () => asset(theme, 'text/javascript; charset=utf-8'))
    .get('/docs/page.css', () => asset(pageStyle, 'text/css; charset=utf-8'))
    .get('/docs/swagger-ui.js', async () =>
      asset(await read(bundleFile), 'text/javascript; charset=utf-8', 'max-age=86400'),
    )
    .get('/docs/swagger-ui.css', async () => asset(await read(styleFile), 'text/css; charset=utf-8', 'max-age=86400'));
};
