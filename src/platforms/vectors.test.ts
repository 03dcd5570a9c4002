import { describe, expect, test } from 'bun:test';
import vectors from '../testing/fixtures/vectors.json';
import type { RawDelivery } from './engine/model.ts';
import { detect, verify } from './platforms.ts';

type Vector = (typeof vectors)[number];

function deliveryOf(vector: Vector, body = Buffer.from(vector.bodyBase64, 'base64')): RawDelivery {
  const { pathname, search } = new URL(vector.url);
  const headers: Record<string, string | undefined> = vector.headers;
  return {
    method: vector.method,
    path: pathname,
    query: search === '' ? null : search.slice(1),
    rawHeaders: Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    ),
    body,
  };
}

const judge = (vector: Vector, delivery = deliveryOf(vector), secret = vector.secret, receivedAtS = vector.verifyAt) =>
  verify({
    delivery,
    platform: vector.platform,
    secrets: [{ platform: vector.platform, secret }],
    receivedAt: (receivedAtS ?? 1_765_000_000) * 1000,
    urls: [vector.url],
  });

describe('known deliveries, signed by the official libraries or published by the vendors', () => {
  for (const vector of vectors) {
    test(`${vector.id} is recognised`, () => {
      // Two vendors publish examples without the headers that their deliveries have.
      expect(detect(deliveryOf(vector), [vector.platform]).platform).toBe(vector.platform);
    });

    test(`${vector.id} is ${vector.valid ? 'valid' : 'invalid'}`, () => {
      const verdict = judge(vector);
      expect(verdict?.verdict).toBe(vector.valid ? 'valid' : 'invalid');
      expect(verdict?.platform).toBe(vector.platform);
    });

    test(`${vector.id} is valid with a secret for any platform`, () => {
      const verdict = verify({
        delivery: deliveryOf(vector),
        platform: vector.platform,
        secrets: [
          { platform: null, secret: 'another' },
          { platform: null, secret: vector.secret },
        ],
        receivedAt: (vector.verifyAt ?? 1_765_000_000) * 1000,
        urls: ['https://elsewhere.example/in/t', vector.url],
      });
      expect(verdict?.verdict).toBe('valid');
    });

    test(`${vector.id} is invalid with one byte of the payload changed`, () => {
      const body = Buffer.from(vector.bodyBase64, 'base64');
      // Adyen signs eight fields only: the event code is one of them.
      const at = vector.platform === 'adyen' ? body.lastIndexOf('EVENT') : Math.floor(body.length / 2);
      body[at] = (body[at] ?? 0) ^ 1;
      expect(judge(vector, deliveryOf(vector, body))?.verdict).toBe('invalid');
    });
  }
});

describe('the window around the time of receipt', () => {
  const stripe = vectors.find(vector => vector.platform === 'stripe');
  for (const [offset, verdict] of [
    [-301, 'invalid'],
    [-299, 'valid'],
    [299, 'valid'],
    [301, 'invalid'],
  ] as const) {
    test(`stripe, received ${offset} s after it was signed: ${verdict}`, () => {
      if (stripe?.verifyAt === undefined) throw new Error('the vector is missing');
      const judged = judge(stripe, deliveryOf(stripe), stripe.secret, stripe.verifyAt + offset);
      expect(judged?.verdict).toBe(verdict);
      expect(judged?.reason ?? null).toBe(verdict === 'valid' ? null : 'timestamp_out_of_tolerance');
    });
  }
});
