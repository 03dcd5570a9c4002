/*
 * JSON Web Tokens: alone, with a hash of the body among the claims, or as the whole body. The algorithm follows from the key that
 * was registered (a text: HS256; a public key: RS256 or ES256) and never from the token alone.
 */
import { verify as verifySignature } from 'node:crypto';
import { claimsOf } from '../event-readers.ts';
import { publicKeys } from '../keys.ts';
import { at, parseInner } from '../reading.ts';
import { headerValues, isText } from '../signature.ts';
import { type Check, digestOf, hmacOf, judgeTime, type Outcome, sameBytes } from './check.ts';

/** Allowed clock difference for `exp` and `nbf`. */
const LEEWAY_S = 60;

export function checkJwt(check: Check): Outcome {
  const { value = '', prefix = '' } = headerValues(check.scheme, check.reading)[0] ?? {};
  return judgeToken(check, value.slice(prefix.length).trim());
}

/** The claim that `version` names is the hex SHA-256 of the body. */
export function checkJwtBodyHash(check: Check): Outcome {
  const token = headerValues(check.scheme, check.reading)[0]?.value ?? '';
  const told = at(claimsOf(token), check.scheme.version ?? 'sha256');
  const outcome = judgeToken(check, token);
  if (outcome !== 'valid' && outcome !== 'stale') return outcome;
  if (!isText(told)) return 'malformed';
  return sameBytes(Buffer.from(told, 'hex'), digestOf('sha256', [check.reading.delivery.body])) ? outcome : 'mismatch';
}

export function checkJwtBody(check: Check): Outcome {
  return judgeToken(check, check.reading.text().trim());
}

function judgeToken(check: Check, token: string): Outcome {
  const parts = token.split('.', 4);
  const [head, claims, signed] = parts;
  if (parts.length !== 3 || head === undefined || claims === undefined || signed === undefined) return 'malformed';
  const algorithm = at(parseInner(Buffer.from(head, 'base64url').toString('utf8')), 'alg');
  const payload = claimsOf(token);
  if (!isText(algorithm) || payload === undefined || !/^[\w-]+$/.test(signed)) return 'malformed';
  const signature = Buffer.from(signed, 'base64url');
  if (!holds(check, algorithm, `${head}.${claims}`, signature)) return 'mismatch';
  const now = check.receivedAt / 1000;
  const [expires, starts] = [at(payload, 'exp'), at(payload, 'nbf')];
  if (typeof expires === 'number' && now > expires + LEEWAY_S) return 'stale';
  if (typeof starts === 'number' && now < starts - LEEWAY_S) return 'stale';
  return judgeTime(check, undefined, payload);
}

function holds(check: Check, algorithm: string, signedText: string, signature: Buffer): boolean {
  if (check.scheme.key === 'text') {
    return (
      algorithm === 'HS256' && sameBytes(signature, hmacOf('sha256', Buffer.from(check.secret, 'utf8'), [signedText]))
    );
  }
  const data = Buffer.from(signedText, 'latin1');
  return publicKeys(check.secret).some(key => {
    const fits =
      (algorithm === 'RS256' && key.asymmetricKeyType === 'rsa') ||
      (algorithm === 'ES256' && key.asymmetricKeyType === 'ec');
    try {
      return fits && verifySignature('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, signature);
    } catch {
      return false;
    }
  });
}
