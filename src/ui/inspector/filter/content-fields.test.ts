import { describe, expect, test } from 'bun:test';
import type { EventDetail } from '../../../features/events/model.ts';
import { FilterError } from '../../../shared/filter/filter.ts';
import { isJsonDocument, parseJson } from '../body/json.ts';
import { bodyFieldOf, contentFieldsOf } from './content-fields.ts';
import { parse } from './filter-text.ts';

const json = (value: unknown) => {
  const document = parseJson(JSON.stringify(value));
  if (!isJsonDocument(document)) throw new Error('not JSON');
  return document;
};
const event = (payloadRaw: string, contentType: string): EventDetail => ({
  id: 'evt_1',
  eventType: null,
  platform: null,
  method: 'POST',
  receivedAt: 0,
  size: payloadRaw.length,
  path: '',
  signatureValid: null,
  pin: null,
  tags: [],
  answered: { status: 200, rule: null, delayMs: 0, fault: null, limited: false },
  refused: null,
  redacted: null,
  delivery: { key: 'd', basis: 'content', attempt: 1, attempts: 1 },
  endpointId: 'ep_1',
  headers: {},
  rawHeaders: [
    ['Content-Type', contentType],
    ['X-Shop', 'acme'],
    ['x-shop', 'second'],
  ],
  query: 'page=2&a.b=c',
  params: [
    ['page', '2'],
    ['a.b', 'c'],
  ],
  payload: null,
  payloadRaw,
  payloadEncoding: 'utf8',
  sha256: '',
  sourceIp: '127.0.0.1',
  signature: null,
  replays: [],
  forwards: [],
});

describe('fields of a body', () => {
  test.each([
    [{ a: { b: 1 } }, 'body.a.b'],
    [{ items: [{ sku: 1 }] }, 'body.items[].sku'],
    [[{ x: 1 }], 'body[].x'],
    [[[1]], 'body[][]'],
    [{ 'a.b': { 'c d': 1 } }, 'body."a.b"."c d"'],
    [{ 'say "x"\\': 1 }, 'body."say \\"x\\"\\\\"'],
    [{ '': 1 }, 'body.""'],
    [{ 'Köln-1': { $ref: 1 } }, 'body.Köln-1.$ref'],
  ])('%j has %s', (value, field) => {
    const document = json(value);
    const last = document.nodes.length - 1;
    expect(bodyFieldOf(document, last)).toBe(field);
    const filter = parse(`has:${field}`);
    if (filter instanceof FilterError) throw filter;
    const keys = JSON.stringify(filter.root).match(/"key":("(?:[^"\\]|\\.)*")/g) ?? [];
    expect(keys).toHaveLength(document.nodes.filter(node => node.keyStart >= 0).length);
  });

  test('the whole document is no field', () => expect(bodyFieldOf(json(5), 0)).toBeUndefined());
});

describe('fields of an event', () => {
  const fieldsOf = (detail: EventDetail) =>
    Object.fromEntries(contentFieldsOf(detail).map(one => [one.field, one.value]));

  test('headers, parameters and the values of a JSON body, each with its first value', () => {
    const fields = fieldsOf(
      event(`{"a":[{"b":"x"},{"b":"y"}],"n":1e400,"long":"${'z'.repeat(300)}"}`, 'application/json'),
    );
    expect(fields).toEqual({
      'header.content-type': 'application/json',
      'header.x-shop': 'acme',
      'query.page': '2',
      'query."a.b"': 'c',
      'body.a[].b': 'x',
      'body.n': '1e400',
      'body.long': undefined,
    });
  });

  test('the fields of a form', () => {
    const fields = fieldsOf(event('user[name]=Jo&a+b=1&c.d=2', 'application/x-www-form-urlencoded'));
    expect(fields).toMatchObject({ 'body.user[name]': 'Jo', 'body."a b"': '1', 'body.c.d': '2' });
  });

  test('a body of 100,000 levels, or with 100,000 values, costs no more than its first fields', () => {
    const levels = 100_000;
    expect(contentFieldsOf(event('['.repeat(levels) + ']'.repeat(levels), 'application/json'))).toHaveLength(4);
    const deep = `${'['.repeat(50)}1${']'.repeat(50)}`;
    expect(contentFieldsOf(event(deep, 'application/json'))).toHaveLength(4);
    expect(contentFieldsOf(event(`[${'1,'.repeat(levels)}1]`, 'application/json'))).toHaveLength(5);
    const keys = Array.from({ length: 1000 }, (_, n) => `"k${n}":${n}`).join();
    expect(contentFieldsOf(event(`{${keys}}`, 'application/json'))).toHaveLength(400);
  });

  test('a body that is neither has none', () => {
    expect(Object.keys(fieldsOf(event('hello', 'text/plain')))).toHaveLength(4);
  });
});
