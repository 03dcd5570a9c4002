/* The chance of a rule. */

/**
 * A number from 0 up to, not including, 1. It is the same for the same event and rule, so that a preview of a stored event shows
 * the answer that its sender got. Senders do not know the nonce before the answer.
 */
export const chanceOf = (nonce: Uint8Array, rule: string): number =>
  Number(BigInt.asUintN(52, Bun.hash.xxHash3(`${Buffer.from(nonce).toString('hex')}\n${rule}`))) / 2 ** 52;
