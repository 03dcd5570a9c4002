/* Redaction: the rules of an endpoint, the parts of an event that they change, and what is known about what they took. */
import type { Detection, KeepOrDrop, RedactionPlace, Treatment } from '../../shared/redaction.ts';
import type { HeaderPair } from '../headers.ts';
import { maxRedactedFields } from '../limits.ts';

export type RedactionRule =
  | { in: RedactionPlace; path: string; with: Treatment }
  | { detect: Detection; with: Treatment };

/** `otherBodies`: bodies without fields. They are kept if there are no rules. `originalHash`: the SHA-256 of the original body. */
export type Redaction = { rules: RedactionRule[]; otherBodies: KeepOrDrop; originalHash: KeepOrDrop };

export const noRedaction: Redaction = { rules: [], otherBodies: 'drop', originalHash: 'drop' };

/**
 * What was taken out of an event. `rules`: how many rules took something. `fields`: at most 100, as a filter writes them; `ip`
 * for the address of the sender, `body` for a whole body. `sha256`: of the original body in hex, with `originalHash: "keep"`.
 */
export type Redacted = { rules: number; fields: string[]; sha256: string | null };

/** Path and query are Latin-1, as received. */
export type Redactable = {
  path: string;
  query: string | null;
  headers: readonly HeaderPair[];
  body: Uint8Array;
  sourceIp: string;
};

/** `redacted`: null if nothing was taken; then `event` is the given one. */
export type RedactionResult<E extends Redactable = Redactable> = { event: E; redacted: Redacted | null };

/** `before` and `after` are texts, which are cut if they are long. `after`: null for something that was removed. */
export type RedactionChange = { field: string; before: string; after: string | null };

/**
 * The redaction of one endpoint, prepared for the capture path. `numberKey`: the key for the number of a delivery (core/ids/delivery-key.ts) whose id or content is not stored: its hash must not show
 * what was taken out. `unreadable`: the stored rules cannot be read, so that nothing may be stored.
 */
export type EndpointRedaction =
  | { redact: (event: Redactable) => RedactionResult; numberKey: Uint8Array }
  | 'unreadable';

/** What two steps took out of an event. The SHA-256 is that of the body as it came, unless one of them leaves it out. */
export function mergeRedacted(first: Redacted | null, second: Redacted): Redacted {
  if (!first) return second;
  return {
    rules: first.rules + second.rules,
    fields: [...new Set([...first.fields, ...second.fields])].slice(0, maxRedactedFields),
    sha256: second.sha256 === null ? null : first.sha256,
  };
}
