/* Decides which views fit a body, best first. The content type is only a hint; the bytes decide. */

import type { EventDetail } from '../../../features/events/model.ts';
import { boundaryOf } from '../../../shared/multipart.ts';
import { attempt } from '../../kit/attempt.ts';
import { bytesOf, rasterType, utf8Text } from './bytes.ts';
import { isJsonDocument, parseJson, parseJsonLines } from './json.ts';
import { isHtml, looksLikeXml } from './xml.ts';

export type BodyView = 'json' | 'ndjson' | 'form' | 'parts' | 'xml' | 'html' | 'image' | 'text' | 'hex';

type CapturedBody = Pick<EventDetail, 'rawHeaders' | 'payloadRaw' | 'payloadEncoding'>;
export type ParsedBody = ReturnType<typeof parseBody>;

const maxJsonBytes = 16 << 20;

/** Parses a body. An empty body has no views. */
export function parseBody(bytes: Uint8Array, contentType: string) {
  const type = contentType.toLowerCase();
  const text = utf8Text(bytes);
  const views: BodyView[] = [];
  const boundary = boundaryOf(contentType);
  const saysLines = /\b(?:x-)?(?:ndjson|jsonl|jsonlines|json-lines)\b/.test(type);
  const saysJson = !saysLines && (/[/+]json\b/.test(type) || /\bjson\b/.test(type));
  const maybeJson = text !== undefined && bytes.length <= maxJsonBytes && (saysJson || /^\ufeff?\s*[[{"]/.test(text));
  const parsed = maybeJson ? parseJson(text) : undefined;
  const json = parsed && isJsonDocument(parsed) ? parsed : undefined;
  const maybeLines = text !== undefined && bytes.length <= maxJsonBytes && (saysLines || (!json && hasJsonLines(text)));
  const lines = maybeLines ? parseJsonLines(text) : undefined;
  if (bytes.length > 0) {
    if (json && !lines) views.push('json');
    if (lines) views.push('ndjson');
    if (boundary) views.push('parts');
    if (text !== undefined && looksLikeForm(text, type)) views.push('form');
    const isMarkup = text !== undefined && (looksLikeXml(text) || /[/+](?:xml|html)\b/.test(type));
    if (isMarkup && !json && !lines) views.push(isHtml(text, type) ? 'html' : 'xml');
    if (rasterType(bytes)) views.push('image');
    if (text !== undefined) views.push('text');
    views.push('hex');
  }
  const isBroken = saysJson && !lines && parsed !== undefined && !isJsonDocument(parsed) && bytes.length > 0;
  /** `lines`: the documents of an NDJSON body. `jsonProblem`: of a body that is not JSON, though its content type says so. */
  return { views, text, json, lines, jsonProblem: isBroken ? parsed : undefined, boundary };
}

type Headers = readonly (readonly [name: string, value: string])[];

/** The first header with this name, which is in lower case; empty without one. */
export const headerOf = (headers: Headers, wanted: string): string =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? '';

export const parseBodyOf = ({ rawHeaders, payloadRaw, payloadEncoding }: CapturedBody): ParsedBody =>
  parseBody(bytesOf(payloadRaw, payloadEncoding), headerOf(rawHeaders, 'content-type'));

/** Two documents at least; one alone is JSON. */
const hasJsonLines = (text: string): boolean => /^\ufeff?\s*[[{][^\n]*[\]}][ \t\r]*\n\s*[[{]/.test(text);

const looksLikeForm = (text: string, type: string): boolean =>
  type.includes('x-www-form-urlencoded') ? text.includes('=') : type === '' && /^[\w.%+[\]-]+=[^\s<{]*$/.test(text);

export type FormField = { name: string; value: string; raw: string };

/** The pairs of a form body or a query string, in order and with repeated names. */
export const parseForm = (text: string): FormField[] =>
  text
    .split('&')
    .filter(pair => pair !== '')
    .map(pair => {
      const at = pair.indexOf('=');
      const name = at < 0 ? pair : pair.slice(0, at);
      return { name: decodeField(name), value: at < 0 ? '' : decodeField(pair.slice(at + 1)), raw: pair };
    });

/** Decodes `+` and `%XX`. Text with malformed escapes is returned unchanged. */
const decodeField = (text: string): string => attempt(() => decodeURIComponent(text.replaceAll('+', ' '))) ?? text;
