/* What the dialog asks the server to send, and what was last sent of an event, so that it can be sent again. */

import type { Edit } from './changes.ts';

export type Signing = {
  mode: 'fresh' | 'tamper';
  /** Typed here. It is sent along with the request and kept in this page's memory only. */
  secret?: string;
  /** A stored one that may sign. */
  secretId?: string;
  newId?: boolean;
};

export type ReplayRequest = { url: string; appendPath: boolean; edit?: Edit; sign?: Signing };

/** What a dry run shows: nothing was sent. */
export type DryRun = {
  dryRun: true;
  method: string;
  url: string;
  headers: [name: string, value: string][];
  body: string;
  bodyEncoding: 'utf8' | 'base64';
};

const maxRemembered = 100;
const sent = new Map<string, ReplayRequest>();

/** Until the page is closed: edits and secrets are not written anywhere. */
export function rememberRequest(eventId: string, request: ReplayRequest): void {
  sent.delete(eventId);
  sent.set(eventId, request);
  const [oldest] = sent.keys();
  if (sent.size > maxRemembered && oldest !== undefined) sent.delete(oldest);
}

export const lastRequest = (eventId: string): ReplayRequest | undefined => sent.get(eventId);

/** Called on sign-out. */
export const forgetRequests = (): void => sent.clear();
