/*
 * Proof, kept in the database, that HOOKTAPE_SECRET is the one that its sealed values were sealed under. A wrong secret is
 * refused at the start, not discovered when the first signing secret cannot be opened.
 */
import type { Client } from '@libsql/client';
import type { Sealer } from '../core/seal.ts';

export class SecretError extends Error {}

const name = 'secret-check';
const content = 'hooktape';

/** Writes the proof on first use. @throws SecretError when the secret is another one */
export async function checkSecret(client: Client, sealer: Sealer): Promise<void> {
  const read = async () =>
    (await client.execute({ sql: 'SELECT value FROM meta WHERE name = ?', args: [name] })).rows[0];
  let row = await read();
  if (!row) {
    // Several processes may start at once on one server: the first one's proof stays.
    await client.execute({
      sql: 'INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING',
      args: [name, sealer.seal(content, name)],
    });
    row = await read();
  }
  if (sealer.open(new Uint8Array(row?.[0] as ArrayBuffer), name) !== content)
    throw new SecretError(
      'HOOKTAPE_SECRET is not the one this database was made with: stored signing secrets could not be opened. Set the former value, or put the former `secret` file back into the data directory.',
    );
}
