/*
 * Signs a request as its platform would, with the catalog row that also verifies it: the headers and the body get a signature,
 * new timestamps and, if requested, a new delivery id. No I/O and no clock; only new ids are random. The signer of a single
 * platform's scheme is in the platform's file, beside its verifier.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { followBody } from '../../core/encoding/body-digests.ts';
import { type HeaderPair, lowerName } from '../../core/headers.ts';
import { replaceJsonValues } from './body-fields.ts';
import { createDeliveryReader, type DeliveryReader } from './delivery-reader.ts';
import type { Platform } from './platform.ts';
import type { PlatformIndex } from './platform-index.ts';
import { canUseSecret, createSecretParser, keyFormatDescriptions } from './secrets.ts';
import type { CannotSign, SignatureScheme, SigningTask } from './signature-scheme.ts';
import { headerValues, signaturePresence } from './signature-values.ts';
import { brokenDigest, brokenText, cannotSign, formatTimestamp, withHeader } from './signers/task.ts';

/** A request to sign, as it will be sent. */
export type SignRequest = {
  /** The event's platform; null = unknown: the signature headers of the request determine the schemes. */
  platform: string | null;
  /** The label of one of the platform's schemes. By default, those whose headers the request has, or else the first. */
  scheme?: string | undefined;
  /** The only schemes to sign with; if left out, any of the platform. */
  schemes?: readonly SignatureScheme[] | undefined;
  /** The secret as a user pastes it. The result contains it only if the sender sends the secret itself (tokens). */
  secret: string;
  method: string;
  /** The destination. Schemes that cover the URL sign it as sent, with path and query. */
  url: string;
  /** An old signature may be `[redacted]`. */
  headers: readonly HeaderPair[];
  body: Uint8Array;
  /** Epoch ms, for the timestamps of the scheme. */
  at: number;
  /** Sets a new delivery id, if the platform has a header for it. */
  newId?: boolean | undefined;
  /** Breaks the signature, so that it is well-formed but wrong. */
  tamper?: boolean | undefined;
  /** Replaces each header that contains a signature by `signatureMask`. */
  isMasked?: boolean | undefined;
};

/** `url`: the destination. It differs from the request's only if the sender puts the hash of the body into the query. */
export type SignedRequest = { headers: HeaderPair[]; body: Uint8Array; url: string };

/** `cannotSign` begins with `cannot_sign:` and gives the reason. */
export type SignResult = SignedRequest | CannotSign;

export type Sign = (request: SignRequest) => SignResult;

/** Replaces a signature that must not be shown. */
export const signatureMask = '[signed]';

/** `genericSchemes`: for deliveries of unknown platforms, and of platforms that do not sign. */
export function createSigner(index: PlatformIndex, genericSchemes: readonly SignatureScheme[]): Sign {
  const parseSecret = createSecretParser(index);

  return request => {
    if (!URL.canParse(request.url)) return cannotSign('the URL is not an absolute URL');
    const platform = request.platform === null ? undefined : index.find(request.platform);
    const signs = platform !== undefined && platform.signatures.length > 0;
    const original = readerOf(request);
    const known = signs ? platform.signatures : genericSchemes.filter(scheme => isPresent(scheme, original));
    const all = known.filter(scheme => request.schemes?.includes(scheme) ?? true);
    const title = platform?.title ?? 'the sender';
    if (all.length === 0)
      return cannotSign(
        platform ? `${title} does not sign its deliveries` : 'the delivery has no signature in a known format',
      );
    const signable = signableSchemes({ all, title, wanted: request.scheme, original });
    if ('cannotSign' in signable) return signable;
    const read = parseSecret(signs ? platform.name : null, request.secret);
    if ('error' in read) return cannotSign(read.error);
    const chosen = chooseSchemes({ signable, title, secret: read.secret, original });
    if ('cannotSign' in chosen) return chosen;
    return signBy(chosen, { ...request, secret: read.secret }, { platform, original });
  };
}

const isPresent = (scheme: SignatureScheme, reader: DeliveryReader): boolean =>
  signaturePresence(scheme, reader) !== 'absent';

const readerOf = ({ method, url, headers, body }: Pick<SignRequest, 'method' | 'url' | 'headers' | 'body'>) => {
  const { pathname, search } = new URL(url);
  const query = search === '' ? null : search.slice(1);
  return createDeliveryReader({ method, path: pathname, query, rawHeaders: headers, body });
};

/** The schemes to choose from: the schemes that the request already carries or, if it carries none, all that can sign. */
function signableSchemes(given: {
  all: readonly SignatureScheme[];
  title: string;
  wanted: string | undefined;
  original: DeliveryReader;
}): SignatureScheme[] | CannotSign {
  const { all, title, wanted, original } = given;
  const named = wanted === undefined ? all : all.filter(({ label }) => label === wanted);
  if (named.length === 0)
    return cannotSign(`unknown scheme: ${title} has ${[...new Set(all.map(({ label }) => label))].join(', ')}`);
  const present = named.filter(scheme => isPresent(scheme, original));
  const signable = (present.length > 0 ? present : named).filter(scheme => scheme.sign !== undefined);
  return signable.length > 0
    ? signable
    : cannotSign(`${title} signs with a private key that is not available to Hooktape`);
}

/** The schemes to sign with: at least one. */
function chooseSchemes(given: {
  signable: readonly SignatureScheme[];
  title: string;
  secret: string;
  original: DeliveryReader;
}): SignatureScheme[] | CannotSign {
  const { signable, title, secret, original } = given;
  const usable = signable.filter(({ keyFormat }) => canUseSecret(keyFormat, secret));
  if (usable.length === 0) {
    const formats = [...new Set(signable.map(({ keyFormat }) => keyFormatDescriptions[keyFormat]))];
    return cannotSign(`a secret of ${title} is ${formats.join('; or ')}`);
  }
  return usable.some(scheme => isPresent(scheme, original))
    ? schemesToRenew(usable, secret, original)
    : usable.slice(0, 1);
}

/** The schemes of the request that belong to the secret. A sender may, for example, use both a token and a signing key. */
function schemesToRenew(
  present: readonly SignatureScheme[],
  secret: string,
  original: DeliveryReader,
): SignatureScheme[] {
  const own = present.filter(scheme => headerValues(scheme, original).some(({ value }) => value === secret));
  if (own.length > 0) return own;
  const ofPayload = present.filter(({ proves }) => proves === 'payload');
  const byHeader = Map.groupBy(ofPayload.length > 0 ? ofPayload : present, ({ header }) => header);
  return [...byHeader.values()].flatMap(same => {
    if (same[0]?.header === null) return same;
    // Two schemes share a header: one of them also signs a time, which is in a separate header.
    const timed = same.find(({ timestamp }) => {
      const [, name] = /^header:(.+)$/.exec(timestamp?.from ?? '') ?? [];
      return name !== undefined && original.header(name) !== undefined;
    });
    return [timed ?? same[0]].filter(scheme => scheme !== undefined);
  });
}

/** The request, which the signers change one after the other. */
type Draft = { headers: HeaderPair[]; body: Uint8Array; url: string };

function signBy(
  schemes: readonly SignatureScheme[],
  request: SignRequest,
  { platform, original }: { platform: Platform | undefined; original: DeliveryReader },
): SignResult {
  const newId = createIds();
  const url = wireUrl(request.url);
  const draft: Draft = { headers: [...request.headers], body: request.body, url };
  if (request.newId) draft.headers = withNewId(draft.headers, platform, newId);
  const problem = setTimestamps(schemes, request.at, draft, original);
  if (problem) return problem;
  const run = (scheme: SignatureScheme): CannotSign | undefined => {
    const parts = scheme.sign?.({
      ...request,
      scheme,
      url: draft.url,
      reader: readerOf({ ...draft, method: request.method }),
      original,
      isNewId: request.newId === true,
      newId,
      ...sealsOf(request),
    } satisfies SigningTask) ?? { headers: [] };
    if ('cannotSign' in parts) return parts;
    for (const [name, value] of parts.headers ?? []) {
      const shown = request.isMasked && value.includes(signatureMask) ? signatureMask : value;
      draft.headers = withHeader(draft.headers, name, shown);
    }
    draft.body = parts.body ?? draft.body;
    draft.url = parts.url ?? draft.url;
    return undefined;
  };
  // Signatures in the body come first, because signatures in headers cover the body.
  for (const scheme of schemes.filter(({ header }) => header === null)) {
    const refused = run(scheme);
    if (refused) return refused;
  }
  draft.headers = followBody(draft.headers, request.body, draft.body);
  for (const scheme of schemes.filter(({ header }) => header !== null)) {
    const refused = run(scheme);
    if (refused) return refused;
  }
  return { headers: draft.headers, body: draft.body, url: draft.url === url ? request.url : draft.url };
}

/** The URL as the destination sees it: without fragment, user name and password. */
function wireUrl(text: string): string {
  const { origin, pathname, search } = new URL(text);
  return origin + pathname + search;
}

function sealsOf({ isMasked, tamper }: SignRequest): Pick<SigningTask, 'seal' | 'sealText'> {
  if (isMasked) return { seal: () => ({ toString: () => signatureMask }), sealText: () => signatureMask };
  return tamper ? { seal: brokenDigest, sealText: brokenText } : { seal: digest => digest, sealText: text => text };
}

/** Sets timestamps in headers and in the body. The signer sets timestamps inside the value of the signature. */
function setTimestamps(
  schemes: readonly SignatureScheme[],
  at: number,
  draft: Draft,
  original: DeliveryReader,
): CannotSign | undefined {
  for (const { timestamp } of schemes) {
    if (timestamp === undefined) continue;
    const [, place, name = ''] = /^(header|json):(.+)$/.exec(timestamp.from) ?? [];
    if (place === 'header')
      draft.headers = withHeader(draft.headers, name, formatTimestamp(at, timestamp.unit, original.header(name)));
    if (place !== 'json') continue;
    const time = formatTimestamp(at, timestamp.unit);
    const value = /^\d+$/.test(time) && typeof original.jsonValue(name) !== 'string' ? Number(time) : time;
    const body = replaceJsonValues(draft.body, { [name]: value });
    if (body === null) return cannotSign(`the body has no ${name}, which the signature needs as its time`);
    draft.body = body;
  }
  return undefined;
}

/** Sets a new id in the first header for ids in the platform's row. */
function withNewId(
  headers: readonly HeaderPair[],
  platform: Platform | undefined,
  newId: (like: string | undefined) => string,
): HeaderPair[] {
  for (const rule of platform?.deliveryId ?? []) {
    if (!('header' in rule)) continue;
    const name = typeof rule.header === 'string' ? rule.header : (rule.header.at(-1) ?? '');
    const old = headers.find(([other]) => lowerName(other) === name.toLowerCase());
    if (old) return withHeader(headers, name, newId(old[1]));
  }
  return [...headers];
}

/** Random ids that look like the sender's: a UUID, digits, or letters and digits after the same prefix. One for each request. */
function createIds(): (like: string | undefined) => string {
  let made: string | undefined;
  const make = (like: string): string => {
    if (like === '' || /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(like)) return randomUUID();
    const random = (length: number, alphabet: string): string =>
      Array.from(randomBytes(length), byte => alphabet[byte % alphabet.length]).join('');
    if (/^\d{6,}$/.test(like)) return `1${random(like.length - 1, '0123456789')}`;
    const prefix = /^[A-Za-z0-9-]{1,20}_/.exec(like)?.[0] ?? '';
    const length = Math.min(64, Math.max(20, like.length - prefix.length));
    return prefix + random(length, '0123456789abcdefghijklmnopqrstuvwxyz');
  };
  return (like = '') => {
    made ??= make(like);
    return made;
  };
}
