/* How many random cases a test tries. `bun run test:proofs` runs the tests that import this file with all cases. */
export const isProof = Bun.env['HOOKTAPE_PROOFS'] === '1';

/** @param all what a proof tries */
export const cases = (all: number): number => (isProof ? all : Math.ceil(all / 5));
