/*
 * Parameters of a form or query, read once and strictly (RFC 6749 section 3.1): a parameter without a value counts as
 * absent, and one that comes twice is never silently resolved to one of the two.
 */

export type RequestParameters = {
  /** The value; undefined when absent or empty. */
  get: (name: string) => string | undefined;
  /** Every value that is not empty, for the parameters that may be repeated. */
  all: (name: string) => string[];
  isRepeated: (name: string) => boolean;
  /** Some parameter that came more than once, other than those that may. */
  firstRepeated: () => string | undefined;
};

/** RFC 8707 section 2: one target each, several times. */
const mayRepeat = new Set(['resource']);

export function readParameters(text: string): RequestParameters {
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const known = values.get(name);
    // Not copied: a stranger chooses how often a name repeats.
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  const all = (name: string): string[] => (values.get(name) ?? []).filter(value => value !== '');
  const isRepeated = (name: string): boolean => (values.get(name)?.length ?? 0) > 1;
  return {
    all,
    get: name => all(name)[0],
    isRepeated,
    firstRepeated: () => [...values.keys()].find(name => isRepeated(name) && !mayRepeat.has(name)),
  };
}
