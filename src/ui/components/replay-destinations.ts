/* The replay destinations used for each endpoint, newest first, kept in this browser. */

import { loadPreference, savePreference } from './preferences.ts';

const maxDestinations = 8;

export const listDestinations = (endpointId: string): string[] => {
  try {
    const stored: unknown = JSON.parse(loadPreference(`destinations.${endpointId}`) ?? '[]');
    return Array.isArray(stored) ? stored.filter(one => typeof one === 'string') : [];
  } catch {
    return [];
  }
};

export const lastDestination = (endpointId: string): string | undefined => listDestinations(endpointId)[0];

export const saveDestination = (endpointId: string, url: string): void =>
  savePreference(
    `destinations.${endpointId}`,
    JSON.stringify([...new Set([url, ...listDestinations(endpointId)])].slice(0, maxDestinations)),
  );

/** The listener that got the last replay of the endpoint; undefined when it went to a URL. */
export const lastListener = (endpointId: string): string | undefined =>
  loadPreference(`listener.${endpointId}`) || undefined;

export const rememberListener = (endpointId: string, name: string | undefined): void => {
  if (name !== lastListener(endpointId)) savePreference(`listener.${endpointId}`, name ?? '');
};
