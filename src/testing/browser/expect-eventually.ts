/* Compares what a page shows, which may be drawn a moment after the state that the test waited for. */
import { expect } from 'bun:test';
import { eventually } from '../poll.ts';

type Polled = {
  [matcher in
    | 'toBe'
    | 'toBeLessThan'
    | 'toBeLessThanOrEqual'
    | 'toContain'
    | 'toContainEqual'
    | 'toEqual'
    | 'toHaveLength'
    | 'toMatch'
    | 'toMatchObject']: (expected: unknown) => Promise<void>;
};

/**
 * Like `expect`, but reads the page again until it shows the expected value.
 * @throws like `expect`, after the deadline of `eventually`
 */
export function expectEventually(read: () => Promise<unknown>): Polled {
  const check = (matcher: keyof Polled) => async (expected: unknown) => {
    let failure: unknown;
    const isMet = async (): Promise<boolean> => {
      const value = await read();
      try {
        (expect(value) as unknown as Record<keyof Polled, (expected: unknown) => void>)[matcher](expected);
        return true;
      } catch (error) {
        failure = error;
        return false;
      }
    };
    await eventually(isMet).catch(error => {
      throw failure ?? error;
    });
  };
  return {
    toBe: check('toBe'),
    toBeLessThan: check('toBeLessThan'),
    toBeLessThanOrEqual: check('toBeLessThanOrEqual'),
    toContain: check('toContain'),
    toContainEqual: check('toContainEqual'),
    toEqual: check('toEqual'),
    toHaveLength: check('toHaveLength'),
    toMatch: check('toMatch'),
    toMatchObject: check('toMatchObject'),
  };
}
