/*
 * The body of a request to the app: taken off the wire when an operation asks for it, which is after the gate. A refused request
 * costs no upload. What people without credentials send is small, has little time, and is counted apart: it cannot keep out those
 * who have some. Everybody has a share: addresses of the one budget, accounts of the other.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { networkOf } from '../core/addresses.ts';
import { AppError, invalid, tooLarge, tooSlow } from '../core/errors.ts';
import { scanJson } from '../core/json-scan.ts';
import { maxAnonymousRequestBytes, maxRequestBytes } from '../core/limits.ts';
import { createMemoryBudget, type MemoryBudget } from '../core/memory-budget.ts';
import { type ReadBody, readBody, sendContinue } from './read-body.ts';

/** What all bodies that are arriving or in use may hold together. */
export type BodyBudgets = Record<'anonymous' | 'authenticated', MemoryBudget>;

/** What any operation that asks for a body may refuse it with, besides the 503 that its own answers name. */
export const bodyRefusals = [400, 408, 413] as const;

export type RequestBody = {
  /** Whoever sends it has shown credentials of this account that hold. */
  authenticatedAs: (accountId: string) => void;
  /** All of it; asked for again, the same. @throws too_large, too_slow, invalid, overloaded */
  read: () => Promise<Uint8Array>;
  /** Nobody holds it any more. */
  release: () => void;
};

/** What says why a body is not valid walks through all of it, and takes most of a minute for one that is deep enough. */
const maxJsonDepth = 64;

/** A sign-in, a form of OAuth, the metadata of a client: a few kilobytes, which are sent at once. */
const anonymousMs = 10_000;

const megabyte = 1 << 20;

export const createBodyBudgets = (): BodyBudgets => ({
  anonymous: createMemoryBudget({ totalBytes: 16 * megabyte }),
  authenticated: createMemoryBudget({ totalBytes: 64 * megabyte }),
});

/** @throws invalid for JSON inside JSON inside JSON, further than any operation asks for */
export function refuseDeepJson(body: Uint8Array): Uint8Array {
  if ((scanJson(body)?.depth ?? 0) > maxJsonDepth) throw invalid('the body is nested too deeply');
  return body;
}

type RequestBodyOptions = {
  budgets: BodyBudgets;
  clientAddress: string;
  /** How long a body without credentials may take. */
  anonymousTimeoutMs?: number | undefined;
};

export function createRequestBody(
  req: IncomingMessage,
  res: ServerResponse,
  { budgets, clientAddress, anonymousTimeoutMs = anonymousMs }: RequestBodyOptions,
): RequestBody {
  let account: string | undefined;
  let reading: Promise<Uint8Array> | undefined;
  let release = (): void => {};

  const readIt = (): Promise<ReadBody> => {
    const isAnonymous = account === undefined;
    const all = isAnonymous ? budgets.anonymous : budgets.authenticated;
    const holders = [account ?? networkOf(clientAddress)];
    return readBody(req, {
      maxBytes: isAnonymous ? maxAnonymousRequestBytes : maxRequestBytes,
      timeoutMs: isAnonymous ? anonymousTimeoutMs : undefined,
      budget: { take: bytes => all.take(bytes, holders), give: bytes => all.give(bytes, holders) },
      beforeReading: () => sendContinue(req, res),
    });
  };
  const read = async (): Promise<Uint8Array> => {
    const result = await readIt();
    switch (result.kind) {
      case 'whole':
        release = result.release;
        return refuseDeepJson(result.body);
      case 'too_large':
        throw tooLarge('the request body is too large');
      case 'no_room':
        throw new AppError('overloaded', 'too many requests at once, try again', { retryAfterSeconds: 1 });
      case 'late':
        throw tooSlow('the request body did not arrive in time');
      case 'aborted':
        throw invalid('the body did not arrive');
    }
  };
  return {
    authenticatedAs: accountId => {
      account = accountId;
    },
    read: () => {
      reading ??= read();
      return reading;
    },
    release: () => release(),
  };
}
