/* The Model Context Protocol's own conformance suites, against a real server on a real port. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../core/clock.ts';
import { freePort } from '../../testing/free-port.ts';
import { type OAuthHarness, openOAuthHarness, type SignedInAccount } from '../../testing/oauth-harness.ts';

const tool = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/package.json')).replace(
  /package\.json$/,
  'dist/index.js',
);
const deadlineMs = 60_000;

let harness: OAuthHarness;
let ada: SignedInAccount;
let origin: string;
let proxy: ReturnType<typeof Bun.serve>;

beforeAll(async () => {
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  const clock = { ...systemClock, advance: () => {}, setNow: () => {} };
  harness = await openOAuthHarness({ port, clock, env: { HOOKTAPE_BASE_URL: origin } });
  await harness.server.listen();
  ada = await harness.createAccount('ada@example.com');
  // The suites for servers know nothing of credentials.
  proxy = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: request => {
      const { pathname, search } = new URL(request.url);
      const headers = new Headers(request.headers);
      headers.set('authorization', `Bearer ${ada.key}`);
      return fetch(origin + pathname + search, { method: request.method, headers, body: request.body });
    },
  });
});
afterAll(async () => {
  await proxy.stop(true);
  await harness.close();
});

/** Runs the tool and gives its exit code and output; `onOutput` sees what has been printed so far. */
async function run(args: string[], onOutput: (text: string) => void = () => {}) {
  const child = Bun.spawn([process.execPath, tool, ...args], {
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: deadlineMs,
    env: { ...process.env, NO_COLOR: '1' },
  });
  let output = '';
  const read = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      output += decoder.decode(chunk, { stream: true });
      onOutput(output);
    }
  };
  await Promise.all([read(child.stdout), read(child.stderr)]);
  return { code: await child.exited, output };
}

describe('conformance', () => {
  test(
    'authorization server suite',
    async () => {
      const port = await freePort();
      const client = { id: 'pre', secret: undefined, redirectUri: `http://127.0.0.1:${port}/callback` };
      await harness.services.database.client.execute({
        sql: `INSERT INTO oauth_clients (id, kind, name, redirect_uris, auth_methods, may_refresh, created_at)
              VALUES ('pre', 'static', 'Conformance', ?, 'none', 1, 0)`,
        args: [JSON.stringify([client.redirectUri])],
      });
      const seen = new Set<string>();
      const args = ['authorization', '--url', origin, '--client-id', 'pre', '--port', String(port)];
      const { code, output } = await run([...args, '--resource', `${origin}/mcp`], text => {
        for (const [address] of text.matchAll(/http:\/\/127\.0\.0\.1:\d+\/authorize\?\S+/g)) {
          if (seen.has(address)) continue;
          seen.add(address);
          void consent(address);
        }
      });
      expect([code, code === 0 ? '' : output]).toEqual([0, '']);
      expect(seen.size).toBeGreaterThan(0);
    },
    deadlineMs,
  );

  const consent = async (address: string): Promise<void> => {
    const page = await harness.visit(new URL(address).search.slice(1), ada.cookie);
    const answer = await harness.answer(await harness.handleIn(page), ada.cookie);
    await fetch(answer.headers.get('location') ?? '');
  };

  test.each(['server-initialize', 'ping', 'tools-list', 'http-header-validation', 'dns-rebinding-protection'])(
    'server suite: %s',
    async scenario => {
      const { code, output } = await run([
        'server',
        '--url',
        `http://127.0.0.1:${proxy.port}/mcp`,
        '--scenario',
        scenario,
      ]);
      expect([code, code === 0 ? '' : output]).toEqual([0, '']);
    },
    deadlineMs,
  );

  test(
    'server suite: server-stateless, but for what needs tools made for the suite',
    async () => {
      const url = `http://127.0.0.1:${proxy.port}/mcp`;
      const { output } = await run(['server', '--url', url, '--scenario', 'server-stateless']);
      const reasons = [...output.matchAll(/^\s+Error: (.*)$/gm)].map(([, reason]) => reason ?? '');
      expect(
        reasons.filter(reason => !reason.startsWith('Not testable: server does not list the diagnostic tool')),
      ).toEqual([]);
      expect(Number(/Passed: (\d+)\//.exec(output)?.[1])).toBeGreaterThanOrEqual(24);
    },
    deadlineMs,
  );
});
