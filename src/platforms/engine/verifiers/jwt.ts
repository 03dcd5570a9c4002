/*
 * JSON Web Tokens: alone, with a hash of the body among the claims, or as the whole body. The algorithm follows from the key that
 * was registered (a text: HS256; a public key: RS256 or ES256) and never from the token alone.
 */
import { verify as verifySignature } from 'node:crypto';
import { parseNestedJson, valueAt } from '../delivery-reader.ts';
import { claimsOf } from '../event-readers.ts';
import { publicKeys } from '../public-keys.ts';
import { headerValues, isNonEmptyString } from '../signature-values.ts';
import { checkTimestamp, digestOf, hmacOf, type Outcome, type SignatureCheck, sameBytes } from './check.ts';

/** Allowed clock difference for `exp` and `nbf`. */
const leewayS = 60;

export function checkJwt(check: SignatureCheck): Outcome {
  const { value = '', prefix = '' } = headerValues(check.scheme, check.reader)[0] ?? {};
  return judgeToken(check, value.slice(prefix.length).trim());
}

/** The claim that `version` names is the hex SHA-256 of the body. */
export function checkJwtBodyHash(check: SignatureCheck): Outcome {
  const token = headerValues(check.scheme, check.reader)[0]?.value ?? '';
  const told = valueAt(claimsOf(token), check.scheme.version ?? 'sha256');
  const outcome = judgeToken(check, token);
  if (outcome !== 'valid' && outcome !== 'stale') return outcome;
  if (!isNonEmptyString(told)) return 'malformed';
  return sameBytes(Buffer.from(told, 'hex'), digestOf('sha256', [check.reader.delivery.body])) ? outcome : 'mismatch';
}

export function checkJwtBody(check: SignatureCheck): Outcome {
  return judgeToken(check, check.reader.text().trim());
}

function judgeToken(check: SignatureCheck, token: string): Outcome {
  const parts = token.split('.', 4);
  const [head, claims, signed] = parts;
  if (parts.length !== 3 || head === undefined || claims === undefined || signed === undefined) return 'malformed';
  const algorithm = valueAt(parseNestedJson(Buffer.from(head, 'base64url').toString('utf8')), 'alg');
  const payload = claimsOf(token);
  if (!isNonEmptyString(algorithm) || payload === undefined || !/^[\w-]+$/.test(signed)) return 'malformed';
  const signature = Buffer.from(signed, 'base64url');
  if (!holds(check, algorithm, `${head}.${claims}`, signature)) return 'mismatch';
  const now = check.receivedAt / 1000;
  const [expires, starts] = [valueAt(payload, 'exp'), valueAt(payload, 'nbf')];
  if (typeof expires === 'number' && now > expires + leewayS) return 'stale';
  if (typeof starts === 'number' && now < starts - leewayS) return 'stale';
  return checkTimestamp(check, undefined, payload);
}

function holds(check: SignatureCheck, algorithm: string, signedText: string, signature: Buffer): boolean {
  if (check.scheme.keyFormat === 'text') {
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
