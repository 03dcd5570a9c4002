/* PKCE, S256 only (RFC 7636). */
import { createHash, timingSafeEqual } from 'node:crypto';

const challengeSyntax = /^[A-Za-z0-9_-]{43}$/;
const verifierSyntax = /^[A-Za-z0-9\-._~]{43,128}$/;

/** Whether the text is an unpadded base64url SHA-256. */
export const isChallenge = (text: string): boolean => challengeSyntax.test(text);

export function isVerifierOf(challenge: string, verifier: string): boolean {
  if (!verifierSyntax.test(verifier)) return false;
  const expected = Buffer.from(createHash('sha256').update(verifier).digest('base64url'));
  const given = Buffer.from(challenge);
  return expected.length === given.length && timingSafeEqual(expected, given);
}
