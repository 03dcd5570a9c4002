/*
 * The body of a request to the app, read when an operation asks for it, after authentication: a refused request costs no upload.
 * Anonymous requests have smaller limits and a memory budget of their own, so that they cannot keep out authenticated ones. Each
 * client address has a share of the one budget, each account a share of the other.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createMemoryBudget, type MemoryBudget } from '../core/concurrency/memory-budget.ts';
import { AppError, invalid, tooLarge, tooSlow } from '../core/errors.ts';
import { scanJson } from '../core/json/scan.ts';
import { maxAnonymousRequestBytes, maxRequestBytes } from '../core/limits.ts';
import { networkOf } from '../shared/addresses.ts';
import { type ReadBody, readBody, sendContinue } from './read-body.ts';

/** The memory for bodies that are arriving or in use. */
export type BodyBudgets = Record<'anonymous' | 'authenticated', MemoryBudget>;

/** The statuses with which any operation with a body may refuse it, besides the 503 that its own responses declare. */
export const bodyRefusals = [400, 408, 413] as const;

export type RequestBody = ReturnType<typeof createRequestBody>;

/** Without a limit, the explanation why a deeply nested body does not match its schema takes most of a minute. */
const maxJsonDepth = 64;

/** Anonymous bodies are a few kilobytes, sent at once: a sign-in, an OAuth form, client metadata. */
const anonymousMs = 10_000;

const megabyte = 1 << 20;

export const createBodyBudgets = (): BodyBudgets => ({
  anonymous: createMemoryBudget({ totalBytes: 16 * megabyte }),
  authenticated: createMemoryBudget({ totalBytes: 64 * megabyte }),
});

/** @throws invalid for JSON that is nested more deeply than any operation expects */
export function refuseDeepJson(body: Uint8Array): Uint8Array {
  if ((scanJson(body)?.depth ?? 0) > maxJsonDepth) throw invalid('the body is nested too deeply');
  return body;
}

type RequestBodyOptions = {
  budgets: BodyBudgets;
  clientAddress: string;
  /** How long the body of an anonymous request may take. */
  anonymousTimeoutMs?: number | undefined;
};

export function createRequestBody(
  req: IncomingMessage,
  res: ServerResponse,
  { budgets, clientAddress, anonymousTimeoutMs = anonymousMs }: RequestBodyOptions,
) {
  let account: string | undefined;
  let checkAgain = (): Promise<void> => Promise.resolve();
  let reading: Promise<Uint8Array> | undefined;
  let release = (): void => {};

  const receive = (): Promise<ReadBody> => {
    const isAnonymous = account === undefined;
    const shared = isAnonymous ? budgets.anonymous : budgets.authenticated;
    const holders = [account ?? networkOf(clientAddress)];
    return readBody(req, {
      maxBytes: isAnonymous ? maxAnonymousRequestBytes : maxRequestBytes,
      timeoutMs: isAnonymous ? anonymousTimeoutMs : undefined,
      budget: { take: bytes => shared.take(bytes, holders), give: bytes => shared.give(bytes, holders) },
      beforeReading: () => sendContinue(req, res),
    });
  };
  const read = async (): Promise<Uint8Array> => {
    const result = await receive();
    switch (result.kind) {
      case 'complete':
        release = result.release;
        await checkAgain();
        return refuseDeepJson(result.body);
      case 'too_large':
        throw tooLarge('the request body is too large');
      case 'over_budget':
        throw new AppError('overloaded', 'too many requests at once, try again', { retryAfterSeconds: 1 });
      case 'timed_out':
        throw tooSlow('the request body did not arrive in time');
      case 'aborted':
        throw invalid('the body did not arrive');
    }
  };
  return {
    /** Call it before `read` for a request with valid credentials of this account. `check` runs when the body has arrived. */
    authenticatedAs: (accountId: string, check: () => Promise<void>): void => {
      account = accountId;
      checkAgain = check;
    },
    /** The complete body; a second call returns the same. @throws too_large, too_slow, invalid, overloaded, and what `check` throws */
    read: (): Promise<Uint8Array> => {
      reading ??= read();
      return reading;
    },
    /** Call it when the body is no longer in use. */
    release: (): void => release(),
  };
}
