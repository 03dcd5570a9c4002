/*
 * The texts that a list shows of a delivery: short plain texts from the body, by the paths in its platform's row or else from a
 * few well-known fields, and the action, if the platform's event types say little. They are read only from the beginning of the
 * body, without parsing it, because lists show many events. Never throws.
 */
import { createPathTree, type PathTree, pickJson } from '../../core/json/pick.ts';
import { maxHighlightCharacters, maxHighlights } from '../../core/limits.ts';
import { decodeUtf8Leniently, firstGraphemes } from '../../core/text.ts';
import type { PreviewText } from './platform.ts';
import type { PlatformIndex } from './platform-index.ts';

/** The most bytes that are read. */
const maxReadBytes = 64 * 1024;
const maxFormBytes = 8 * 1024;

const wellKnownFields: readonly PreviewText[] = [
  [
    '{amount} {currency}',
    '{data.amount} {data.currency}',
    '{data.object.amount} {data.object.currency}',
    '{total} {currency}',
    'amount',
    'total',
    'data.amount',
    'data.total',
  ],
  ['name', 'title', 'subject', 'data.name', 'data.title', 'data.subject', 'data.object.name'],
  ['email', 'data.email', 'customer.email', 'data.object.email', 'user.email'],
  ['status', 'state', 'data.status', 'data.state', 'data.object.status'],
  ['message', 'text', 'data.message', 'data.text'],
];

/** Slots and the literal text between them. */
type Template = (number | string)[];
/** `all` has every alternative of a text, `named` only the alternatives that are not ids. */
type Alternatives = { all: Template[]; named: Template[] };
type CompiledPreview = { paths: string[]; tree: PathTree; texts: Alternatives[]; action: Template[] };

/** A field with an id that only machines know; `shortId` is an id that people use. */
const idPath = /(?:^|[^a-z])(?:id|uuid|uid|gid|sid)\]?$|(?<!short)(?:Id|Sid)\]?$/;

/** `action`: null if the platform's event types say enough, or the body has no action. */
export type Highlighted = { highlights: string[]; action: string | null };
export type HighlightsOf = (platform: string | null, body: Uint8Array) => Highlighted;

export function createHighlights({ all }: PlatformIndex): HighlightsOf {
  const byPlatform = new Map(
    all.flatMap(({ name, preview = [], action = [] }) =>
      preview.length + action.length > 0 ? [[name, compile(preview, action)] as const] : [],
    ),
  );
  const wellKnown = compile(wellKnownFields);

  return (platform, body) => {
    const read = createFieldReader(body);
    if (read === undefined) return { highlights: [], action: null };
    const preview = platform === null ? undefined : byPlatform.get(platform);
    const values = preview ? read(preview) : [];
    const found = preview ? textsOf(preview, values) : [];
    return {
      highlights: found.length > 0 ? found : textsOf(wellKnown, read(wellKnown)),
      action: (preview && textOf(preview.action, values)) ?? null,
    };
  };
}

function compile(preview: readonly PreviewText[], action: readonly string[] = []): CompiledPreview {
  const paths: string[] = [];
  const slotOf = (path: string): number => {
    const known = paths.indexOf(path);
    return known >= 0 ? known : paths.push(path) - 1;
  };
  const toTemplate = (text: string): Template =>
    text.includes('{') ? text.split(/[{}]/).map((piece, i) => (i % 2 === 1 ? slotOf(piece) : piece)) : [slotOf(text)];
  const texts = preview.map(text => {
    const alternatives = [text].flat();
    return {
      all: alternatives.map(toTemplate),
      named: alternatives.filter(one => !idPath.test(one)).map(toTemplate),
    };
  });
  const actions = action.map(toTemplate);
  return { paths, tree: createPathTree(paths), texts, action: actions };
}

type FieldReader = (preview: CompiledPreview) => Values;

/** Undefined for a body that is neither JSON nor a form. */
function createFieldReader(body: Uint8Array): FieldReader | undefined {
  if (/^(?:\xef\xbb\xbf)?\s{0,64}[{[]/.test(latin1(body.subarray(0, 80)))) {
    const start = body.subarray(0, maxReadBytes);
    return ({ tree, paths }) => pickJson(start, tree, paths.length);
  }
  if (!/^[\w.%+*[\]-]{1,200}=/.test(latin1(body.subarray(0, 201)))) return undefined;
  const fields = new URLSearchParams(decodeUtf8Leniently(wholeFields(body)));
  return ({ paths }) => paths.map(path => fields.get(path) ?? undefined);
}

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');

/** The form without the last field, which the limit has cut. */
function wholeFields(body: Uint8Array): Uint8Array {
  if (body.length <= maxFormBytes) return body;
  const start = body.subarray(0, maxFormBytes);
  return start.subarray(0, Math.max(0, start.lastIndexOf(0x26)));
}

type Values = readonly (string | undefined)[];

/** In the order of the preview; an id only if it comes first. */
function textsOf(preview: CompiledPreview, values: Values): string[] {
  const texts: string[] = [];
  for (const { all, named } of preview.texts) {
    if (texts.length === maxHighlights) break;
    const text = textOf(texts.length === 0 ? all : named, values);
    if (text !== undefined && !texts.includes(text)) texts.push(text);
  }
  return texts;
}

/** The first alternative whose fields exist. */
function textOf(alternatives: readonly Template[], values: Values): string | undefined {
  for (const template of alternatives) {
    const pieces = template.map(piece => (typeof piece === 'string' ? piece : toPlainText(values[piece] ?? '')));
    const isWhole = template.every((piece, i) => typeof piece === 'string' || pieces[i] !== '');
    if (isWhole) return shorten(pieces.join(''));
  }
  return undefined;
}

/** The text on one line, without control characters and characters that reorder the text beside it. */
function toPlainText(value: string): string {
  if (/^[!-~]*$/.test(value)) return value;
  return value
    .toWellFormed()
    .replace(/\s+/gu, ' ')
    .replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, '\ufffd')
    .trim();
}

function shorten(text: string): string {
  const start = firstGraphemes(text, maxHighlightCharacters);
  return start === text ? text : `${firstGraphemes(text, maxHighlightCharacters - 1).trimEnd()}…`;
}
