/*
 * Tries saved secrets on an event: which one fits its signature, as it was received or with a usual change on the way undone.
 * Generators, because many secrets and a large body take long.
 */

import type { SignatureCause } from '../../core/events/signature-causes.ts';
import type { ExplainInput } from '../../platforms/engine/explain.ts';
import type { Trials } from '../../platforms/engine/mismatch-causes.ts';
import { isConfirmed, type SigningSecret, type Verdict } from '../../platforms/engine/model.ts';
import { findPlatform } from '../../platforms/platforms.ts';
import type { SignatureExplanation } from './model.ts';

export type SavedSecret = SigningSecret & { id: string; last4: string; endpointId: string };
export type SavedSecrets = { own: readonly SavedSecret[]; others: readonly SavedSecret[] };

type Sent = Pick<ExplainInput, 'delivery' | 'platform'> & { trials: Trials | undefined };
type Match = { secret: SavedSecret; cause: SignatureCause | null };
type Found = { match: Match | null; tried: SignatureExplanation['tried'] };

const nothing: Found = { match: null, tried: null };

const maxOtherSecrets = 200;
/** Each of the other secrets hashes the body again: none is tried on a larger one. */
const maxTriedBytes = 4 << 20;
const maxHashedBytes = 64 << 20;

/**
 * For a valid signature, the endpoint's secret that fits. Otherwise a secret of the team's other endpoints that
 * does, or one of the endpoint's with a change undone.
 * @param shown the verdict that the event shows
 */
export function* trySaved(sent: Sent, { own, others }: SavedSecrets, shown: Verdict): Generator<void, Found> {
  const isUnmatched = shown.reason === 'wrong_secret_or_altered_body' || shown.reason === 'no_secret';
  const tools = shown.verdict === 'valid' || isUnmatched ? sent.trials : undefined;
  if (!tools) return nothing;
  const applies = ({ platform }: SavedSecret): boolean =>
    platform === null || (sent.platform !== null && findPlatform(platform)?.name === sent.platform);
  if (!isUnmatched) {
    const usable = own.filter(one => one.unconfirmed !== true && applies(one));
    return { match: yield* firstFit(usable, tools, null), tried: null };
  }
  const usable = (all: readonly SavedSecret[]) => all.filter(one => isConfirmed(one) && applies(one));
  const secrets = usable(own);
  const elsewhere = usable(others).slice(0, maxOthers(sent.delivery.body.length));
  const other = yield* firstFit(elsewhere, tools, 'other_secret');
  return {
    match: other ?? (yield* firstUndone(secrets, tools)),
    tried: {
      secrets: secrets.map(({ id, last4 }) => ({ id, last4 })),
      otherSecrets: elsewhere.length,
      changes: other || secrets.length === 0 ? [] : yield* tools.causes(),
    },
  };
}

const maxOthers = (bytes: number): number =>
  bytes > maxTriedBytes ? 0 : Math.min(maxOtherSecrets, Math.ceil(maxHashedBytes / (bytes + 1)));

function* firstFit(
  secrets: readonly SavedSecret[],
  { fits }: Trials,
  cause: SignatureCause | null,
): Generator<void, Match | null> {
  for (const one of secrets) {
    if (fits(one.secret)) return { secret: one, cause };
    yield;
  }
  return null;
}

function* firstUndone(secrets: readonly SavedSecret[], { undo }: Trials): Generator<void, Match | null> {
  for (const one of secrets) {
    const cause = yield* undo(one.secret);
    if (cause) return { secret: one, cause };
    yield;
  }
  return null;
}
