/* Redaction: the rules of an endpoint, the parts of an event that they change, and what is known about what they took. */
import type { Detection, KeepOrDrop, RedactionPlace, Treatment } from '../../shared/redaction.ts';
import type { HeaderPair } from '../headers.ts';

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
