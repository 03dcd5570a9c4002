/*
 * Detects the platform of a delivery, its event type and its id. Headers that only one platform sends decide at once, without
 * reading the body; otherwise all rules that may match are tried in their order. If in doubt, the platform is null. Never
 * throws. Runs on every delivery.
 */
import { readDeliveryId } from './delivery-id.ts';
import { createDeliveryReader, type DeliveryReader } from './delivery-reader.ts';
import { readEventType } from './event-type.ts';
import { matchesTrigger } from './handshake-triggers.ts';
import type { IdentifiedDetection, RawDelivery } from './model.ts';
import type { Platform } from './platform.ts';
import type { PlatformIndex } from './platform-index.ts';
import { type Candidate, indexRules, type RuleIndex, ruleMatches } from './rule-index.ts';
import { signaturePresence } from './signature-values.ts';

/** Rules up to this order use headers that no other platform sends. */
const ownHeaderOrder = 26;
/** Rules from this order on are only hints: envelopes that many senders share, and shapes that a user may have chosen. */
const genericOrder = 60;
const maxSniffedBytes = 1024 * 1024;

/** Corrects a detection with the platforms for which secrets are registered. */
export type RefineByRegistered = (
  found: Platform | null,
  reader: DeliveryReader,
  registered: readonly string[],
) => Platform | null;

export function createDetector({ all, find }: PlatformIndex) {
  const rules = indexRules(all);
  const generic = new Set(all.filter(platform => platform.detect.every(rule => rule.order >= genericOrder)));

  /**
   * If no platform or a generic one was found, and exactly one registered platform can have sent the delivery, that platform
   * replaces it. A platform found by a specific rule stays.
   */
  const refineByRegistered: RefineByRegistered = (found, reader, registered) => {
    if (registered.length === 0 || (found !== null && !generic.has(found))) return found;
    const platforms = new Set(registered.map(find).filter(platform => platform !== undefined));
    if (found !== null && platforms.has(found)) return found;
    const [sender, ...others] = possibleSenders([...platforms], reader);
    return sender !== undefined && others.length === 0 ? sender : found;
  };

  return {
    refineByRegistered,

    /** `registered` decides between senders of the same headers, never against headers of only one platform. */
    detect(delivery: RawDelivery, registered: readonly string[]): IdentifiedDetection {
      const reader = createDeliveryReader(delivery);
      const platform = refineByRegistered(firstMatch(rules, reader)?.platform ?? null, reader, registered);
      if (platform === null)
        return { platform: null, eventType: readEventType(undefined, reader), deliveryId: undefined };
      return {
        platform: platform.name,
        eventType: readEventType(platform, reader),
        deliveryId: readDeliveryId(platform, reader),
      };
    },
  };
}

/** The platforms whose signature the delivery contains, or else the platforms whose handshake it may be. */
function possibleSenders(platforms: readonly Platform[], reader: DeliveryReader): Platform[] {
  const signed = platforms.filter(({ signatures }) =>
    signatures.some(scheme => signaturePresence(scheme, reader) !== 'absent'),
  );
  if (signed.length > 0) return signed;
  return platforms.filter(({ handshakes = [] }) =>
    handshakes.some(({ shared, when }) => shared && matchesTrigger(when, reader)),
  );
}

function firstMatch(rules: RuleIndex, reader: DeliveryReader): Candidate | null {
  const candidates: Candidate[] = [];
  for (const name of reader.headers.keys()) {
    const ofHeader = rules.byHeader.get(name);
    if (ofHeader !== undefined) candidates.push(...ofHeader);
  }
  if (candidates.length > 0) {
    candidates.sort(byOrder);
    for (const candidate of candidates) {
      if (candidate.order > ownHeaderOrder) break;
      if (ruleMatches(candidate, reader)) return candidate;
    }
  }
  addCandidatesByContent(rules, candidates, reader);
  candidates.sort(byOrder);
  return candidates.find(candidate => ruleMatches(candidate, reader)) ?? null;
}

function addCandidatesByContent(rules: RuleIndex, candidates: Candidate[], reader: DeliveryReader): void {
  const { delivery, headers } = reader;
  if (headers.has('user-agent')) candidates.push(...rules.byUserAgent);
  if (delivery.query !== null && delivery.query !== '') candidates.push(...rules.byQuery);
  if (delivery.body.length === 0) return;
  const type = headers.get('content-type');
  if (type !== undefined && /^(application\/x-www-form-urlencoded|multipart\/form-data)/i.test(type)) {
    if (delivery.body.length <= maxSniffedBytes) candidates.push(...rules.byForm);
    return;
  }
  const scan = reader.jsonScan();
  if (scan === null) {
    if (delivery.body.length <= maxSniffedBytes && looksLikeMarkup(delivery.body)) candidates.push(...rules.byText);
    return;
  }
  for (const key of new Set(scan.keys)) {
    const ofKey = rules.byJsonKey.get(key);
    if (ofKey !== undefined) candidates.push(...ofKey);
  }
}

/** XML, or a token that begins with `eyJ`. */
function looksLikeMarkup(body: Uint8Array): boolean {
  for (let at = 0; at < Math.min(body.length, 64); at += 1) {
    const byte = body[at];
    if (byte === 0x3c || byte === 0x65) return true;
    if (byte !== undefined && byte > 0x20 && byte < 0x80) return false;
  }
  return false;
}

const byOrder = (a: Candidate, b: Candidate): number => a.order - b.order;
