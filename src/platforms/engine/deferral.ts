/*
 * Decides whether recognition can be deferred until after a delivery is answered and stored: that is the case for JSON that
 * needs no special response and has no signature in a header that is not stored. The check runs on nearly every delivery, so it
 * is cheap: it reads the method, the query, the header names and, in a small body, a few keys. If in doubt, recognition is not
 * deferred.
 */

import { asBuffer } from '../../core/encoding/buffer.ts';
import { isCredentialHeader, isTransitHeader } from '../../core/headers.ts';
import { maxHandshakeBytes } from './handshake-triggers.ts';
import type { HandshakeTrigger, Platform } from './platform.ts';
import type { PlatformIndex } from './platform-index.ts';

export type DeferralInput = {
  method: string;
  query: string | null;
  /** The lines of the header fields, as received, latin1. */
  fieldLines: string;
  body: Uint8Array;
};

/** @param registered the platforms of the endpoint's confirmed secrets */
export type MayDefer = (delivery: DeferralInput, registered: readonly string[]) => boolean;

const isUnstored = (name: string): boolean => isCredentialHeader(name) || isTransitHeader(name);
/** Whether every delivery of the platform gets a special response. */
const answersDetected = ({ handshakes = [] }: Platform): boolean => handshakes.some(({ when }) => 'detected' in when);

export function createDeferral({ all, find }: PlatformIndex): MayDefer {
  const triggers = all.flatMap(({ handshakes = [] }) => handshakes.map(({ when }) => when)).filter(isPost);
  const answering = new Set(all.filter(answersDetected));
  const rulesOfAnswering = [...answering].flatMap(({ detect }) => detect);

  const headers = new Set([
    ...triggers.flatMap(when => ('header' in when ? [when.header] : [])),
    ...rulesOfAnswering.flatMap(rule => [
      ...(rule.anyHeader ?? []),
      ...(rule.allHeaders ?? []),
      ...Object.keys(rule.headerValues ?? {}),
    ]),
    ...all.flatMap(headersOf).filter(isUnstored),
  ]);
  const names = [...headers].map(name => name.replace(/[^a-z0-9]/g, '\\$&')).join('|');
  const decisiveHeader = new RegExp(
    `(?:^|\\n)(?:(?:${names})[ \\t]*:|content-type[ \\t]*:[ \\t]*(?:application/x-www-form|multipart/))`,
    'i',
  );
  const keysOfRules = quotedBytes(
    rulesOfAnswering.flatMap(({ json }) => Object.keys(json ?? {}).slice(0, 1)).map(lastName),
  );
  const keysOfTriggers = quotedBytes(triggers.flatMap(when => ('jsonKey' in when ? [when.jsonKey] : [])));

  return ({ method, query, fieldLines, body }, registered) => {
    if (method !== 'POST' || query !== null || !looksLikeJson(body) || decisiveHeader.test(fieldLines)) return false;
    if (registered.some(name => isAnswering(name))) return false;
    const bytes = asBuffer(body);
    const contains = (key: Buffer): boolean => bytes.includes(key);
    return !keysOfRules.some(contains) && (body.length > maxHandshakeBytes || !keysOfTriggers.some(contains));
  };

  function isAnswering(name: string): boolean {
    const platform = find(name);
    return platform !== undefined && answering.has(platform);
  }
}

const isPost = ({ method }: HandshakeTrigger): boolean => method === 'POST';

/** All headers that a detection rule or a signature scheme names. */
const headersOf = ({ detect, signatures }: Platform): string[] => [
  ...detect.flatMap(({ anyHeader = [], allHeaders = [], headerValues = {} }) => [
    ...anyHeader,
    ...allHeaders,
    ...Object.keys(headerValues),
  ]),
  ...signatures.flatMap(({ header, alternativeHeaders = [] }) => [
    ...(header === null ? [] : [header]),
    ...alternativeHeaders.map(alternative => alternative.header),
  ]),
];

/** `event_hash` for `event.event_hash`. A sender that escapes these letters in JSON gets the default response. */
const lastName = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

const quotedBytes = (keys: readonly string[]): Buffer[] => [...new Set(keys)].map(key => Buffer.from(`"${key}"`));

const looksLikeJson = (body: Uint8Array): boolean => body[0] === 0x7b || body[0] === 0x5b;
