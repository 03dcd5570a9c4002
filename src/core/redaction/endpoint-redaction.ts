/* The redaction of one endpoint, prepared for the capture path. */
import type { Redactable, RedactionResult } from './model.ts';

/**
 * `numberKey`: the key for the number of a delivery (core/ids/delivery-key.ts) whose id or content is not stored: its hash must not show
 * what was taken out. `unreadable`: the stored rules cannot be read, so that nothing may be stored.
 */
export type EndpointRedaction =
  | { redact: (event: Redactable) => RedactionResult; numberKey: Uint8Array }
  | 'unreadable';
