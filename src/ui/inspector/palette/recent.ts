/* What was chosen in the command palette before, the last first. */

import { loadJson, savePreference } from '../../kit/preferences.ts';

const maxRecent = 12;
const preference = 'recentCommands';

export function recentIds(): string[] {
  const stored = loadJson(preference);
  return Array.isArray(stored) ? stored.filter(id => typeof id === 'string').slice(0, maxRecent) : [];
}

export const remember = (id: string): void =>
  savePreference(preference, JSON.stringify([id, ...recentIds().filter(one => one !== id)].slice(0, maxRecent)));

/** Called on sign-out: ids of endpoints are among them. */
export const forgetRecent = (): void => savePreference(preference, '[]');
