/* Finds the handshakes that a delivery may be. Hardly any is one, so this checks only what is cheap to read. */
import { asBuffer } from '../../core/encoding/buffer.ts';
import type { DeliveryReader } from './delivery-reader.ts';
import type { Detection, RawDelivery } from './model.ts';
import type { Handshake, HandshakeTrigger, Platform } from './platform.ts';

/** Larger bodies are not handshakes. */
export const maxHandshakeBytes = 8192;

export type HandshakeCandidate = { platform: Platform; handshake: Handshake };

type MethodIndex = {
  byHeader: Map<string, { pattern: RegExp | undefined; candidate: HandshakeCandidate }[]>;
  /** Most header names are ruled out by their length alone. */
  headerLengths: Set<number>;
  byQuery: { names: readonly string[]; candidate: HandshakeCandidate }[];
  byJsonKey: { quoted: Buffer; candidates: HandshakeCandidate[] }[];
  byPlatform: Map<string, HandshakeCandidate[]>;
};

const none: readonly HandshakeCandidate[] = [];

/** The candidates for a delivery, in the order of the catalog within each kind of trigger. */
export type FindHandshakes = (delivery: RawDelivery, detection: Detection) => readonly HandshakeCandidate[];

export function indexHandshakes(platforms: readonly Platform[]): FindHandshakes {
  const byMethod = new Map<string, MethodIndex>();
  for (const platform of platforms) {
    for (const handshake of platform.handshakes ?? []) addToIndex(byMethod, { platform, handshake });
  }
  return (delivery, detection) => {
    const index = byMethod.get(delivery.method);
    return index === undefined ? none : findCandidates(index, delivery, detection);
  };
}

function addToIndex(byMethod: Map<string, MethodIndex>, candidate: HandshakeCandidate): void {
  const { when } = candidate.handshake;
  let index = byMethod.get(when.method);
  if (index === undefined) {
    index = { byHeader: new Map(), headerLengths: new Set(), byQuery: [], byJsonKey: [], byPlatform: new Map() };
    byMethod.set(when.method, index);
  }
  if ('header' in when) {
    push(index.byHeader, when.header, { pattern: when.value, candidate });
    index.headerLengths.add(when.header.length);
  } else if ('query' in when) {
    index.byQuery.push({ names: when.query, candidate });
  } else if ('jsonKey' in when) {
    const quoted = Buffer.from(`"${when.jsonKey}"`);
    const known = index.byJsonKey.find(entry => entry.quoted.equals(quoted));
    if (known === undefined) index.byJsonKey.push({ quoted, candidates: [candidate] });
    else known.candidates.push(candidate);
  } else {
    push(index.byPlatform, candidate.platform.name, candidate);
  }
}

/** Headers and query come first, then what the detected platform expects of every delivery; the body is searched last. */
function findCandidates(
  { byHeader, headerLengths, byQuery, byJsonKey, byPlatform }: MethodIndex,
  { rawHeaders, query, body }: RawDelivery,
  { platform }: Detection,
): readonly HandshakeCandidate[] {
  let found: HandshakeCandidate[] | undefined;
  for (const [name, value] of rawHeaders) {
    if (!headerLengths.has(name.length)) continue;
    const ofHeader = byHeader.get(name.toLowerCase());
    if (ofHeader === undefined) continue;
    for (const { pattern, candidate } of ofHeader) {
      if (pattern !== undefined && !pattern.test(value)) continue;
      found ??= [];
      // A repeated header adds nothing.
      if (!found.includes(candidate)) found.push(candidate);
    }
  }
  if (query !== null && query !== '' && byQuery.length > 0) {
    const present = queryNames(query);
    const ofQuery = byQuery.filter(({ names }) => names.every(name => present.has(name)));
    if (ofQuery.length > 0) found = [...(found ?? []), ...ofQuery.map(({ candidate }) => candidate)];
  }
  found ??= platform === null ? undefined : byPlatform.get(platform);
  if (found !== undefined) return found;
  if (byJsonKey.length === 0 || body.length === 0 || body.length > maxHandshakeBytes) return none;
  const bytes = asBuffer(body);
  for (const { quoted, candidates } of byJsonKey) if (bytes.includes(quoted)) return candidates;
  return none;
}

const queryNames = (query: string): Set<string> =>
  new Set([...new URLSearchParams(query).keys()].map(name => name.toLowerCase()));

/** Whether a delivery matches one trigger. */
export function matchesTrigger(when: HandshakeTrigger, { delivery, headers, query }: DeliveryReader): boolean {
  if (delivery.method !== when.method) return false;
  if ('header' in when) return headers.has(when.header);
  return 'query' in when && when.query.every(name => query().has(name));
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
