/* Verifies a delivery with one secret, for tests of the verifiers: at a fixed time of receipt, on a fixed URL. */

import { expect } from 'bun:test';
import { createHmac } from 'node:crypto';
import type { RawDelivery, Verdict } from '../platforms/engine/model.ts';
import { detect, verify } from '../platforms/platforms.ts';

export const now = 1_765_000_000_000;
export const seconds = String(now / 1000);
export const url = 'https://tape.example/in/t';

export const mac = (hash: string, key: string | Buffer, text: string) => createHmac(hash, key).update(text);

export function verdictOf(
  what: RawDelivery,
  platform: string,
  secret: string,
  urls = [what.query === null ? url : `${url}?${what.query}`],
): Verdict | null {
  return verify({ delivery: what, platform, secrets: [{ platform, secret }], receivedAt: now, urls });
}

/** Expects that the delivery is recognised, and valid with the secret. */
export function expectValid(
  what: RawDelivery,
  platform: string,
  secret: string,
  proves: 'payload' | 'origin' = 'payload',
): void {
  expect(detect(what, [platform]).platform).toBe(platform);
  expect(verdictOf(what, platform, secret)).toMatchObject({ platform, verdict: 'valid', reason: null, proves });
}

export function expectInvalid(what: RawDelivery, platform: string, secret: string): void {
  expect(verdictOf(what, platform, secret)).toMatchObject({
    verdict: 'invalid',
    reason: 'wrong_secret_or_altered_body',
  });
}
