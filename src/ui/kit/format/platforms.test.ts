import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { platforms } from '../../../platforms/platforms.ts';
import { findPlatform, platformsWithSecret, platformTitle, titlesWithDeliveredSecret } from './platforms.ts';

describe('platforms in the dashboard', () => {
  test('have the titles of the catalog', () => {
    for (const { name, title } of platforms) expect(platformTitle(name)).toBe(title);
  });

  test('an unknown name has a capital letter, and no name is an unknown sender', () => {
    expect([platformTitle('acme'), platformTitle('constructor'), platformTitle(null)]).toEqual([
      'Acme',
      'Constructor',
      'unknown sender',
    ]);
  });

  test('are found by name, alias and title', () => {
    for (const text of ['meta', ' WhatsApp ', platformTitle('meta')]) expect(findPlatform(text)?.name).toBe('meta');
    expect(findPlatform('__proto__')).toBeUndefined();
  });

  test('are offered with a hint and a link when they sign or check a verify token', () => {
    const takers = platforms.filter(({ signatures, takesVerifyToken }) => signatures.length > 0 || takesVerifyToken);
    expect(platformsWithSecret.map(({ name }) => name).sort()).toEqual(takers.map(({ name }) => name).sort());
    for (const { secretHint, docsUrl } of platformsWithSecret) {
      expect(secretHint).not.toBeEmpty();
      expect(docsUrl).toStartWith('https://');
    }
  });

  test('that deliver their secret are named', () => {
    expect(titlesWithDeliveredSecret).toEqual(['Asana', 'Notion']);
  });
});

test('the bundle contains the texts of the catalog and no engine code', async () => {
  const { outputs } = await Bun.build({ entrypoints: [join(import.meta.dir, 'platforms.ts')], target: 'browser' });
  const code = (await Promise.all(outputs.map(output => output.text()))).join('\n');
  expect(code).toContain('https://docs.stripe.com/webhooks');
  for (const part of ['listPlatforms', 'createHmac', 'stripe-signature', 'handshakes', 'import ']) {
    expect(code).not.toContain(part);
  }
});
