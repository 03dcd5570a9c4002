import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import Ajv2020 from 'ajv/dist/2020';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';
import { type Document, isSchema, mapSchemas, type Operation, type Schema } from './document.ts';
import { documentedSchemas, enums, integerFormats, maps, nullables, openObjects, tuples } from './shapes.ts';

let server: TestServer;
let document: Document;
beforeAll(async () => {
  server = await openTestServer();
  document = (await (await server.fetch('/openapi.json')).json()) as Document;
});
afterAll(() => server.close());

const operations = (): [string, Operation][] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
  );
const operation = (id: string): Operation => {
  const found = operations().find(([, { operationId }]) => operationId === id)?.[1];
  if (!found) throw new Error(`no operation ${id}`);
  return found;
};
const allSchemas = (): Schema[] => {
  const found: Schema[] = [];
  mapSchemas(document, schema => {
    found.push(schema);
    return schema;
  });
  return found;
};
const properties = (name: string) =>
  (document.components.schemas[name]?.['properties'] ?? {}) as Record<string, Schema>;

/** One schema through one refinement. */
const refined = (refinement: typeof enums, schema: Schema): Schema | undefined =>
  refinement({
    openapi: '3.1.0',
    info: {},
    servers: [],
    security: [],
    tags: [],
    paths: {},
    components: { schemas: { It: { properties: { inner: schema } } }, securitySchemes: {} },
  }).components.schemas['It'];
const inner = (schema: Schema): Schema => ({ properties: { inner: schema } });

describe('shapes', () => {
  const text = { type: 'string' };
  const constants = [
    { const: 'a', type: 'string' },
    { const: 'b', type: 'string' },
  ];
  const nothing = { type: 'null' };
  test.each([
    [
      'a schema that is validated differently than documented',
      documentedSchemas,
      { type: 'string', pattern: '^[0-9]+$', description: 'a number', documentedAs: { type: 'integer', minimum: 1 } },
      { type: 'integer', minimum: 1, description: 'a number' },
    ],
    [
      'a named one of these',
      documentedSchemas,
      { type: 'object', title: 'Change', examples: [{ a: 1 }], documentedAs: { type: 'object', minProperties: 1 } },
      { type: 'object', title: 'Change', examples: [{ a: 1 }], minProperties: 1 },
    ],
    ['a map', maps, { patternProperties: { '^(.*)$': text } }, { additionalProperties: text }],
    [
      'a pair',
      tuples,
      { type: 'array', items: [text, text], additionalItems: false, minItems: 2, maxItems: 2 },
      { type: 'array', prefixItems: [text, text], items: text, minItems: 2, maxItems: 2 },
    ],
    ['constants', enums, { anyOf: constants }, { type: 'string', enum: ['a', 'b'] }],
    [
      'constants or null',
      enums,
      { anyOf: [{ anyOf: constants }, nothing] },
      { anyOf: [{ type: 'string', enum: ['a', 'b'] }, nothing] },
    ],
    ['a text or null', nullables, { anyOf: [text, nothing] }, { type: ['string', 'null'] }],
    [
      'a described text or null',
      nullables,
      { anyOf: [{ ...text, description: 'inside' }, nothing] },
      { type: ['string', 'null'], description: 'inside' },
    ],
    ['a reference or null', nullables, { anyOf: [{ $ref: '#/x' }, nothing] }, { anyOf: [{ $ref: '#/x' }, nothing] }],
    [
      'an enum or null',
      nullables,
      { anyOf: [{ type: 'string', enum: ['a'] }, nothing] },
      { anyOf: [{ type: 'string', enum: ['a'] }, nothing] },
    ],
    ['an integer', integerFormats, { type: 'integer' }, { type: 'integer', format: 'int64' }],
    [
      'an integer or null',
      integerFormats,
      { type: ['integer', 'null'] },
      { type: ['integer', 'null'], format: 'int64' },
    ],
    [
      'a small integer',
      integerFormats,
      { type: 'integer', minimum: 1, maximum: 100 },
      { type: 'integer', minimum: 1, maximum: 100, format: 'int32' },
    ],
    [
      'an integer with a format',
      integerFormats,
      { type: 'integer', format: 'int32' },
      { type: 'integer', format: 'int32' },
    ],
    ['a closed object', openObjects, { type: 'object', additionalProperties: false }, { type: 'object' }],
    ['a typed map', openObjects, { additionalProperties: text }, { additionalProperties: text }],
  ])('%s', (_name, refinement, given, expected) => {
    expect(refined(refinement, given)).toEqual(inner(expected));
  });

  test('a property may be called like a keyword', () => {
    const odd = { properties: { items: { type: 'integer' }, anyOf: { type: 'integer' }, enum: { type: 'integer' } } };
    const integer = { type: 'integer', format: 'int64' };
    expect(refined(integerFormats, odd)).toEqual(
      inner({ properties: { items: integer, anyOf: integer, enum: integer } }),
    );
  });
});

describe('what generators of clients stumble over', () => {
  test('every integer says its size; times and byte counts have 64 bits', () => {
    const integers = allSchemas().filter(({ type }) => [type].flat().includes('integer'));
    expect(integers.length).toBeGreaterThan(20);
    for (const { format } of integers) expect(['int32', 'int64']).toContain(String(format));
    const wide = Object.entries(document.components.schemas).flatMap(([schema]) =>
      Object.entries(properties(schema))
        .filter(([name]) => /(?:At|Ms|Until|^since|^size|Bytes)$/.test(name))
        .map(([name, { type, format }]) => [schema, name, [type].flat()[0], format]),
    );
    expect(wide.length).toBeGreaterThan(20);
    for (const [schema, name, ...form] of wide)
      expect([schema, name, ...form]).toEqual([schema, name, 'integer', 'int64']);
  });

  test('header maps and pairs', () => {
    expect(properties('EventDetail')['headers']).toEqual({ type: 'object', additionalProperties: { type: 'string' } });
    for (const name of ['params', 'rawHeaders'])
      expect(properties('EventDetail')[name]).toMatchObject({
        type: 'array',
        items: {
          type: 'array',
          prefixItems: [{ type: 'string' }, { type: 'string' }],
          items: { type: 'string' },
          minItems: 2,
          maxItems: 2,
        },
      });
    for (const schema of allSchemas()) {
      expect(Object.keys(schema)).not.toContain('patternProperties');
      expect(Object.keys(schema)).not.toContain('mediaTypes');
      expect(Object.keys(schema)).not.toContain('documentedAs');
      if (schema['type'] === 'array') expect(isSchema(schema['items'])).toBe(true);
    }
  });

  test('an export is one schema for each media type, and other files are bytes', () => {
    expect(operation('exportEndpoint').responses['200']?.content).toMatchObject({
      'application/json': { schema: { $ref: '#/components/schemas/History' } },
      'application/har+json': { schema: { $ref: '#/components/schemas/HttpArchive' } },
      'application/x-ndjson': { schema: { type: 'string' } },
      'text/csv': { schema: { type: 'string' } },
      'application/x-sh': { schema: { type: 'string' } },
    });
    expect(operation('getEventBody').responses['200']?.content).toEqual({
      'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
    });
    expect(Object.keys(operation('streamEvents').responses['200']?.content ?? {})).toEqual(['text/event-stream']);
  });

  test('header fields', () => {
    expect(operation('streamEvents').parameters).toContainEqual(
      expect.objectContaining({ name: 'Last-Event-ID', in: 'header', required: false }),
    );
    for (const id of ['exportEndpoint', 'getEventBody'])
      expect(Object.keys(operation(id).responses['200']?.headers ?? {})).toContain('Content-Disposition');
    for (const [where, { responses }] of operations()) {
      const named = Object.entries({ 401: 'WWW-Authenticate', 405: 'Allow', 429: 'Retry-After', 503: 'Retry-After' });
      for (const [status, name] of named)
        expect([where, Object.keys(responses[status]?.headers ?? {})]).toEqual([where, expect.arrayContaining([name])]);
    }
  });

  test('what is enforced of input', () => {
    expect(properties('ApiKeyInput')['name']).toMatchObject({ minLength: 1, maxLength: 100 });
    expect(properties('SetupRequest')['password']).toMatchObject({
      minLength: 12,
      maxLength: 1024,
      format: 'password',
    });
    expect(properties('InvitationInput')['email']).toMatchObject({ format: 'email', maxLength: 255 });
    expect(properties('SecretInput')['secret']).toMatchObject({ minLength: 1, maxLength: 16_384 });
    expect(properties('ReplayRequest')['url']).toMatchObject({ format: 'uri', maxLength: 8192 });
  });
});

describe('every operation', () => {
  test('says what it does and to which described group it belongs', () => {
    const tags = new Map(document.tags.map(({ name, description }) => [name, description]));
    for (const [where, { summary = '', description = '', tags: [tag = ''] = [] }] of operations()) {
      expect([where, summary.length > 5, description.length > 20]).toEqual([where, true, true]);
      expect([where, typeof tags.get(tag)]).toEqual([where, 'string']);
    }
  });

  test('declares the refusals that any request may meet, and 404 where its path names something', () => {
    for (const [where, { responses, requestBody }] of operations()) {
      const met = ['400', '401', '403', '405', '408', '413', '417', '421', '429', '431', '500', '503'];
      const expected = [...met, ...(requestBody ? ['415'] : []), ...(where.includes('{') ? ['404'] : [])];
      expect([where, Object.keys(responses)]).toEqual([where, expect.arrayContaining(expected)]);
      for (const { description } of Object.values(responses)) expect(description).not.toBe('');
    }
  });

  test('has an example for its request body, which fits the schema with nothing undescribed', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const closed = mapSchemas(document, schema =>
      'properties' in schema ? { ...schema, additionalProperties: false } : schema,
    );
    ajv.addSchema({ $id: 'doc', ...closed });
    for (const [where, { requestBody }] of operations())
      for (const { schema } of Object.values(requestBody?.content ?? {})) {
        const name = String(schema['$ref']).replace('#/components/schemas/', '');
        const examples = document.components.schemas[name]?.['examples'];
        expect([where, name, Array.isArray(examples) && examples.length > 0]).toEqual([where, name, true]);
        const validate = ajv.getSchema(`doc#/components/schemas/${name}`);
        for (const example of examples as unknown[])
          if (!validate?.(example)) throw new Error(`${where} ${name}: ${ajv.errorsText(validate?.errors)}`);
      }
  });

  test('every example of a schema fits it', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'doc', ...document });
    mapSchemas(document, schema => {
      const { examples, ...rest } = schema;
      if (!Array.isArray(examples)) return schema;
      const validate = ajv.compile(JSON.parse(JSON.stringify(rest).replaceAll('"#/', '"doc#/')));
      for (const example of examples)
        if (!validate(example)) throw new Error(`${JSON.stringify(example)}: ${ajv.errorsText(validate.errors)}`);
      return schema;
    });
  });
});
