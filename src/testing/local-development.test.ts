/*
 * Runs the commands of docs/local-development.md that look at, send and keep one event, as they stand there, with the event that the page
 * itself makes and a handler with stripe-node. five-commands.slow.test.ts walks its first part.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Stripe from 'stripe';
import { type ClientHarness, openClientHarness } from './client-commands.ts';
import { hooktape } from './command.ts';

const secret = 'whsec_of_my_handler_0123456789abcdef';
const page = readFileSync(join(import.meta.dir, '../../docs/local-development.md'), 'utf8').replace(/ \\\n +/g, ' ');
/** In blocks and in the text. */
const commands = [...page.matchAll(/^(hooktape .+)$|`(hooktape (?:events|show) [^`]+)`/gm)].map(
  ([, line, inText]) => line ?? inText ?? '',
);

let client: ClientHarness;
let handler: ReturnType<typeof Bun.serve>;
const bodies: string[] = [];
beforeAll(async () => {
  client = await openClientHarness();
  const stripe = new Stripe('sk_test_123');
  handler = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const body = await request.text();
      bodies.push(body);
      const signature = request.headers.get('stripe-signature') ?? '';
      const isValid = await stripe.webhooks.constructEventAsync(body, signature, secret).catch(() => false);
      return new Response(null, { status: isValid ? 200 : 400 });
    },
  });
});
afterAll(async () => {
  await handler.stop(true);
  await client.close();
});

test('the commands of the page work on its own event', async () => {
  await client.json('endpoint', 'create', 'My first endpoint');
  const env = { ...client.env, STRIPE_SECRET: secret, EDITOR: 'true' };
  const words = ['test-event', 'My first endpoint', 'stripe', '--secret-env', 'STRIPE_SECRET'];
  const eventId = (await hooktape(env, ...words)).stdout.trim();
  const ran: string[] = [];
  for (const command of commands) {
    const [, name = '', ...args] = [
      ...command
        .replace(/ \|.*$/, '')
        .replace(/evt_…/, eventId)
        .replace(/localhost:3000/, `127.0.0.1:${handler.port}`)
        .matchAll(/'([^']*)'|(\S+)/g),
    ].map(([, quoted, word]) => quoted ?? word ?? '');
    if (!['events', 'show', 'send', 'pin'].includes(name)) continue;
    const { exitCode, stderr } = await hooktape(env, name, ...args);
    expect([command, exitCode, stderr]).toEqual([command, command.includes('--tamper') ? 1 : 0, '']);
    ran.push(name);
  }
  expect(ran.sort().join(' ')).toBe('events events pin send send send send send send send show');
  expect(bodies.filter(body => body.includes('"amount":0,') && !body.includes('"customer"'))).toHaveLength(1);
});

test('the page names no other endpoint than the one that it makes', () => {
  const named = commands.flatMap(
    command => /^hooktape (?:listen|events|test-event) ('[^']*'|\S+)/.exec(command)?.[1] ?? [],
  );
  expect(new Set(named)).toEqual(new Set(["'My first endpoint'"]));
});
