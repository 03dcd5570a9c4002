/* Applies the redaction of an endpoint to an event. Time and memory are linear in its size, even for hostile input. Pure. */
import { isUtf8 } from 'node:buffer';
import { formField, headerField, queryField } from '../../shared/filter/field-names.ts';
import { asBuffer, latin1 } from '../encoding/buffer.ts';
import { sha256 } from '../encoding/sha256.ts';
import {
  type HeaderPair,
  headerValue,
  redacted as hiddenCredential,
  isCredentialHeader,
  isFormType,
  lowerName,
} from '../headers.ts';
import { endOfByteOrderMark } from '../json/bytes.ts';
import { validateJson } from '../json/validator.ts';
import { isForm } from './body-form.ts';
import { createDetector, type Redacting } from './detect.ts';
import { redactJson } from './json-body.ts';
import type { Redactable, Redaction, RedactionChange, RedactionResult } from './model.ts';
import { redactPairs, redactText } from './pairs.ts';
import { createBodyPaths, noRule, readFieldName, readRulePath } from './paths.ts';
import { isReplacement, replacementOf, textOf } from './replacement.ts';
import { maxRedactedBytes } from './splicer.ts';
import { createTaken, noRuleButBody, type Taken } from './taken.ts';

/** Deeper JSON counts as unreadable. */
const maxDepth = 1000;

export type RedactOptions = {
  /** For events that have been stored: what an earlier redaction wrote stays as it is. */
  isStored?: boolean;
};

/** @param onChange gets the first changes, for a preview */
export type Redact = <E extends Redactable>(
  event: E,
  onChange?: (change: RedactionChange) => void,
) => RedactionResult<E>;

/** @param redaction checked by schema.ts @param key of the team (key.ts) */
export function compileRedaction(
  redaction: Redaction,
  key: Uint8Array,
  { isStored: isRedacted = false }: RedactOptions = {},
): Redact {
  const { rules, originalHash } = redaction;
  if (rules.length === 0) return event => ({ event, redacted: null });
  const treatments = rules.map(rule => rule.with);
  const detector = createDetector(
    rules.flatMap((rule, i) => ('detect' in rule ? [{ ...rule, rule: i }] : [])),
    key,
  );
  const common = { treatments, key, detector, isRedacted };
  const ruleOfAddress = rules.findIndex(rule => 'detect' in rule && rule.detect === 'ip');
  const redactHeaders = createHeaderRedactor(redaction, common);
  const redactBody = createBodyRedactor(redaction, common);
  const queryNames = namesOf(redaction, 'query', readFieldName);
  const ruleOfName = (names: readonly string[]): number =>
    Math.min(...names.map(name => queryNames.get(name) ?? noRule));

  return (event, onChange) => {
    const taken = createTaken(onChange);
    const { path, query, headers, body, sourceIp } = event;
    const after: Redactable = {
      path: (detector && redactText(path, 'percent', detector, taken, () => 'path')) ?? path,
      query: query && redactPairs(query, { ...common, ruleOfName, fieldOf: queryField }, taken),
      headers: redactHeaders(headers, taken),
      body: redactBody(headers, body, taken),
      sourceIp: ruleOfAddress < 0 ? sourceIp : '',
    };
    if (after.sourceIp !== sourceIp)
      taken.note({ rule: ruleOfAddress, field: () => 'ip', before: () => sourceIp, after: null });
    const redacted = taken.redacted(() => (originalHash === 'keep' ? asBuffer(sha256(body)).toString('hex') : null));
    return redacted ? { event: { ...event, ...after }, redacted } : { event, redacted };
  };
}

function namesOf({ rules }: Redaction, place: 'header' | 'query', read: (path: string) => string): Map<string, number> {
  const names = new Map<string, number>();
  for (const [i, rule] of rules.entries()) {
    if (!('in' in rule) || rule.in !== place) continue;
    const name = read(rule.path);
    if (!names.has(name)) names.set(name, i);
  }
  return names;
}

type HeaderRedactor = (headers: readonly HeaderPair[], taken: Taken) => readonly HeaderPair[];

function createHeaderRedactor(
  redaction: Redaction,
  { treatments, key, detector, isRedacted }: Redacting,
): HeaderRedactor {
  const names = namesOf(redaction, 'header', path => lowerName(readFieldName(path)));
  const redactValue = (name: string, value: string, taken: Taken): string | null => {
    const rule = names.get(name);
    const field = () => headerField(name);
    if (rule === undefined) return (detector && redactText(value, 'plain', detector, taken, field)) ?? value;
    const treatment = treatments[rule] ?? 'remove';
    if (treatment !== 'remove') {
      // The end of a credential is not shown, nor is a hash of its placeholder.
      if (isCredentialHeader(name)) return hiddenCredential;
      if (isRedacted && isReplacement(value)) return value;
    }
    const bytes = Buffer.from(value, 'latin1');
    const after = treatment === 'remove' ? null : replacementOf(treatment, bytes, key);
    if (after === textOf(bytes)) return value;
    taken.note({ rule, field, before: () => textOf(bytes), after });
    return after && latin1(Buffer.from(after, 'utf8'));
  };
  if (names.size === 0 && !detector) return headers => headers;
  return (headers, taken) =>
    headers.flatMap((pair): HeaderPair[] => {
      const value = redactValue(lowerName(pair[0]), pair[1], taken);
      if (value === null) return [];
      return [value === pair[1] ? pair : [pair[0], value]];
    });
}

type BodyRedactor = (headers: readonly HeaderPair[], body: Uint8Array, taken: Taken) => Uint8Array;

function createBodyRedactor({ rules, otherBodies }: Redaction, common: Redacting): BodyRedactor {
  const { detector } = common;
  const paths = createBodyPaths(
    rules.flatMap((rule, i) =>
      'in' in rule && rule.in === 'body' ? [{ path: readRulePath(rule.path), rule: i }] : [],
    ),
  );
  const drop = (body: Uint8Array, taken: Taken): Uint8Array => {
    const before = (): string => textOf(body.subarray(0, 2000));
    taken.note({ rule: noRuleButBody, field: () => 'body', before, after: null });
    return body.subarray(0, 0);
  };
  return (headers, body, taken) => {
    if (body.length === 0) return body;
    if (isReadableJson(body)) return redactJson(body, { ...common, paths }, taken) ?? drop(body, taken);
    const text = isPlain(headers) ? latin1(body) : undefined;
    if (text !== undefined && isForm(text, isFormType(headerValue(headers, 'content-type') ?? ''))) {
      const after = redactPairs(text, { ...common, ruleOfName: paths.ruleOfName, fieldOf: formField }, taken);
      if (after === text) return body;
      return after.length > maxRedactedBytes(body.length) ? drop(body, taken) : Buffer.from(after, 'latin1');
    }
    if (otherBodies === 'drop') return drop(body, taken);
    if (!detector || text === undefined || !isUtf8(body)) return body;
    const after = redactText(text, 'plain', detector, taken, () => 'body');
    return after === undefined ? body : Buffer.from(after, 'latin1');
  };
}

const isReadableJson = (body: Uint8Array): boolean =>
  isUtf8(body) && validateJson(body, { start: endOfByteOrderMark(body), maxDepth }).next().value === true;

const isPlain = (headers: readonly HeaderPair[]): boolean =>
  /^\s*(?:identity)?\s*$/i.test(headerValue(headers, 'content-encoding') ?? '');
