/*
 * Walks the five commands of docs/local-development.md, as they stand there, to a handler with stripe-node. Ports are replaced, the browser
 * is played by HTTP, and npm is not run: scripts/install-proof.sh installs the package.
 */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Subprocess } from 'bun';
import Stripe from 'stripe';
import { freePort } from './free-port.ts';
import { eventually } from './poll.ts';

setDefaultTimeout(120_000);

const root = join(import.meta.dir, '../..');
const directory = mkdtempSync(join(tmpdir(), 'hooktape-walk-'));
const secret = 'whsec_of_my_handler_0123456789abcdef';
const owner = { email: 'you@example.com', password: 'a wide meadow at dawn' };
const started: Subprocess[] = [];
afterAll(async () => {
  for (const one of started.reverse()) {
    one.kill('SIGINT');
    await one.exited;
  }
  rmSync(directory, { recursive: true, force: true });
});

const commands = (): string[] => {
  const manual = readFileSync(join(root, 'docs/local-development.md'), 'utf8');
  return (/```sh\n([\s\S]*?)```/.exec(manual)?.[1] ?? '').trim().split('\n');
};

function program(name: string, script: string): void {
  writeFileSync(join(directory, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(directory, name), 0o755);
}

const post = (url: string, body: object, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

/** Follows the setup link. @returns the cookie of the browser */
async function setUp(origin: string, link: string): Promise<string> {
  const token = new URL(link).searchParams.get('token');
  expect((await post(`${origin}/api/setup`, { token, ...owner })).status).toBeLessThan(300);
  const session = await post(`${origin}/api/session`, owner);
  return (session.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

/** Allows the command line on the page that `login` opened. */
async function allow(page: string, cookie: string): Promise<void> {
  const html = await (await fetch(page, { headers: { cookie } })).text();
  const handle = /name="handle" value="([^"]+)"/.exec(html)?.[1] ?? '';
  const answer = await fetch(new URL('/authorize/key', page), {
    method: 'POST',
    headers: { cookie, 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ handle, decision: 'allow' }),
    redirect: 'manual',
  });
  expect((await fetch(answer.headers.get('location') ?? '')).status).toBe(200);
}

test('five commands lead from nothing to a Stripe event in a local handler', async () => {
  const port = await freePort();
  const seen: string[] = [];
  const stripe = new Stripe('sk_test_123');
  const handler = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const event = await stripe.webhooks.constructEventAsync(
        await request.text(),
        request.headers.get('stripe-signature') ?? '',
        secret,
      );
      seen.push(event.object);
      return new Response('thanks');
    },
  });
  const opened = join(directory, 'opened');
  program('hooktape', `exec ${process.execPath} ${join(root, 'src/main.ts')} "$@"`);
  program('npm', `echo "$@" > ${directory}/npm-arguments`);
  program('browser', `printf %s "$1" > ${opened}.part && mv ${opened}.part ${opened}`);
  const start = (line: string) => {
    const words = line.replace(/ &$/, '').replace('4665', String(port)).replace(':3000', `:${handler.port}`);
    const child = Bun.spawn(['bash', '-c', `exec ${words}`], {
      cwd: directory,
      env: {
        PATH: `${directory}:${Bun.env['PATH']}`,
        HOME: directory,
        BROWSER: join(directory, 'browser'),
        HOOKTAPE_PORT: String(port),
        STRIPE_SECRET: secret,
      },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    started.push(child);
    const said = { text: '' };
    const collect = async (stream: ReadableStream<Uint8Array>) => {
      for await (const chunk of stream) said.text += Buffer.from(chunk).toString();
    };
    void collect(child.stdout);
    void collect(child.stderr);
    return { child, said };
  };

  const lines = commands();
  expect(lines).toHaveLength(5);
  const [install = '', serve = '', login = '', listen = '', testEvent = ''] = lines;
  expect(await start(install).child.exited).toBe(0);
  expect(readFileSync(join(directory, 'npm-arguments'), 'utf8')).toMatch(/^install --global .*hooktape-\S+\.tgz\n$/);

  const server = start(serve);
  const link = await eventually(() => /http\S+\/setup\?token=\S+/.exec(server.said.text)?.[0], 20_000);
  const cookie = await setUp(`http://localhost:${port}`, link);

  const signingIn = start(login);
  await eventually(() => existsSync(opened), 20_000);
  await allow(readFileSync(opened, 'utf8'), cookie);
  expect(await signingIn.child.exited).toBe(0);

  const listening = start(listen);
  await eventually(() => /behind/.test(listening.said.text), 20_000);
  const sent = start(testEvent);
  expect([await sent.child.exited, sent.said.text]).toEqual([0, expect.stringMatching(/^evt_\w+\n/m)]);
  await eventually(() => seen.length > 0, 20_000);
  expect(seen).toEqual(['event']);
  await eventually(() => listening.said.text.includes('200'), 20_000);
  await handler.stop(true);
});
