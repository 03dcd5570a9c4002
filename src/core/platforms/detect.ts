/*
 * Who sent this, and what is it about? Headers of a platform's own decide at once and the body stays untouched; otherwise all rules
 * that the delivery could meet are tried in their order. No answer rather than a guess; never throws. Runs on every delivery.
 */
import { claimants } from './claims.ts';
import { readEventType } from './event-type.ts';
import type { Detection, Platform, RawDelivery } from './model.ts';
import { findPlatform, platforms } from './platforms.ts';
import { type Reading, readDelivery } from './reading.ts';
import { type Candidate, holds, indexRules } from './rules.ts';

/** Up to here a rule rests on headers that no other platform sends. */
const OWN_HEADERS = 26;
/** From here on a rule is a hint at most: envelopes that many senders share, shapes that a user may have chosen. */
const GENERIC = 60;
const NOTHING: Detection = { platform: null, eventType: null };

const index = indexRules(platforms);
const generic = new Set(platforms.filter(row => row.detect.every(rule => rule.order >= GENERIC)));

/**
 * `registered`: platform names of the endpoint's secrets. They settle what the delivery leaves open (senders that share headers),
 * and never contradict headers that only one platform sends.
 */
export function detect(delivery: RawDelivery, registered: readonly string[]): Detection {
  const reading = readDelivery(delivery);
  const platform = recognise(reading, registered);
  return platform === null ? NOTHING : { platform: platform.name, eventType: readEventType(platform, reading) };
}

/** The platform of a delivery that is already being read. */
export function recognise(reading: Reading, registered: readonly string[]): Platform | null {
  return settle(firstMatch(reading)?.platform ?? null, reading, registered);
}

/**
 * What the registered platforms say about a delivery that nothing recognised, or only a generic sign: exactly one of them must be
 * able to have sent it. A platform with a sign of its own stands.
 */
export function settle(found: Platform | null, reading: Reading, registered: readonly string[]): Platform | null {
  if (registered.length === 0 || (found !== null && !generic.has(found))) return found;
  const rows = new Set(registered.map(findPlatform).filter(row => row !== undefined));
  if (found !== null && rows.has(found)) return found;
  const able = claimants([...rows], reading);
  return able.length === 1 && able[0] !== undefined ? able[0] : found;
}

function firstMatch(reading: Reading): Candidate | null {
  const candidates: Candidate[] = [];
  for (const name of reading.headers.keys()) {
    const under = index.byHeader.get(name);
    if (under !== undefined) candidates.push(...under);
  }
  if (candidates.length > 0) {
    candidates.sort(byOrder);
    for (const candidate of candidates) {
      if (candidate.order > OWN_HEADERS) break;
      if (holds(candidate, reading)) return candidate;
    }
  }
  addFurther(candidates, reading);
  candidates.sort(byOrder);
  return candidates.find(candidate => holds(candidate, reading)) ?? null;
}

function addFurther(candidates: Candidate[], reading: Reading): void {
  const { delivery, headers } = reading;
  if (headers.has('user-agent')) candidates.push(...index.byAgent);
  if (delivery.query !== null && delivery.query !== '') candidates.push(...index.byQuery);
  if (delivery.body.length === 0) return;
  const type = headers.get('content-type');
  if (type !== undefined && /^(application\/x-www-form-urlencoded|multipart\/form-data)/i.test(type)) {
    if (delivery.body.length <= MAX_SNIFFED_BYTES) candidates.push(...index.byForm);
    return;
  }
  const outline = reading.outline();
  if (outline === null) {
    if (delivery.body.length <= MAX_SNIFFED_BYTES && looksLikeMarkup(delivery.body)) candidates.push(...index.byText);
    return;
  }
  for (const key of new Set(outline.keys)) {
    const under = index.byKey.get(key);
    if (under !== undefined) candidates.push(...under);
  }
}

const MAX_SNIFFED_BYTES = 1024 * 1024;

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
