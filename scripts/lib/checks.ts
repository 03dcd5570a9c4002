/* A list of named checks that run one after another, and the plain closing line. */

export type Checks = {
  /** Runs one check; a text that it returns is printed beside its name. It fails by throwing. */
  check: (name: string, body: () => Promise<string | undefined>) => Promise<void>;
  /** Prints `N passed, N failed` and returns the exit code. */
  close: () => number;
};

export function createChecks(): Checks {
  let passed = 0;
  let failed = 0;
  return {
    check: async (name, body) => {
      const started = performance.now();
      try {
        const note = await body();
        passed++;
        console.log(`ok    ${name}${note ? `: ${note}` : ''} [${(performance.now() - started).toFixed(0)} ms]`);
      } catch (error) {
        failed++;
        console.log(
          `FAIL  ${name}\n      ${String(error instanceof Error ? error.message : error).replaceAll('\n', '\n      ')}`,
        );
      }
    },
    close: () => {
      console.log(`${passed} passed, ${failed} failed`);
      return failed === 0 ? 0 : 1;
    },
  };
}

/** @throws with `what` when it is not so. */
export function ensure(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Error(what);
}
