/*
 * Makes the request that a replay sends: the event as captured, edited, signed. Whether a stored secret may sign is decided in
 * features/replays/no-signing-oracle.ts, before anything is signed.
 */

import type { Principal } from '../../core/access/principal.ts';
import type { Clock } from '../../core/clock.ts';
import { latin1 } from '../../core/encoding/buffer.ts';
import { AppError, forbidden, notFound } from '../../core/errors.ts';
import { type HeaderPair, redacted } from '../../core/headers.ts';
import { eventId } from '../../core/ids/ids.ts';
import type { AllowEntry } from '../../core/network/allow-list.ts';
import { readDestination } from '../../core/network/destination.ts';
import type { SentRequest } from '../../core/replay/kept-request.ts';
import { applyEdit, isEdit } from '../../core/replay/replay-edit.ts';
import { replayHeaders, sentHeaders } from '../../core/replay/replay-headers.ts';
import { credentialsIn, type HiddenText } from '../../core/secrets/hidden-text.ts';
import type { SigningSecret, Verdict } from '../../platforms/engine/model.ts';
import { type SignRequest, signatureMask } from '../../platforms/engine/sign.ts';
import type { SignatureScheme } from '../../platforms/engine/signature-scheme.ts';
import { sign } from '../../platforms/platforms.ts';
import { appendTarget } from '../../shared/replay-target.ts';
import type { StoredEvent } from '../events/reading.ts';
import type { ReplayRequest } from './model.ts';
import { refusalToSign } from './no-signing-oracle.ts';

export type PreparedRequest = {
  method: string;
  url: string;
  headers: HeaderPair[];
  body: Uint8Array;
  isSigned: boolean;
  isEdited: boolean;
  /** Texts that must not be shown or stored if the destination echoes them. */
  hidden: HiddenText[];
} & Pick<SentRequest, 'unsignedBody' | 'mayKeepBody'>;

/** A secret of an endpoint. */
export type Signer = SigningSecret & { id: string; maySign: boolean; destinations: readonly string[] };

/** Either `url` or `listener`. */
export type PrepareOptions = Omit<ReplayRequest, 'url' | 'listener'> & {
  url: string | undefined;
  listener?: string | undefined;
};

type SignOptions = NonNullable<ReplayRequest['sign']>;
/**
 * `platform`: the platform whose row defines the signature. `schemes`: a stored secret renews only valid signatures. Otherwise,
 * beside a valid signature that covers little, a caller could request a second signature over content which the platform never
 * sent.
 */
type ChosenSecret = {
  secret: string;
  platform: string | null;
  isStored: boolean;
  schemes?: readonly SignatureScheme[];
};

export type PrepareRequest = ReturnType<typeof createPrepareRequest>;

export function createPrepareRequest(options: {
  signersOf: (endpoint: number) => readonly Signer[];
  /** The verdict on the event, as it was captured, with this secret alone, and the schemes whose signature is valid. */
  verifyWith: (
    event: StoredEvent,
    secret: SigningSecret,
  ) => { verdict: Verdict | null; validSchemes: readonly SignatureScheme[] };
  /** Destinations for which stored secrets may sign although no owner listed them. */
  allow: readonly AllowEntry[];
  clock: Pick<Clock, 'now'>;
}) {
  const { signersOf, verifyWith, allow, clock } = options;

  /** @throws forbidden when a stored secret may not sign; not_found for the secret */
  const chooseSecret = (
    event: StoredEvent,
    {
      sign: { secret, secretId, at },
      ...intent
    }: { sign: SignOptions; url: string | undefined; isApp: boolean; isEdited: boolean },
  ): ChosenSecret => {
    if (secret !== undefined) return { secret, platform: event.row.platform, isStored: false };
    const known = signersOf(event.row.endpoint);
    const now = clock.now();
    const choose = (signer: Signer): ChosenSecret | string => {
      const { verdict, validSchemes } = verifyWith(event, { platform: signer.platform, secret: signer.secret });
      const refusal = refusalToSign({
        ...intent,
        secret: { ...signer, isConfirmed: signer.unconfirmed !== true },
        isValid: verdict?.verdict === 'valid',
        at,
        now,
        allow,
      });
      const platform = verdict?.platform ?? null;
      return refusal ?? { secret: signer.secret, platform, isStored: true, schemes: validSchemes };
    };
    if (secretId === undefined) {
      const tried = known.filter(({ maySign }) => maySign).map(choose);
      const chosen = tried.find(one => typeof one !== 'string') ?? tried[0];
      if (typeof chosen === 'object') return chosen;
      throw forbidden(chosen ?? 'no secret of the endpoint may sign: allow one, or send the secret with the request');
    }
    const signer = known.find(({ id }) => id === secretId);
    if (!signer) throw notFound('secret');
    const chosen = choose(signer);
    if (typeof chosen === 'string') throw forbidden(chosen);
    return chosen;
  };

  return (
    principal: Pick<Principal, 'app'>,
    event: StoredEvent,
    { url: given, listener, appendPath = false, edit = {}, sign: wanted, dryRun = false }: PrepareOptions,
  ): PreparedRequest => {
    const { row } = event;
    const url = appendPath && given !== undefined ? readDestination(appendTarget(given, targetOf(event))) : given;
    const isSigned = wanted !== undefined && wanted.mode !== 'none';
    const isEdited = isEdit(edit) || row.redacted !== null || (isSigned && wanted.newId === true);
    // This comes before the edit is read, so that the response does not depend on what the secret would sign.
    const chosen = isSigned
      ? chooseSecret(event, { sign: wanted, url, isApp: principal.app !== undefined, isEdited })
      : undefined;
    const edited = applyEdit({ headers: replayHeaders(event.headers), body: event.body }, edit);
    const unsigned = { method: row.method, url: url ?? placeholderUrl, ...edited };
    const signing = chosen && wanted ? { ...unsigned, ...optionsOf(wanted, chosen, clock.now()) } : undefined;
    if (signing && chosen && url === undefined) refuseSignedUrl({ ...signing, secret: chosen.secret });
    const { hidden, ...request } =
      signing && chosen ? signed(signing, chosen, dryRun) : { ...unsigned, mayKeepBody: true, hidden: [] };
    return {
      ...request,
      ...(url === undefined && { url: listenerDestination(listener ?? '') }),
      headers: sentHeaders(request.headers, { eventId: eventId(row.seq, row.nonce), isEdited }),
      unsignedBody: edited.body,
      isSigned,
      isEdited,
      hidden: [...hidden, ...credentialsIn(edit.headers ?? [])],
    };
  };
}

/** For a listener, whose targets are not known here. */
const placeholderUrl = 'http://listener.invalid/';
const otherUrl = 'http://other.invalid/path';

/** The destination that is recorded when the listener did not report one. */
export const listenerDestination = (name: string): string => `listener:${name}`;

/** Its message begins with the code. The problem has the code in a field of its own. */
const cannotSign = (reason: string): AppError =>
  new AppError('invalid', `cannot_sign: ${reason}`, {
    problems: [{ path: ['sign'], message: reason, code: 'cannot_sign' }],
  });

/** A signature that covers the URL cannot be made for a listener. @throws invalid */
function refuseSignedUrl(request: SignRequest): void {
  const [one, other] = [placeholderUrl, otherUrl].map(url => sign({ ...request, url, newId: false }));
  if (!one || !other || 'cannotSign' in one || 'cannotSign' in other) return;
  const isSame = Bun.deepEquals([one.headers, one.body], [other.headers, other.body]) && one.url === placeholderUrl;
  if (!isSame)
    throw cannotSign('the signature covers the URL, which only the listener knows: start it with --resign instead');
}

const targetOf = ({ row: { path, query } }: StoredEvent) => ({
  path: latin1(path),
  query: query && latin1(query),
});

/** A stored secret signs with the time of this server. */
const optionsOf = ({ mode, at, newId }: SignOptions, { isStored, platform, schemes }: ChosenSecret, now: number) => ({
  platform,
  schemes,
  at: isStored ? now : (at ?? now),
  newId,
  tamper: mode === 'tamper',
});

/** @throws invalid if the request cannot be signed */
function signed(
  request: Omit<SignRequest, 'secret'>,
  { secret, isStored }: ChosenSecret,
  dryRun: boolean,
): Pick<PreparedRequest, 'method' | 'url' | 'headers' | 'body' | 'mayKeepBody' | 'hidden'> {
  const { method } = request;
  const make = (isMasked: boolean) => {
    const result = sign({ ...request, secret, isMasked });
    if ('cannotSign' in result) throw cannotSign(result.reason);
    return { method, ...result };
  };
  const hidden: HiddenText[] = [{ text: secret.trim(), shownAs: redacted }];
  if (!isStored) return { ...make(false), mayKeepBody: true, hidden };
  const masked = make(true);
  if (dryRun) return { ...masked, mayKeepBody: false, hidden };
  const real = make(false);
  const signatures = real.headers.filter((_, n) => masked.headers[n]?.[1] === signatureMask).map(([, value]) => value);
  const parts = signatures.flatMap(value => [value, ...value.split(/[,;= ]+/).filter(part => part.length >= 16)]);
  return {
    ...real,
    mayKeepBody: Buffer.compare(masked.body, real.body) === 0,
    hidden: [...hidden, ...parts.map(text => ({ text, shownAs: signatureMask }))],
  };
}
