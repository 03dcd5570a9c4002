import { describe, expect, test } from 'bun:test';
import { jsonSchemaOf } from '../../../testing/schemas.ts';
import { formatName, formatOf, isWord, looksLikeId, mayBeEnum } from './text-rules.ts';

describe('formats', () => {
  test.each([
    ['2026-11-22T10:00:00Z', 'date-time'],
    ['2026-11-22t23:59:59.123+05:30', 'date-time'],
    ['2026-02-30T10:00:00Z', undefined],
    ['2026-11-22T10:00:00', undefined],
    ['2026-11-22', 'date'],
    ['2026-13-01', undefined],
    ['2024-02-29', 'date'],
    ['123e4567-e89b-12d3-a456-426614174000', 'uuid'],
    ['ada.l@mail.example.com', 'email'],
    ['ada@localhost', undefined],
    ['https://example.com/a?b=%20#c', 'uri'],
    ['https://example.com/users{/id}', undefined],
    ['http://', undefined],
    ['ftp://example.com', undefined],
    ['', undefined],
    [`https://example.com/${'a'.repeat(3000)}`, undefined],
  ])('%j: %p', (text, format) => {
    expect(formatName(formatOf(text))).toBe(format as string);
  });

  test('hold only while all texts have them', () => {
    expect(jsonSchemaOf(['["2026-11-22","2026-11-23"]'])['items']).toEqual({ type: 'string', format: 'date' });
    for (const other of ['', 'soon', '2026-11-22T10:00:00Z'])
      expect(jsonSchemaOf([JSON.stringify(['2026-11-22', other])])['items']).toEqual({ type: 'string' });
  });

  test.each([['@'], ['a.'], ['-'], ['%41'], ['2026-']])('take little time for a long text of %s', part => {
    const startedAt = performance.now();
    formatOf(part.repeat(100_000));
    for (const prefix of ['https://', 'a@', '2026-11-22T10:00:00.']) formatOf(prefix + part.repeat(400));
    isWord(part.repeat(15));
    looksLikeId(part.repeat(50));
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });
});

describe('an enum', () => {
  const schemaOf = (field: string, words: readonly string[], count = 30, type: string | null = null) => {
    const texts = Array.from({ length: count }, (_, n) => JSON.stringify({ [field]: words[n % words.length] }));
    const { properties } = jsonSchemaOf(texts, type) as { properties: Record<string, object> };
    return properties[field];
  };
  const string = { type: 'string' };

  test('has few words, each seen several times', () => {
    expect(schemaOf('status', ['paid', 'open', 'in_progress'])).toEqual({
      ...string,
      enum: ['in_progress', 'open', 'paid'],
    });
    expect(schemaOf('status', ['paid', 'open'], 9)).toEqual(string);
    expect(schemaOf('status', ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], 23)).toEqual(string);
    expect(schemaOf('status', ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], 24)).toHaveProperty('enum');
    expect(schemaOf('status', ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'], 100)).toEqual(string);
  });

  test('has null where null was seen', () => {
    const texts = Array.from({ length: 30 }, (_, n) => JSON.stringify(['paid', 'open', null][n % 3]));
    expect(jsonSchemaOf(texts.map(text => `{"status":${text}}`))).toMatchObject({
      properties: { status: { type: ['string', 'null'], enum: ['open', 'paid', null] } },
    });
  });

  test('of one word is a constant only when it is the type of the event', () => {
    expect(schemaOf('status', ['paid'])).toEqual(string);
    expect(schemaOf('kind', ['invoice.paid'], 30, 'invoice.paid')).toEqual({ ...string, enum: ['invoice.paid'] });
  });

  test.each([
    ['Ada Lovelace'],
    ['ada@example.com'],
    ['Berlin'],
    ['+4930123456'],
    ['sk_live_51Hx'],
    ['ord4711'],
    ['https://example.com'],
    ['äöü'],
    [''],
    ['a'.repeat(33)],
  ])('never has %j', text => {
    expect(schemaOf('status', ['paid', text])).toEqual(string);
  });

  test.each([
    ['name'],
    ['firstName'],
    ['first_name'],
    ['userLogin'],
    ['email'],
    ['phone_number'],
    ['shipping.address'],
    ['city'],
    ['access-token'],
    ['clientSecret'],
    ['password'],
    ['sessionId'],
    ['gender'],
    ['note'],
    ['title'],
    [''],
  ])('is never shown for a field named %s', field => {
    expect(schemaOf(field, ['ada', 'bob'])).toEqual(string);
  });

  test.each([
    [['status'], true],
    [['order', 'currency'], true],
    [['items', 'color'], true],
    [['customer', 'nickname'], false],
    [['customer', 'color'], false],
    [['sender', 'type'], true],
    [['users', 'role'], true],
    [['account_type'], true],
    [['billing_address', 'state'], false],
    [['address', 'state'], false],
    [['metadata', 'color'], false],
    [[], false],
  ])('of the field %p: %p', (names, expected) => {
    expect(mayBeEnum(names)).toBe(expected);
  });
});

test.each([
  ['42', true],
  ['123e4567-e89b-12d3-a456-426614174000', true],
  ['cus_91827364', true],
  ['2026-11-22', true],
  ['ada@example.com', true],
  ['src/main.ts', true],
  ['9be2e65c4a1b', true],
  ['amount', false],
  ['line_address1', false],
  ['oauth2_token', false],
  ['sha256', false],
  ['first_name', false],
])('the key %s is an id: %p', (key, expected) => {
  expect(looksLikeId(key)).toBe(expected);
});
