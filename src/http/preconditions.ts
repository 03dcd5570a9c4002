/* `If-Match` and `If-None-Match` of a request that changes something (RFC 9110 section 13.1). */
import { invalid } from '../core/errors.ts';

/** Versions, or `*` for any. */
export type VersionList = '*' | readonly string[];

export type Preconditions = {
  /** The resource must exist in one of these versions. */
  ifMatch: VersionList | undefined;
  /** It must not exist in any of them. */
  ifNoneMatch: VersionList | undefined;
};

const list = /^(?:W\/)?"[\x21\x23-\x7e]*"(?:[ \t]*,[ \t]*(?:W\/)?"[\x21\x23-\x7e]*")*$/;

function read(name: string, value: string | null, withWeak: boolean): VersionList | undefined {
  if (value === null) return undefined;
  const text = value.trim();
  if (text === '*') return '*';
  if (!list.test(text)) throw invalid(`${name} must be \`*\` or an ETag as it was given, in quotes`);
  return [...text.matchAll(/(W\/)?"([^"]*)"/g)]
    .filter(([, isWeak]) => withWeak || !isWeak)
    .map(([, , version]) => version ?? '');
}

/** A weak ETag never matches in `If-Match`; this server sends none. @throws invalid */
export const preconditionsOf = ({ headers }: Request): Preconditions => ({
  ifMatch: read('If-Match', headers.get('if-match'), false),
  ifNoneMatch: read('If-None-Match', headers.get('if-none-match'), true),
});

export const etagOf = (version: string): string => `"${version}"`;
