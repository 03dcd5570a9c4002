/* Signs JSON Web Tokens with HS256. A new token has the claims of the delivery's old token, with a new time. */

import type { Signer, SigningTask } from '../signature-scheme.ts';
import { headerValues } from '../signature-values.ts';
import { digestOf, hmacOf } from '../verifiers/check.ts';
import { jwtClaims } from '../verifiers/jwt.ts';
import { inSignatureHeaders } from './task.ts';

type Claims = Record<string, unknown>;

const lifetimeSeconds = 300;

/** A token that does not cover the body. It always has a time, because libraries require it. */
export const signJwt: Signer = task => {
  const { url, at } = task;
  const old = oldClaims(task);
  const iat = Math.floor(at / 1000);
  const claims = { aud: url, ...old, iat, exp: iat + lifetimeOf(old) };
  return inSignatureHeaders(task, prefix => prefix + signed(task, claims));
};

/** The claim `name` is the hex SHA-256 of the body. */
export const signJwtBodyHash =
  (name: string, fixed: Claims): Signer =>
  task => {
    const old = oldClaims(task);
    const iat = Math.floor(task.at / 1000);
    const claims: Claims = {
      ...fixed,
      ...old,
      [name]: digestOf('sha256', [task.reader.delivery.body]).toString('hex'),
    };
    if ('iat' in old) claims['iat'] = iat;
    if ('exp' in old) claims['exp'] = iat + lifetimeOf(old);
    return inSignatureHeaders(task, prefix => prefix + signed(task, claims));
  };

function oldClaims({ scheme, original }: SigningTask): Claims {
  const { value = '', prefix = '' } = headerValues(scheme, original)[0] ?? {};
  const claims = jwtClaims(value.slice(value.startsWith(prefix) ? prefix.length : 0).trim());
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) return {};
  const { nbf: _nbf, ...kept } = claims as Claims;
  return kept;
}

const lifetimeOf = ({ iat, exp }: Claims): number =>
  typeof iat === 'number' && typeof exp === 'number' && exp > iat ? exp - iat : lifetimeSeconds;

function signed({ secret, seal }: SigningTask, claims: Claims): string {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${text}.${seal(hmacOf('sha256', Buffer.from(secret, 'utf8'), [text])).toString('base64url')}`;
}
