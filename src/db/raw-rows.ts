/* Reads rows with raw SQL. A column is a field of the same name in camel case, `received_at` is `receivedAt`; blobs are bytes. */
import type { Client, InValue, ResultSet } from '@libsql/client';

/** @param T what the statement selects */
export function toObjects<T>({ columns, rows }: Pick<ResultSet, 'columns' | 'rows'>): T[] {
  const fields = columns.map(name => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()));
  return rows.map(row => {
    const object: Record<string, unknown> = {};
    for (const [i, field] of fields.entries()) {
      const value = row[i];
      object[field] = value instanceof ArrayBuffer ? new Uint8Array(value) : value;
    }
    return object as T;
  });
}

export function createRawReader(client: Pick<Client, 'execute'>) {
  return {
    objects: async <T>(sql: string, args: InValue[] = []): Promise<T[]> =>
      toObjects<T>(await client.execute({ sql, args })),

    /** The first column, in which NULL is 0. */
    numbers: async (sql: string, args: InValue[] = []): Promise<number[]> =>
      (await client.execute({ sql, args })).rows.map(row => Number(row[0])),
  };
}
