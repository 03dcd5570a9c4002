/*
 * The body of a request to the app: taken off the wire when an operation asks for it, which is after the gate. A refused request
 * costs no upload, and what people without credentials send is counted apart: it cannot keep out those who have some.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, invalid, tooLarge } from '../core/errors.ts';
import { maxRequestBytes } from '../core/limits.ts';
import { outlineJson } from '../core/platforms/json-scan.ts';
import { type BodyBudget, createBodyBudget, readBody, tellToGoOn } from './body.ts';

/** What all bodies that are arriving or in use may hold together. */
export type BodyBudgets = Record<'strangers' | 'known', BodyBudget>;

/** What any operation that asks for a body may refuse it with, besides the 503 that its own answers name. */
export const bodyRefusals = [400, 413] as const;

export type RequestBody = {
  /** Whoever sends it has shown credentials that hold. */
  vouch: () => void;
  /** All of it; asked for again, the same. @throws too_large, invalid, overloaded */
  read: () => Promise<Uint8Array>;
  /** Nobody holds it any more. */
  release: () => void;
};

/** What says why a body is not valid walks through all of it, and takes most of a minute for one that is deep enough. */
const maxJsonDepth = 64;

const megabyte = 1 << 20;

export const createBodyBudgets = (): BodyBudgets => ({
  strangers: createBodyBudget(16 * megabyte),
  known: createBodyBudget(64 * megabyte),
});

/** @throws invalid for JSON inside JSON inside JSON, further than any operation asks for */
export function refuseDeepJson(body: Uint8Array): Uint8Array {
  if ((outlineJson(body)?.depth ?? 0) > maxJsonDepth) throw invalid('the body is nested too deeply');
  return body;
}

export function createRequestBody(req: IncomingMessage, res: ServerResponse, budgets: BodyBudgets): RequestBody {
  let budget = budgets.strangers;
  let reading: Promise<Uint8Array> | undefined;
  let release = (): void => {};

  const read = async (): Promise<Uint8Array> => {
    const result = await readBody(req, maxRequestBytes, budget, () => tellToGoOn(req, res));
    switch (result.kind) {
      case 'whole':
        release = result.release;
        return refuseDeepJson(result.body);
      case 'too_large':
        throw tooLarge('the request body is too large');
      case 'no_room':
        throw new AppError('overloaded', 'too many requests at once, try again', { retryAfterSeconds: 1 });
      case 'aborted':
        throw invalid('the body did not arrive');
    }
  };
  return {
    vouch: () => {
      budget = budgets.known;
    },
    read: () => {
      reading ??= read();
      return reading;
    },
    release: () => release(),
  };
}
