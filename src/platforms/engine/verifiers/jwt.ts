/* JSON Web Tokens: alone, with a hash of the body, or as the body. The registered key determines the algorithm. */
import { verify as verifySignature } from 'node:crypto';
import { type DeliveryReader, parseNestedJson, valueAt } from '../delivery-reader.ts';
import { publicKeys } from '../public-keys.ts';
import type { Outcome, SignatureCheck, SignatureScheme } from '../signature-scheme.ts';
import { headerValues, isNonEmptyString } from '../signature-values.ts';
import { checkTimestamp, digestOf, isMacReceived, isOneReceived } from './check.ts';

/** Allowed clock difference for `exp` and `nbf`. */
const leewaySeconds = 60;

export function verifyJwt(check: SignatureCheck): Outcome {
  const { value = '', prefix = '' } = headerValues(check.scheme, check.reader)[0] ?? {};
  return verifyToken(check, value.slice(prefix.length).trim());
}

/** The claim is the hex SHA-256 of the body. */
export function verifyJwtBodyHash(check: SignatureCheck, claim: string): Outcome {
  const token = headerValues(check.scheme, check.reader)[0]?.value ?? '';
  const bodyHash = valueAt(jwtClaims(token), claim);
  const outcome = verifyToken(check, token);
  if (outcome !== 'valid' && outcome !== 'stale') return outcome;
  if (!isNonEmptyString(bodyHash)) return 'malformed';
  const message = [check.reader.delivery.body];
  const received = [Buffer.from(bodyHash, 'hex')];
  return isOneReceived(check, { message, received, expected: digestOf('sha256', message) }) ? outcome : 'mismatch';
}

export function verifyJwtBody(check: SignatureCheck): Outcome {
  return verifyToken(check, check.reader.text().trim());
}

/** Whether a header contains a token. `Authorization` may also contain other credentials. */
export const hasJwt = (reader: DeliveryReader, scheme: SignatureScheme): boolean =>
  headerValues(scheme, reader).some(
    ({ value, prefix }) => value.startsWith(prefix) && value.split('.', 4).length === 3,
  );

/** The claims of a compact JSON Web Token, unverified; undefined if the text is not a token. */
export function jwtClaims(token: string): unknown {
  const first = token.indexOf('.');
  const second = token.indexOf('.', first + 1);
  if (first <= 0 || second < 0 || token.indexOf('.', second + 1) >= 0) return undefined;
  return parseNestedJson(Buffer.from(token.slice(first + 1, second), 'base64url').toString('utf8'));
}

function verifyToken(check: SignatureCheck, token: string): Outcome {
  const parts = token.split('.', 4);
  const [head, claims, signed] = parts;
  if (parts.length !== 3 || head === undefined || claims === undefined || signed === undefined) return 'malformed';
  const algorithm = valueAt(parseNestedJson(Buffer.from(head, 'base64url').toString('utf8')), 'alg');
  const payload = jwtClaims(token);
  if (!isNonEmptyString(algorithm) || payload === undefined || !/^[\w-]+$/.test(signed)) return 'malformed';
  const signature = Buffer.from(signed, 'base64url');
  if (!isSigned(check, algorithm, `${head}.${claims}`, signature)) return 'mismatch';
  const now = check.receivedAt / 1000;
  const [expires, notBefore] = [valueAt(payload, 'exp'), valueAt(payload, 'nbf')];
  if (typeof expires === 'number' && now > expires + leewaySeconds) return 'stale';
  if (typeof notBefore === 'number' && now < notBefore - leewaySeconds) return 'stale';
  return checkTimestamp(check, { claims: payload });
}

function isSigned(check: SignatureCheck, algorithm: string, signedText: string, signature: Buffer): boolean {
  if (check.scheme.keyFormat === 'text') {
    const key = Buffer.from(check.secret, 'utf8');
    return (
      algorithm === 'HS256' &&
      isMacReceived(check, { hash: 'sha256', key, message: [signedText], received: [signature] })
    );
  }
  check.observe?.({ message: [signedText], received: [signature], expected: null });
  const data = Buffer.from(signedText, 'latin1');
  return publicKeys(check.secret).some(key => {
    const hasKeyType =
      (algorithm === 'RS256' && key.asymmetricKeyType === 'rsa') ||
      (algorithm === 'ES256' && key.asymmetricKeyType === 'ec');
    try {
      return hasKeyType && verifySignature('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, signature);
    } catch {
      return false;
    }
  });
}
