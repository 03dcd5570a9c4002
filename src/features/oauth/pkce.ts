/* PKCE, S256 only (RFC 7636). */
import { createHash, timingSafeEqual } from 'node:crypto';

const challengeForm = /^[A-Za-z0-9_-]{43}$/;
const verifierForm = /^[A-Za-z0-9\-._~]{43,128}$/;

/** The base64url of a SHA-256, without padding. */
export const isChallenge = (text: string): boolean => challengeForm.test(text);

export function isVerifierOf(challenge: string, verifier: string): boolean {
  if (!verifierForm.test(verifier)) return false;
  const made = Buffer.from(createHash('sha256').update(verifier).digest('base64url'));
  const given = Buffer.from(challenge);
  return made.length === given.length && timingSafeEqual(made, given);
}
