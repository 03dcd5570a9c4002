/* A value sealed with HOOKTAPE_SECRET in the database, so that a wrong secret is refused at start-up. */
import type { Client, ResultSet } from '@libsql/client';
import { ExpectedError } from '../core/errors.ts';
import type { Sealer } from '../core/secrets/seal.ts';
import { secretMustBe } from '../core/secrets/secret-length.ts';

export class SecretError extends ExpectedError {}

/** The secret is too short for a new database. A database that already uses it may keep it. */
export class ShortSecretError extends Error {}

const name = 'secret-check';
const content = 'hooktape';

export const provesSecret = (proof: Uint8Array, sealer: Sealer): boolean => sealer.open(proof, name) === content;

/** The stored proof; undefined if no server has opened the database yet. */
export const readSecretProof = async (client: Client): Promise<Uint8Array | undefined> =>
  firstValue(await client.execute(selectProof));

// Raw, because Drizzle would replace the database's error message, which `restore` prints.
const selectProof = { sql: 'SELECT value FROM meta WHERE name = ?', args: [name] };

function firstValue(result: ResultSet | undefined): Uint8Array | undefined {
  const [row] = result?.rows ?? [];
  return row && new Uint8Array(row[0] as ArrayBuffer);
}

/** Writes the proof on first use, and checks it afterwards. @throws SecretError; on first use ShortSecretError */
export async function checkSecret(client: Client, sealer: Sealer, isShort = false): Promise<void> {
  let proof = await readSecretProof(client);
  if (!proof) {
    if (isShort) throw new ShortSecretError(`the secret ${secretMustBe}`);
    // Several processes may start at once on one server: the first one's proof is kept.
    const insert = {
      sql: 'INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING',
      args: [name, sealer.seal(content, name)],
    };
    proof = firstValue((await client.batch([insert, selectProof], 'write'))[1]);
  }
  if (!proof || !provesSecret(proof, sealer))
    throw new SecretError(
      'HOOKTAPE_SECRET is not the secret of this database: saved signing secrets could not be decrypted. Set the previous value, or put the previous `secret` file back into the data directory.',
    );
}
