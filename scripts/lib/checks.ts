/* Runs named checks one after another and prints a closing line with their results. */

export type Checks = {
  /** Runs one check, which fails by throwing. A text that it returns is printed after its name. */
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

/** @throws with `problem` if the condition is false */
export function ensure(condition: unknown, problem: string): asserts condition {
  if (!condition) throw new Error(problem);
}
