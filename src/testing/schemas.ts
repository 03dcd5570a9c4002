/* Learns schemas from JSON texts, for tests of their contents. */
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js';
import { encodeSchema } from '../features/schemas/shapes/codec.ts';
import { observe } from '../features/schemas/shapes/observe.ts';
import { type JsonSchema, toJsonSchema } from '../features/schemas/shapes/print-json-schema.ts';
import { newSchema, type Schema } from '../features/schemas/shapes/shape.ts';
import type { NewEvent } from '../ingest/row-encoder.ts';

/** Reads the texts into a schema. @returns the detected changes, each with the position of its text */
export function learnInto(schema: Schema, texts: readonly string[]): { at: number; kind: string; path: string }[] {
  return texts.flatMap((text, at) => {
    const work = observe(schema, text);
    for (;;) {
      const { done, value } = work.next();
      if (done) return value.changes.map(change => ({ at, ...change }));
    }
  });
}

export function learn(texts: readonly string[]): Schema {
  const schema = newSchema();
  learnInto(schema, texts);
  return schema;
}

export const jsonSchemaOf = (texts: readonly string[], type: string | null = null): JsonSchema => {
  const { $schema: _, ...schema } = toJsonSchema(learn(texts), type);
  return schema;
};

/** The stored form of a schema, as text. */
export const storedText = (schema: Schema): string =>
  Bun.zstdDecompressSync(encodeSchema(schema) as Uint8Array<ArrayBuffer>).toString();

/** An independent validator. Formats are hints, and some of ours are narrower than the formats of JSON Schema. */
export const compileSchema = (schema: JsonSchema): ValidateFunction =>
  new Ajv2020({ strict: true, validateFormats: false }).compile(schema);

/** A row for the database in the form of an import. */
export const storedEvent = (
  endpoint: number,
  {
    body,
    platform = null,
    type = null,
    receivedAt = Date.now(),
  }: { body: string | Uint8Array; platform?: string | null; type?: string | null; receivedAt?: number },
): NewEvent => ({
  nonce: crypto.getRandomValues(new Uint8Array(12)),
  endpoint,
  receivedAt,
  method: 'POST',
  platform,
  eventType: type,
  verdict: null,
  sourceIp: '127.0.0.1',
  path: '',
  query: null,
  delivery: 1,
  headersJson: '[]',
  body: typeof body === 'string' ? Buffer.from(body) : body,
});
