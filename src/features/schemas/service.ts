/* What is known about the event types of an endpoint, as JSON Schema, TypeScript or Zod, and how it changed. */

import type { TeamAccess } from '../../core/access/principal.ts';
import { invalidAt, notFound } from '../../core/errors.ts';
import type { SchemaChange, SchemaForm, TypeSchema } from './model.ts';
import { decodeSchema } from './shapes/codec.ts';
import { toJsonSchema } from './shapes/print-json-schema.ts';
import { toTypeScript } from './shapes/print-typescript.ts';
import { toZod } from './shapes/print-zod.ts';
import type { SchemaRow, SchemasStore } from './store.ts';

/** Changes kept and shown for an endpoint. */
export const maxChangesPerEndpoint = 500;

/** The text for events without a type or without a platform. */
const none = '-';
const nullIfEmpty = (text: string): string | null => (text === '' ? null : text);

export type SchemasService = ReturnType<typeof createSchemasService>;

export function createSchemasService(options: {
  store: SchemasStore;
  /** @throws not_found */
  endpoint: (principal: TeamAccess, id: string) => Promise<{ seq: number }>;
  /** Waits a moment until the events that have just arrived are read. */
  catchUp: () => Promise<void>;
}) {
  const { store, endpoint, catchUp } = options;

  const toSchema = ({ platform, type, count, firstAt, lastAt, changedAt }: SchemaRow): TypeSchema => ({
    platform: nullIfEmpty(platform),
    type: nullIfEmpty(type),
    count,
    firstAt,
    lastAt,
    changedAt,
  });

  return {
    /** @throws not_found */
    async list(principal: TeamAccess, endpointId: string): Promise<TypeSchema[]> {
      const { seq } = await endpoint(principal, endpointId);
      await catchUp();
      return (await store.list(seq)).map(toSchema);
    },

    /** Newest first. @throws not_found */
    async changes(principal: TeamAccess, endpointId: string): Promise<SchemaChange[]> {
      const { seq } = await endpoint(principal, endpointId);
      await catchUp();
      return (await store.changes(seq, maxChangesPerEndpoint)).map(row => ({
        platform: nullIfEmpty(row.platform),
        type: nullIfEmpty(row.type),
        kind: row.kind,
        path: Buffer.from(row.path).toString(),
        at: row.at,
        eventId: row.eventId,
      }));
    },

    /**
     * The schema of a type, as text.
     * @param type `-`: of events without a type
     * @param platform `-`: of events without a platform; undefined: of the platform with the most events
     * @throws not_found
     */
    async schema(
      principal: TeamAccess,
      endpointId: string,
      {
        type,
        platform,
        as = 'jsonschema',
      }: { type: string; platform?: string | undefined; as?: SchemaForm | undefined },
    ): Promise<{ schema: TypeSchema; text: string; mediaType: string }> {
      const { seq } = await endpoint(principal, endpointId);
      if (platform === '')
        throw invalidAt(['platform'], `write ${none} for none`, `invalid query: platform: write ${none} for none`);
      await catchUp();
      const row = await store.find(seq, type === none ? '' : type, platform === none ? '' : platform);
      const learned = row && decodeSchema(row.shape);
      if (!learned) throw notFound('schema');
      const schema = toSchema(row);
      if (as === 'jsonschema') {
        const text = `${JSON.stringify(toJsonSchema(learned, schema.type), null, 2)}\n`;
        return { schema, text, mediaType: 'application/json' };
      }
      const print = as === 'typescript' ? toTypeScript : toZod;
      return { schema, text: print(learned, schema), mediaType: 'text/plain' };
    },
  };
}
