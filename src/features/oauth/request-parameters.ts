/*
 * The parameters of a query or form (RFC 6749 section 3.1): one without a value counts as absent, and a repeated one can be
 * detected instead of being resolved to one of its values.
 */

export type RequestParameters = ReturnType<typeof readParameters>;

/** RFC 8707 section 2 allows several resources. */
const mayRepeat = new Set(['resource']);

export function readParameters(text: string) {
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const known = values.get(name);
    // Appended in place: copying would take quadratic time when a name is repeated very often.
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  const all = (name: string): string[] => (values.get(name) ?? []).filter(value => value !== '');
  const isRepeated = (name: string): boolean => (values.get(name)?.length ?? 0) > 1;
  return {
    /** Every value that is not empty, for parameters that may be repeated. */
    all,
    /** The value; undefined when absent or empty. */
    get: (name: string): string | undefined => all(name)[0],
    isRepeated,
    /** The name of a parameter that is repeated but must not be. */
    firstRepeated: (): string | undefined => [...values.keys()].find(name => isRepeated(name) && !mayRepeat.has(name)),
  };
}
