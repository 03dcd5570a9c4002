/* Caches the last result of an expensive function, for a screen that is drawn many times from the same content. */

/** @returns `make()`, or its last result if all keys are the same */
export function createMemory<T>(): (keys: readonly unknown[], make: () => T) => T {
  let last: { keys: readonly unknown[]; value: T } | undefined;
  return (keys, make) => {
    if (last?.keys.length === keys.length && keys.every((key, at) => Object.is(key, last?.keys[at]))) return last.value;
    last = { keys, value: make() };
    return last.value;
  };
}
