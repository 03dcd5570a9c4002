/* What the dialog asks the server to send, and what was last sent of an event, so that it can be sent again. */

import type { ReplayRequest as Asked } from '../../../features/replays/model.ts';
import { appendTarget } from '../../../shared/replay-target.ts';
import type { Edit } from './changes.ts';

/** From the server to a URL, or from a connected listener to its own target. */
export type Receiver = ToUrl | { listener: string };
type ToUrl = { url: string; appendPath: boolean };
type Target = { path: string; query?: string | null };

/** A typed secret is sent along with the request and kept in this page's memory only. */
export type ReplayRequest = Receiver & { edit?: Edit } & Pick<Asked, 'sign'>;
export type UrlRequest = Extract<ReplayRequest, { url: string }>;

export const isToUrl = (request: ReplayRequest): request is UrlRequest => 'url' in request;

export const urlOf = (request: ReplayRequest): string => (isToUrl(request) ? request.url : '');

/** The URL that it goes to, in full. @param target of the event; undefined while it is loading */
export const targetOf = ({ url, appendPath }: ToUrl, target: Target | undefined): string => {
  const path = appendPath && target ? { path: target.path, query: target.query ?? null } : undefined;
  const sentTo = new URL(path ? appendTarget(url, path) : url);
  sentTo.hash = '';
  return sentTo.href;
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
