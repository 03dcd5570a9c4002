/* What a value means: a link, a time, base64 or a JSON Web Token. Only what is fairly certain is explained; decoded content is untrusted. */

import { attempt } from '../../kit/attempt.ts';
import { fromBase64, rasterType, utf8Text } from './bytes.ts';

export type Explanation =
  | { kind: 'link'; url: string }
  | { kind: 'time'; at: number; unit: 's' | 'ms' | 'text' }
  | { kind: 'base64'; bytes: Uint8Array; text: string | undefined; type: string | undefined }
  | { kind: 'jwt'; header: string; claims: string; times: { name: string; at: number }[] };

export type ValueContext = {
  /** The key or name of the value; empty for an item of a list. */
  key: string;
  isNumber: boolean;
};

const maxCharacters = 1 << 20;
const minBase64Characters = 16;
const earliestTime = Date.UTC(2000, 0);
const latestTime = Date.UTC(2100, 0);

/** Names of values that are numbers, but no times. */
const countName =
  /(?:^|[_.\s-]|[a-z](?=[A-Z]))(?:ids?|numbers?|num|no|phone|counts?|amount|total|price|size|bytes|zip|code|version|sum|balance|quantity)$/i;
const timeName =
  /(?:time|date|stamp|created|updated|modified|expir|since|until|deadline|start|ends?$|(?:^|[_.-])(?:at|on|ts|exp|iat|nbf|now)$|[a-z]At$)/i;

export function explain(text: string, context: ValueContext): Explanation | undefined {
  if (text.length > maxCharacters || text.length < 8) return undefined;
  if (context.isNumber) return explainNumber(text, context.key);
  return explainLink(text) ?? explainToken(text) ?? explainTime(text, context.key) ?? explainBase64(text);
}

/** The URL of a text that is a link as a whole: http or https, without hidden characters. */
export function safeUrl(text: string): string | undefined {
  if (!/^https?:\/\/[^\s\p{Cc}\p{Cf}]+$/iu.test(text) || text.length > 8192) return undefined;
  if (!URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  return protocol === 'http:' || protocol === 'https:' ? href : undefined;
}

const explainLink = (text: string): Explanation | undefined => {
  const url = safeUrl(text);
  return url === undefined ? undefined : { kind: 'link', url };
};

function explainNumber(text: string, key: string): Explanation | undefined {
  if (!/^\d{10}(?:\.\d+)?$|^\d{13}$/.test(text) || (countName.test(key) && !timeName.test(key))) return undefined;
  const unit = /^\d{13}$/.test(text) ? 'ms' : 's';
  const at = Math.round(Number(text) * (unit === 's' ? 1000 : 1));
  return at >= earliestTime && at < latestTime ? { kind: 'time', at, unit } : undefined;
}

function explainTime(text: string, key: string): Explanation | undefined {
  if (/^\d+(?:\.\d+)?$/.test(text)) return timeName.test(key) ? explainNumber(text, key) : undefined;
  if (!/^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:?\d\d)$/.test(text)) return undefined;
  const at = Date.parse(text.replace(' ', 'T').toUpperCase());
  return Number.isNaN(at) ? undefined : { kind: 'time', at, unit: 'text' };
}

function explainToken(text: string): Explanation | undefined {
  const [, header = '', claims = ''] = /^(?:Bearer )?(eyJ[\w-]+)\.(eyJ[\w-]*)\.[\w-]*$/.exec(text) ?? [];
  const decoded = [header, claims].map(part => parseObject(decodeText(part)));
  const [head, body] = decoded;
  if (!head || !body || typeof head.value['alg'] !== 'string') return undefined;
  const times = ['iat', 'nbf', 'exp'].flatMap(name => {
    const seconds = body.value[name];
    return typeof seconds === 'number' && Math.abs(seconds) < 8.64e12 ? [{ name, at: seconds * 1000 }] : [];
  });
  return { kind: 'jwt', header: head.text, claims: body.text, times };
}

function parseObject(text = ''): { text: string; value: Record<string, unknown> } | undefined {
  const value: unknown = attempt(() => JSON.parse(text));
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? { text, value: value as Record<string, unknown> } : undefined;
}

const decodeText = (text: string): string | undefined => {
  const bytes = decode(text);
  return bytes && utf8Text(bytes);
};

function decode(text: string): Uint8Array | undefined {
  const [, digits = '', padding = ''] = /^([\w+/-]*)(={0,2})$/.exec(text) ?? [];
  const isMixed = /[-_]/.test(digits) && /[+/]/.test(digits);
  if (digits === '' || isMixed || digits.length % 4 === 1) return undefined;
  if (padding !== '' && (digits.length + padding.length) % 4 !== 0) return undefined;
  return attempt(() => fromBase64(digits.replaceAll('-', '+').replaceAll('_', '/')));
}

/** Words, ids and digests are made of the same characters, so only what decodes to text or a known type of file is base64. */
function explainBase64(given: string): Explanation | undefined {
  const [, text = ''] = /^(?:data:[\w/+.;=-]*;base64,)?([\w+/-]+={0,2})$/.exec(given) ?? [];
  if (text.length < minBase64Characters || /^[0-9a-f]+$/i.test(text)) return undefined;
  const bytes = decode(text);
  if (!bytes || bytes.length === 0) return undefined;
  const decoded = utf8Text(bytes);
  const isText = decoded !== undefined && !/[^\P{C}\n\r\t]/u.test(decoded);
  const type = isText ? undefined : fileType(bytes);
  const isSure = isText ? isPlausible(decoded) : type !== undefined || given.startsWith('data:');
  return isSure ? { kind: 'base64', bytes, text: isText ? decoded : undefined, type } : undefined;
}

/** Chance makes few ASCII letters out of other text. */
const isPlausible = (text: string): boolean =>
  (text.match(/[A-Za-z0-9\s"':,.{}<>=/&-]/g) ?? []).length >= text.length * 0.8;

const fileType = (bytes: Uint8Array): string | undefined => {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'gzip';
  if (utf8Text(bytes.subarray(0, 5)) === '%PDF-') return 'application/pdf';
  if (utf8Text(bytes.subarray(0, 4)) === 'PK\u0003\u0004') return 'application/zip';
  return rasterType(bytes);
};
