/*
 * Who sent this, and what is it about? Headers of a platform's own decide at once and the body stays untouched; otherwise all rules
 * that the delivery could meet are tried in their order. No answer rather than a guess; never throws. Runs on every delivery.
 */

import { findPlatform, platforms } from '../platforms.ts';
import { createDeliveryReader, type DeliveryReader } from './delivery-reader.ts';
import { readEventType } from './event-type.ts';
import type { Detection, Platform, RawDelivery } from './model.ts';
import { possibleSenders } from './possible-senders.ts';
import { type Candidate, indexRules, ruleMatches } from './rule-index.ts';

/** Up to here a rule rests on headers that no other platform sends. */
const ownHeaderOrder = 26;
/** From here on a rule is a hint at most: envelopes that many senders share, shapes that a user may have chosen. */
const genericOrder = 60;
const nothing: Detection = { platform: null, eventType: null };

const index = indexRules(platforms);
const generic = new Set(platforms.filter(row => row.detect.every(rule => rule.order >= genericOrder)));

/**
 * `registered`: platform names of the endpoint's secrets. They settle what the delivery leaves open (senders that share headers),
 * and never contradict headers that only one platform sends.
 */
export function detect(delivery: RawDelivery, registered: readonly string[]): Detection {
  const reader = createDeliveryReader(delivery);
  const platform = recognise(reader, registered);
  return platform === null ? nothing : { platform: platform.name, eventType: readEventType(platform, reader) };
}

/** The platform of a delivery that is already being read. */
export function recognise(reader: DeliveryReader, registered: readonly string[]): Platform | null {
  return refineByRegistered(firstMatch(reader)?.platform ?? null, reader, registered);
}

/**
 * What the registered platforms say about a delivery that nothing recognised, or only a generic sign: exactly one of them must be
 * able to have sent it. A platform with a sign of its own stands.
 */
export function refineByRegistered(
  found: Platform | null,
  reader: DeliveryReader,
  registered: readonly string[],
): Platform | null {
  if (registered.length === 0 || (found !== null && !generic.has(found))) return found;
  const rows = new Set(registered.map(findPlatform).filter(row => row !== undefined));
  if (found !== null && rows.has(found)) return found;
  const able = possibleSenders([...rows], reader);
  return able.length === 1 && able[0] !== undefined ? able[0] : found;
}

function firstMatch(reader: DeliveryReader): Candidate | null {
  const candidates: Candidate[] = [];
  for (const name of reader.headers.keys()) {
    const under = index.byHeader.get(name);
    if (under !== undefined) candidates.push(...under);
  }
  if (candidates.length > 0) {
    candidates.sort(byOrder);
    for (const candidate of candidates) {
      if (candidate.order > ownHeaderOrder) break;
      if (ruleMatches(candidate, reader)) return candidate;
    }
  }
  addCandidatesByContent(candidates, reader);
  candidates.sort(byOrder);
  return candidates.find(candidate => ruleMatches(candidate, reader)) ?? null;
}

function addCandidatesByContent(candidates: Candidate[], reader: DeliveryReader): void {
  const { delivery, headers } = reader;
  if (headers.has('user-agent')) candidates.push(...index.byAgent);
  if (delivery.query !== null && delivery.query !== '') candidates.push(...index.byQuery);
  if (delivery.body.length === 0) return;
  const type = headers.get('content-type');
  if (type !== undefined && /^(application\/x-www-form-urlencoded|multipart\/form-data)/i.test(type)) {
    if (delivery.body.length <= maxSniffedBytes) candidates.push(...index.byForm);
    return;
  }
  const outline = reader.jsonScan();
  if (outline === null) {
    if (delivery.body.length <= maxSniffedBytes && looksLikeMarkup(delivery.body)) candidates.push(...index.byText);
    return;
  }
  for (const key of new Set(outline.keys)) {
    const under = index.byKey.get(key);
    if (under !== undefined) candidates.push(...under);
  }
}

const maxSniffedBytes = 1024 * 1024;

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
