/* Work in steps: a generator that yields after each piece of a large body, so that other work can run in between. */

/** How much is read between two yields: a millisecond or so. */
export const stepBytes = 256 * 1024;

export function result<T>(steps: Generator<undefined, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}
