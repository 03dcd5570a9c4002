/*
 * `bun run test:clients [--only lint,generated,python,node]`: tests the compiled program and its OpenAPI description with other
 * projects' clients and linters: spectral and redocly, clients from openapi-generator in Java, Go, Rust, Python and TypeScript,
 * requests-oauthlib, authlib, httpx-sse and eventsource. Installs them from npm, Maven Central, PyPI, crates.io and the Go module
 * proxy into `.test-clients/`. Needs node, npm, java, mvn, go, cargo and python3; a part fails if one is missing. Ends with
 * `N passed, N failed`.
 */
import { parseArgs } from 'node:util';
import { createChecks } from './lib/checks.ts';
import { checkGenerated } from './test-clients/generated.ts';
import { checkLinters } from './test-clients/linters.ts';
import { checkNode } from './test-clients/node.ts';
import { checkPython } from './test-clients/python.ts';
import { firstKey, startServer } from './test-clients/server.ts';

const parts = { lint: checkLinters, generated: checkGenerated, python: checkPython, node: checkNode } as const;
const names = Object.keys(parts) as (keyof typeof parts)[];

const { values } = parseArgs({ options: { only: { type: 'string', default: names.join() } } });
const chosen = values.only.split(',').map(given => {
  const name = names.find(one => one === given);
  if (name === undefined) throw new Error(`--only: unknown part ${given}; parts: ${names.join(', ')}`);
  return name;
});

const checks = createChecks();
const server = await startServer();
try {
  const subject = { ...server, key: await firstKey(server) };
  for (const name of chosen) await parts[name](checks, subject);
} finally {
  await server.remove();
}
process.exit(checks.close());
