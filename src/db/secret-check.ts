/*
 * Proof, kept in the database, that HOOKTAPE_SECRET is the one that its sealed values were sealed under. A wrong secret is
 * refused at the start, not discovered when the first signing secret cannot be opened.
 */
import type { Client, ResultSet } from '@libsql/client';
import type { Sealer } from '../core/seal.ts';
import { secretMustBe } from '../core/secret-length.ts';

export class SecretError extends Error {}

/** The secret is too short for a database that holds nothing yet that was sealed with it. */
export class ShortSecretError extends Error {}

const name = 'secret-check';
const content = 'hooktape';

/** Whether the proof of a database was made with this secret. */
export const provesSecret = (proof: Uint8Array, sealer: Sealer): boolean => sealer.open(proof, name) === content;

/** The proof as it is stored; undefined in a database that was never opened by a server. */
export const readSecretProof = async (client: Client): Promise<Uint8Array | undefined> =>
  proofIn(await client.execute(select));

const select = { sql: 'SELECT value FROM meta WHERE name = ?', args: [name] };

function proofIn(result: ResultSet | undefined): Uint8Array | undefined {
  const [row] = result?.rows ?? [];
  return row && new Uint8Array(row[0] as ArrayBuffer);
}

/**
 * Writes the proof on first use.
 * @throws SecretError when the secret is another one, ShortSecretError when it is short and this is its first use
 */
export async function checkSecret(client: Client, sealer: Sealer, isShort = false): Promise<void> {
  let proof = await readSecretProof(client);
  if (!proof) {
    if (isShort) throw new ShortSecretError(`the secret ${secretMustBe}`);
    // Several processes may start at once on one server: the first one's proof stays.
    const insert = {
      sql: 'INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING',
      args: [name, sealer.seal(content, name)],
    };
    proof = proofIn((await client.batch([insert, select], 'write'))[1]);
  }
  if (!proof || !provesSecret(proof, sealer))
    throw new SecretError(
      'HOOKTAPE_SECRET is not the one this database was made with: stored signing secrets could not be opened. Set the former value, or put the former `secret` file back into the data directory.',
    );
}
