import { describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import type { RawDelivery } from './engine/model.ts';
import type { Platform } from './engine/platform.ts';
import { createFresh, type Sample } from './engine/sample.ts';
import { canTestSign, createTestSecret, testEventHeader } from './engine/test-secret.ts';
import { deliveryIdOf, detect, findPlatform, handshake, platforms, sign, verify } from './platforms.ts';
import { samplesOf, wellKnown } from './samples.ts';

const url = 'https://tape.example/in/4t9v2kq8x7w3m5n6';
const now = 1_789_000_123_456;

/** The delivery of a sample, signed where that is possible. */
function deliver(platform: Platform, sample: Sample, secret: string | null): RawDelivery {
  const { method, path, query, headers, body: text } = sample.build(createFresh(now, randomBytes));
  const body = Buffer.from(text);
  if (secret === null) return { method, path, query, rawHeaders: headers, body };
  const target = `${url}${path}${query === null ? '' : `?${query}`}`;
  const signed = sign({ platform: platform.name, secret, method, url: target, headers: [...headers], body, at: now });
  if ('cannotSign' in signed) throw new Error(signed.cannotSign);
  expect(signed.url).toBe(target);
  return { method, path, query, rawHeaders: [...signed.headers, [testEventHeader, '1']], body: signed.body };
}

describe('every sample is recognised as its platform’s, is another delivery each time, and has a valid signature', () => {
  for (const platform of platforms) {
    for (const [index, sample] of samplesOf(platform).entries()) {
      test(`${platform.name}: ${sample.name}`, () => {
        const secret = canTestSign(platform) ? createTestSecret(platform, randomBytes) : null;
        const delivery = deliver(platform, sample, secret);
        const other = deliver(platform, sample, secret);
        const { eventType, ...found } = detect(delivery, []);
        expect(found.platform).toBe(platform.name);
        if (platform.eventType.length > 0) expect(eventType).toBeString();

        const id = deliveryIdOf(delivery, platform.name);
        // Other samples may be of a kind that has no id: Slack's commands.
        if (platform.deliveryId && index === 0) expect(id?.id).toBeString();
        if (id) expect(deliveryIdOf(other, platform.name)).not.toEqual(id);
        else expect(Buffer.from(other.body).equals(delivery.body)).toBe(false);

        const secrets = secret === null ? [] : [{ platform: platform.name, secret, test: true as const }];
        const urls = [delivery.query === null ? url : `${url}?${delivery.query}`];
        const verdict = verify({ delivery, platform: platform.name, secrets, receivedAt: now, urls });
        if (secret === null) expect(verdict).toBeNull();
        else expect(verdict).toMatchObject({ platform: platform.name, verdict: 'valid' });
        const answer = handshake({ delivery, detection: found as never, secrets: [], receivedAt: now, urls });
        expect(answer?.learnedSecret).toBeUndefined();
      });
    }
  }
});

test('only platforms that a signature with their own key tells have no sample', () => {
  const without = platforms.filter(platform => samplesOf(platform).length === 0).map(({ name }) => name);
  expect(without).toEqual(['discord', 'ebay', 'wix']);
});

test('the names of samples are unique in their platform, and well-known platforms exist', () => {
  for (const platform of platforms) {
    const names = samplesOf(platform).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  }
  expect(wellKnown.filter(name => findPlatform(name)?.name !== name)).toEqual([]);
});
