import { describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { delivery, jsonDelivery } from '../../testing/deliveries.ts';
import { describePlatforms } from '../directory.ts';
import { platforms } from '../platforms.ts';
import { createPlatforms } from './create-platforms.ts';
import { echoQueryParameter } from './handshakes.ts';
import type { Platform } from './platform.ts';
import { hmac } from './schemes.ts';

const acme: Platform = {
  name: 'acme',
  aliases: ['roadrunner'],
  title: 'ACME Anvils',
  docsUrl: 'https://acme.example/docs',
  detect: [{ anyHeader: ['x-acme-signature'], order: 20 }],
  eventType: ['json:kind'],
  signatures: [hmac('x-acme-signature')],
  secretHint: 'Settings > Anvils > Secret',
  handshakes: [
    echoQueryParameter('anvil'),
    {
      description: 'JSON `anvil_secret`: it becomes the secret.',
      when: { method: 'POST', jsonKey: 'anvil_secret' },
      deliversSecret: true,
      answer: () => ({ status: 204, headers: {}, body: '', deliveredSecret: 'secret-of-acme' }),
    },
  ],
};

const engine = createPlatforms({ platforms: [...platforms, acme], genericSchemes: [] });

test('making the engine reads no more of a platform than its names', () => {
  const read = new Set<string | symbol>();
  const watched = new Proxy(acme, {
    get: (row, key) => {
      read.add(key);
      return Reflect.get(row, key);
    },
  });
  const { detect } = createPlatforms({ platforms: [watched], genericSchemes: [] });
  expect([...read].sort()).toEqual(['aliases', 'name']);
  expect(detect(delivery({ headers: { 'X-Acme-Signature': 'x' } }), []).platform).toBe('acme');
  expect(read).toContain('detect');
});

describe('a platform that is only a row', () => {
  const body = { kind: 'anvil.dropped' };
  const mac = createHmac('sha256', 'secret').update(JSON.stringify(body)).digest('hex');
  const sent = jsonDelivery(body, { 'X-Acme-Signature': mac });
  const context = { receivedAt: 0, urls: [], secrets: [] };

  test('is found by name and alias', () => {
    expect(engine.findPlatform('Roadrunner')).toBe(acme);
  });

  test('is detected, with its event type', () => {
    expect(engine.detect(sent, [])).toMatchObject({ platform: 'acme', eventType: 'anvil.dropped' });
  });

  test('has its signatures verified and its secrets parsed', () => {
    const secrets = [{ platform: 'roadrunner', secret: 'secret' }];
    const verdict = engine.verify({ ...context, delivery: sent, platform: 'acme', secrets });
    expect(verdict).toMatchObject({ platform: 'acme', verdict: 'valid' });
    expect(engine.parseSecret('acme', ' secret\n')).toEqual({ secret: 'secret' });
  });

  test('has its handshakes answered, and learns the secret that one delivers', () => {
    const detection = { platform: null, eventType: null };
    const challenge = delivery({ method: 'GET', query: 'anvil=42' });
    expect(engine.handshake({ ...context, delivery: challenge, detection })?.body).toBe('42');
    const setup = jsonDelivery({ anvil_secret: 1 });
    expect(engine.handshake({ ...context, delivery: setup, detection })?.learnedSecret).toEqual({
      platform: 'acme',
      secret: 'secret-of-acme',
    });
  });

  test('is offered in the dashboard with title, hint and link', () => {
    expect(describePlatforms([acme])).toEqual([
      {
        name: 'acme',
        aliases: ['roadrunner'],
        title: 'ACME Anvils',
        docsUrl: 'https://acme.example/docs',
        secretHint: 'Settings > Anvils > Secret',
        deliversSecret: true,
      },
    ]);
  });
});

/** Names that the engine may use: ordinary words, and standards that it implements. */
const allowed = new Set(['x', 'line', 'box', 'front', 'meta', 'standard-webhooks', 'websub', 'cloudevents']);

test('the engine knows no platform by name', () => {
  const names = platforms
    .flatMap(({ name, aliases = [] }) => [name, ...aliases])
    .filter(name => !allowed.has(name))
    .map(name => name.replaceAll('-', '[- ]?'));
  const pattern = new RegExp(`(?<![a-z])(${names.join('|')})(?![a-z])`, 'gi');
  const files = readdirSync(import.meta.dir, { recursive: true, encoding: 'utf8' });
  const mentions = files
    .filter(file => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap(file => {
      // Words inside camel case count as words.
      const text = readFileSync(join(import.meta.dir, file), 'utf8').replace(/([a-z])([A-Z])/g, '$1 $2');
      return [...text.matchAll(pattern)].map(([name]) => `${file}: ${name}`);
    });
  expect(mentions).toEqual([]);
});
