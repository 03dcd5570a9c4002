/* The replay destinations used for each endpoint, newest first, kept in this browser. */

import { loadJson, loadPreference, savePreference } from '../../kit/preferences.ts';

const maxDestinations = 8;

export type Destination = {
  url: string;
  /** Whether the path and query of the event were appended. */
  appendPath: boolean;
};

export function listDestinations(endpointId: string): Destination[] {
  const stored = loadJson(`destinations.${endpointId}`);
  return Array.isArray(stored) ? stored.flatMap(read) : [];
}

/** Earlier versions stored the URL alone. */
function read(stored: unknown): Destination[] {
  if (typeof stored === 'string') return [{ url: stored, appendPath: true }];
  const { url, appendPath } = Object(stored) as { url?: unknown; appendPath?: unknown };
  return typeof url === 'string' && typeof appendPath === 'boolean' ? [{ url, appendPath }] : [];
}

export const lastDestination = (endpointId: string): Destination | undefined => listDestinations(endpointId)[0];

/** @param appendPath by default as it was, for what sends events without a choice */
export function saveDestination(endpointId: string, url: string, appendPath?: boolean): void {
  const all = listDestinations(endpointId);
  const known = all.find(one => one.url === url);
  const saved = { url, appendPath: appendPath ?? known?.appendPath ?? true };
  savePreference(
    `destinations.${endpointId}`,
    JSON.stringify([saved, ...all.filter(one => one !== known)].slice(0, maxDestinations)),
  );
}

/** The listener that got the last replay of the endpoint; undefined when it went to a URL. */
export const lastListener = (endpointId: string): string | undefined =>
  loadPreference(`listener.${endpointId}`) || undefined;

export const rememberListener = (endpointId: string, name: string | undefined): void => {
  if (name !== lastListener(endpointId)) savePreference(`listener.${endpointId}`, name ?? '');
};
