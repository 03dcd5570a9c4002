import { describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { delivery } from '../testing/deliveries.ts';
import type { RawDelivery } from './engine/model.ts';
import type { BodyShape, DetectionRule, Platform } from './engine/platform.ts';
import { detect, findPlatform, platforms } from './platforms.ts';

/** A value for each pattern in the table that no other row's pattern is shown. */
const samples = [
  '2f4c1c3e-0b5f-4f7e-9a56-0d6d3a8f1c2b',
  '0123456789abcdef01234567',
  'a'.repeat(64),
  '12345',
  'tr_abc123',
  'time=1,sig1=ab',
  'ts=1,v1=ab',
  'HMAC abc',
  'store/order/created',
  'stores/abc',
  'projects/p/subscriptions/s',
  'https://registry.hub.docker.com/u/x/hook',
  'https://www.youtube.com/xml/feeds/videos.xml?channel_id=1',
  'track_updated',
  'email.sent',
  'user.created',
  'response.completed',
  'application/cloudevents+json',
  'eventgrid.azure.net',
  '<https://hub.example/>; rel="hub"',
  '{"event":{"event_hash":"x","event_type":"y"}}',
  '<DocuSignEnvelopeInformation >',
  '<yt:videoId>',
  '<x xmlns="http://soap.sforce.com/2005/09/outbound">',
];

function sample(test: BodyShape[string]): string {
  if (test === true) return 'something';
  if (typeof test === 'string') return test;
  if (!(test instanceof RegExp)) return test[0] ?? '';
  const found = samples.find(text => test.test(text));
  if (found === undefined) throw new Error(`no sample for ${test}`);
  return found;
}

/** The least that meets a rule. */
function leastDelivery(rule: DetectionRule): RawDelivery {
  const headers: Record<string, string> = {};
  for (const name of rule.allHeaders ?? rule.anyHeader?.slice(0, 1) ?? []) headers[name] = 'something';
  for (const [name, pattern] of Object.entries(rule.headerValues ?? {})) headers[name] = sample(pattern);
  if (rule.userAgent !== undefined) headers['user-agent'] = `${rule.userAgent}/1`;
  const query = Object.entries(rule.query ?? {})
    .map(([name, check]) => `${name}=${encodeURIComponent(sample(check))}`)
    .join('&');
  const rest = { method: rule.methods?.[0] ?? 'POST', query: query === '' ? null : query };
  if (rule.when?.description.includes('netlify')) {
    const claims = Buffer.from('{"iss":"netlify"}').toString('base64url');
    return delivery({ ...rest, headers: { ...headers, 'x-webhook-signature': `eyJhIjoxfQ.${claims}.c2ln` } });
  }
  if (rule.when !== undefined) {
    const claims = Buffer.from(JSON.stringify({ data: '{"eventType":"x"}' })).toString('base64url');
    return delivery({ ...rest, headers, body: `eyJhbGciOiJSUzI1NiJ9.${claims}.c2ln` });
  }
  if (rule.form !== undefined) {
    const fields = Object.entries(rule.form).map(([name, check]): [string, string] => [name, sample(check)]);
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    return delivery({ ...rest, headers: { ...type, ...headers }, body: new URLSearchParams(fields).toString() });
  }
  if (rule.json !== undefined) {
    const body = buildJson(rule.json);
    if (rule.keyCount !== undefined)
      for (let n = Object.keys(body).length; n < rule.keyCount; n += 1) Object.assign(body, { [`k${n}`]: 1 });
    return delivery({ ...rest, headers, body: JSON.stringify(body) });
  }
  return delivery({ ...rest, headers, body: rule.bodyText === undefined ? '' : sample(rule.bodyText) });
}

function buildJson(shape: BodyShape): object {
  const first = Object.keys(shape)[0] ?? '';
  const root: Record<string, unknown> | unknown[] = first.startsWith('0.') ? [] : {};
  for (const [path, check] of Object.entries(shape)) {
    const steps = path.split('.');
    let here = root as Record<string, unknown>;
    steps.forEach((step, n) => {
      const next = steps[n + 1];
      if (next === undefined) here[step] ??= sample(check);
      else {
        here[step] ??= /^\d+$/.test(next) ? [] : {};
        here = here[step] as Record<string, unknown>;
      }
    });
  }
  return root;
}

const everyRule = platforms.flatMap(row =>
  row.detect.map((rule, n): [string, Platform, DetectionRule] => [`${row.name} ${n + 1}`, row, rule]),
);

describe('the catalog', () => {
  test('lists each file of its folder, and each file is named like its platform', () => {
    const files = readdirSync(join(import.meta.dir, 'catalog')).map(file => file.replace(/\.ts$/, ''));
    expect(files.sort()).toEqual(platforms.map(platform => platform.name));
  });

  test('has unique names and aliases, in order', () => {
    const names = platforms.flatMap(row => [row.name, ...(row.aliases ?? [])]);
    expect(new Set(names).size).toBe(names.length);
    expect(platforms.map(row => row.name)).toEqual(platforms.map(row => row.name).sort());
    expect(names.every(name => /^[a-z0-9-]+$/.test(name))).toBe(true);
  });

  test('says of fifty platforms where the address of an endpoint is entered', () => {
    expect(platforms.filter(({ setup }) => setup !== undefined).length).toBeGreaterThanOrEqual(50);
  });

  test('finds a row by name, alias and any letter case', () => {
    expect(findPlatform('GitHub')?.name).toBe('github');
    expect(findPlatform('whatsapp')?.name).toBe('meta');
    expect(findPlatform('twitter')?.name).toBe('x');
    expect(findPlatform('nobody')).toBeUndefined();
    expect(findPlatform('__proto__')).toBeUndefined();
  });

  for (const [name, row, rule] of everyRule) {
    test(`rule ${name} is reachable`, () => {
      expect(detect(leastDelivery(rule), []).platform).toBe(row.name);
    });
  }

  for (const row of platforms) {
    test(`${row.name} is complete`, () => {
      expect(row.detect.length).toBeGreaterThan(0);
      expect(row.docsUrl).toMatch(/^https:\/\/[a-z0-9.-]+(\/[\w./-]*)?$/);
      if (row.setup)
        expect(row.setup).toEqual({
          where: expect.stringMatching(/^\S.*\S$/),
          url: expect.stringMatching(/^https:\/\/\S+$/),
        });
      if (row.signatures.length > 0) expect(row.secretHint).toBeString();
      if (row.secretHint === null) expect(row.signatures).toBeEmpty();
      expect(row.signatures.filter(({ header, isPresent }) => header === null && !isPresent)).toBeEmpty();
      const names = [
        ...row.detect.flatMap(rule => [
          ...(rule.anyHeader ?? []),
          ...(rule.allHeaders ?? []),
          ...(rule.absentHeaders ?? []),
          ...Object.keys(rule.headerValues ?? {}),
          ...Object.keys(rule.query ?? {}),
        ]),
        ...row.signatures.flatMap(scheme => [
          scheme.header ?? '',
          ...(scheme.alternativeHeaders ?? []).map(other => other.header),
        ]),
      ];
      expect(names.filter(header => header !== header.toLowerCase())).toBeEmpty();
    });
  }
});
