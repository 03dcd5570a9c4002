/* Selections that are too long for a URL, by name: in the memory of the page, and in the session storage for a reload. */

import type { PickStore } from './inspector-url.ts';

const maxStored = 8;
const prefix = 'hooktape.picked.';
const memory = new Map<string, readonly string[]>();

export const pickStore: PickStore = {
  save(name, ids) {
    if (memory.has(name)) return;
    memory.set(name, ids);
    try {
      sessionStorage.setItem(prefix + name, ids.join('.'));
      for (const old of [...memory.keys()].slice(0, -maxStored)) sessionStorage.removeItem(prefix + old);
    } catch {
      // Storage is full or not allowed: the selection ends with the page.
    }
  },
  load(name) {
    const known = memory.get(name);
    if (known) return [...known];
    try {
      const ids = sessionStorage.getItem(prefix + name)?.split('.');
      if (ids) memory.set(name, ids);
      return ids;
    } catch {
      return undefined;
    }
  },
};

/** Called on sign-out. */
export function clearPickStore(): void {
  memory.clear();
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key);
  } catch {
    // There is no storage.
  }
}
