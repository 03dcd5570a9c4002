/* Decides which views fit a body, best first. The content type is only a hint; the bytes decide. */

import { boundaryOf } from '../../shared/multipart.ts';
import { rasterType, utf8Text } from './bytes.ts';
import { isJsonDocument, type JsonDocument, type JsonProblem, parseJson } from './json.ts';
import { looksLikeXml } from './xml.ts';

export type BodyView = 'json' | 'form' | 'parts' | 'xml' | 'image' | 'text' | 'hex';

export type ParsedBody = {
  views: BodyView[];
  text: string | undefined;
  json: JsonDocument | undefined;
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
  const saysJson = /[/+]json\b/.test(type) || /\bjson\b/.test(type);
  const maybeJson = text !== undefined && bytes.length <= maxJsonBytes && (saysJson || /^\ufeff?\s*[[{"]/.test(text));
  const parsed = maybeJson ? parseJson(text) : undefined;
  const json = parsed && isJsonDocument(parsed) ? parsed : undefined;
  if (bytes.length > 0) {
    if (json) views.push('json');
    if (boundary) views.push('parts');
    if (text !== undefined && looksLikeForm(text, type)) views.push('form');
    if (text !== undefined && !json && (looksLikeXml(text) || /[/+]xml\b/.test(type))) views.push('xml');
    if (rasterType(bytes)) views.push('image');
    if (text !== undefined) views.push('text');
    views.push('hex');
  }
  const jsonProblem = saysJson && parsed && !isJsonDocument(parsed) && bytes.length > 0 ? parsed : undefined;
  return { views, text, json, jsonProblem, boundary };
}

const looksLikeForm = (text: string, type: string): boolean =>
  type.includes('x-www-form-urlencoded') ? text.includes('=') : type === '' && /^[\w.%+[\]-]+=[^\s<{]*$/.test(text);
