/*
 * One-time codes (RFC 6238) with the parameters that every authenticator app supports: SHA-1, six digits, 30 seconds. A code is accepted
 * one step early and one step late. Recovery codes replace one for a person who has lost the app.
 */
import { encodeBytes } from '../../core/encoding/base32.ts';
import type { RandomBytes } from '../../core/ids/ids.ts';

const stepMs = 30_000;
const maxStepsOff = 1;
const secretBytes = 20;
const recoveryBytes = 10;

/** The library is loaded when it is first used. */
async function generatorOf(secret: Uint8Array, email?: string) {
  const { Secret, TOTP } = await import('otpauth');
  return new TOTP({
    issuer: 'Hooktape',
    ...(email !== undefined && { label: email }),
    secret: new Secret({ buffer: Uint8Array.from(secret).buffer }),
    algorithm: 'SHA1',
    digits: 6,
    period: stepMs / 1000,
  });
}

export const newSecret = (random: RandomBytes): Uint8Array => random(secretBytes);

/** @returns the secret in base 32, and the `otpauth:` URI that an authenticator app reads from a QR code */
export async function describeSecret(secret: Uint8Array, email: string): Promise<{ secret: string; uri: string }> {
  const generator = await generatorOf(secret, email);
  return { secret: generator.secret.base32, uri: generator.toString() };
}

/** @param code may have blanks @param now epoch ms @returns the step that the code is for; undefined for a wrong code */
export async function stepOfCode(secret: Uint8Array, code: string, now: number): Promise<number | undefined> {
  const token = code.replace(/\s/g, '');
  if (!/^[0-9]{6}$/.test(token)) return undefined;
  const stepsOff = (await generatorOf(secret)).validate({ token, timestamp: now, window: maxStepsOff });
  return stepsOff === null ? undefined : Math.floor(now / stepMs) + stepsOff;
}

/** 80 random bits in groups that are easy to type. */
export const newRecoveryCode = (random: RandomBytes): string =>
  (encodeBytes(random(recoveryBytes)).match(/.{4}/g) ?? []).join('-');

/** The form that is hashed: people type upper case, blanks and look-alikes. */
export const plainRecoveryCode = (code: string): string =>
  code.toLowerCase().replace(/[\s-]/g, '').replace(/[il]/g, '1').replace(/o/g, '0');
