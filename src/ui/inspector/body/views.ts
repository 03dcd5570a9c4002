/* Decides which views fit a body, best first. The content type is only a hint; the bytes decide. */

import { boundaryOf } from '../../../shared/multipart.ts';
import { rasterType, utf8Text } from './bytes.ts';
import { isJsonDocument, type JsonDocument, type JsonProblem, parseJson } from './json.ts';
import { parseJsonLines } from './json-lines.ts';
import { isHtml, looksLikeXml } from './xml.ts';

export type BodyView = 'json' | 'ndjson' | 'form' | 'parts' | 'xml' | 'html' | 'image' | 'text' | 'hex';

export type ParsedBody = {
  views: BodyView[];
  text: string | undefined;
  json: JsonDocument | undefined;
  /** The documents of an NDJSON body. */
  lines: JsonDocument | undefined;
  /** Set when the content type is JSON but the body is not valid JSON. */
  jsonProblem: JsonProblem | undefined;
  boundary: string | undefined;
};

const maxJsonBytes = 16 << 20;

/** Parses a body. An empty body has no views. */
export function parseBody(bytes: Uint8Array, contentType: string): ParsedBody {
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
  return { views, text, json, lines, jsonProblem: isBroken ? parsed : undefined, boundary };
}

/** Two documents at least; one alone is JSON. */
const hasJsonLines = (text: string): boolean => /^\ufeff?\s*[[{][^\n]*[\]}][ \t\r]*\n\s*[[{]/.test(text);

const looksLikeForm = (text: string, type: string): boolean =>
  type.includes('x-www-form-urlencoded') ? text.includes('=') : type === '' && /^[\w.%+[\]-]+=[^\s<{]*$/.test(text);
