/* HOOKTAPE_OAUTH_ISSUERS: a JSON array of additional token issuers, checked field by field. */

import { tryJson } from '../core/json/try-json.ts';
import type { Kind } from './kinds.ts';

export type TrustedIssuer = {
  /** Compared with the `iss` claim character by character. */
  readonly issuer: string;
  readonly audience: string;
  /** If it is missing, discovery finds it. */
  readonly jwksUri?: string;
  readonly emailClaim: string;
  readonly createAccounts: boolean;
};

const issuerFields = ['issuer', 'audience', 'jwks_uri', 'email_claim', 'create_accounts'];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function isHttpUrl(value: unknown): value is string {
  const url = isText(value) ? URL.parse(value) : null;
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.hash;
}

/** Reads one entry. @returns the entry, or what is wrong with it */
function parseIssuer(entry: unknown): TrustedIssuer | string {
  if (!isObject(entry)) return 'is not an object';
  const unknown = Object.keys(entry).filter(key => !issuerFields.includes(key));
  if (unknown.length > 0) return `has unknown fields: ${unknown.map(key => JSON.stringify(key)).join(', ')}`;
  const { issuer, audience, jwks_uri, email_claim = 'email', create_accounts = false } = entry;
  if (!isHttpUrl(issuer) || issuer.includes('?')) return 'needs an "issuer", an http or https URL without a query';
  if (!isText(audience)) return 'needs an "audience", a string';
  if (!isText(email_claim)) return 'has an "email_claim" that is not a string';
  if (typeof create_accounts !== 'boolean') return 'has a "create_accounts" that is not true or false';
  const common = { issuer, audience, emailClaim: email_claim, createAccounts: create_accounts };
  if (jwks_uri === undefined) return common;
  return isHttpUrl(jwks_uri) ? { ...common, jwksUri: jwks_uri } : 'has a "jwks_uri" that is not an http or https URL';
}

export const trustedIssuers: Kind<readonly TrustedIssuer[]> = text => {
  const json = tryJson(text);
  if (!Array.isArray(json)) return { mustBe: 'a JSON array of { "issuer", "audience", ... } objects' };
  const parsed: (TrustedIssuer | string)[] = json.map(parseIssuer);
  const wrong = parsed.flatMap((entry, index) => (typeof entry === 'string' ? [`entry ${index + 1} ${entry}`] : []));
  const issuers = parsed.filter(entry => typeof entry !== 'string');
  const seen = new Set(issuers.map(({ issuer }) => issuer));
  if (wrong.length === 0 && seen.size < issuers.length) wrong.push('an issuer is listed twice');
  return wrong.length > 0 ? { mustBe: `a JSON array of issuers: ${wrong.join('; ')}` } : { value: issuers };
};
