/*
 * Decides whether a guard accepts a delivery: network (403), then method (405), then credential (401). Pure. A sender learns which of
 * the three failed, because each needs another remedy, but never which part of its credentials: the user name, the password and the
 * token are compared together, as digests, so that neither text nor time tells how much of a guess was right or how long a secret is.
 */

import { timingSafeEqual } from 'node:crypto';
import { type Cidr, isInAnyCidr, parseAddress, parseCidr } from '../../shared/addresses.ts';
import type { EndpointGuard, GuardedRequest, GuardRefusal } from '../answers/model.ts';
import { sha256 } from '../encoding/sha256.ts';
import { type HeaderPair, lowerName, readFieldLines } from '../headers.ts';
import type { Guard } from './model.ts';
import { readParameters } from './parameters.ts';
import { createTokenRedactor } from './redact.ts';

const digestOf = (given: string | Uint8Array): Uint8Array =>
  sha256(typeof given === 'string' ? Buffer.from(given) : given);

/** In place of a secret that could not be opened: no text is known that has this digest. */
const unmatched = new Uint8Array(32);

type ReadyGuard = ReturnType<typeof readyGuard>;

function readyGuard({ methods, cidrs, basic, token }: Guard) {
  return {
    methods: methods && new Set(methods),
    // A range that cannot be read allows nothing.
    ranges: cidrs?.flatMap(text => parseCidr(text) ?? []),
    /** Of `user:password` in UTF-8. */
    basicDigest: basic && (basic.password === '' ? unmatched : digestOf(`${basic.user}:${basic.password}`)),
    token: token && {
      ...token,
      name: token.in === 'header' ? token.name.toLowerCase() : token.name,
      digest: token.value === '' ? unmatched : digestOf(token.value),
    },
  };
}

export function endpointGuard(guard: Guard): EndpointGuard {
  const ready = readyGuard(guard);
  const withoutToken = guard.token && createTokenRedactor(guard.token);
  return {
    onRefuse: guard.onRefuse,
    check(request) {
      const refusal = checkGuard(ready, request);
      const stored = withoutToken?.(request);
      return refusal || stored ? { refusal, stored } : undefined;
    },
  };
}

/** @returns undefined when the delivery is accepted */
function checkGuard(guard: ReadyGuard, { method, sourceIp, fields, query }: GuardedRequest): GuardRefusal | undefined {
  const { ranges, methods, basicDigest, token } = guard;
  if (ranges && !isFrom(sourceIp, ranges))
    return { status: 403, headers: {}, error: 'deliveries from this network are not taken here' };
  if (methods && !methods.has(method))
    return { status: 405, headers: { allow: [...methods].join(', ') }, error: 'this method is not taken here' };
  if (!basicDigest && !token) return undefined;
  const headers = basicDigest || token?.in === 'header' ? readFieldLines(fields) : [];
  // Both are always compared.
  const isUser = !basicDigest || isEqual(basicCredentials(headers), basicDigest);
  const hasToken = !token || tokensIn(token, headers, query).some(given => isEqual(given, token.digest));
  if (isUser && hasToken) return undefined;
  return {
    status: 401,
    headers: basicDigest ? { 'www-authenticate': 'Basic realm="hooktape", charset="UTF-8"' } : {},
    error: 'the credentials are missing or wrong',
  };
}

function isFrom(sourceIp: string, ranges: readonly Cidr[]): boolean {
  const address = parseAddress(sourceIp);
  return address !== undefined && isInAnyCidr(address, ranges);
}

/** The time depends on the given value, not on the expected one. */
const isEqual = (given: string | Uint8Array, digest: Uint8Array): boolean => timingSafeEqual(digestOf(given), digest);

/** The only value of a field; empty if it is missing or repeated, because proxies and servers read repeated fields differently. */
function onlyValue(headers: readonly HeaderPair[], name: string): string {
  const [value, ...more] = headers.filter(([spelling]) => lowerName(spelling) === name).map(([, text]) => text);
  return value === undefined || more.length > 0 ? '' : value;
}

/** The bytes of `user:password` (RFC 7617); empty without credentials. */
function basicCredentials(headers: readonly HeaderPair[]): Uint8Array {
  const [, encoded = ''] = /^basic +([a-z0-9+/]+={0,2})$/i.exec(onlyValue(headers, 'authorization')) ?? [];
  return Buffer.from(encoded, 'base64');
}

/** The possible readings of the token: at most two of one value. */
function tokensIn(
  { in: place, name }: NonNullable<ReadyGuard['token']>,
  headers: readonly HeaderPair[],
  query: string | null,
): string[] {
  if (place === 'header') return [onlyValue(headers, name)];
  const [found, ...more] = readParameters(query).filter(({ names }) => names.includes(name));
  return found === undefined || more.length > 0 ? [''] : found.values;
}
