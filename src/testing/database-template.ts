/* A database with the newest schema, copied for each test server: creating the tables takes thirty times as long. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { statementsOf } from '../db/migrate.ts';
import newDatabase from '../db/new-database.sql' with { type: 'text' };
import { openNativeConnection } from '../db/threads/native-connection.ts';
import { openThreadConnection } from '../db/threads/thread-connection.ts';

type Template = { bytes: Buffer; idAt: number; idLength: number };

let template: Template | undefined;

/** Creates the database file of a data directory. Like any other, it has an id of its own. */
export function prepareDatabase(directory: string): void {
  template ??= makeTemplate();
  const { bytes, idAt, idLength } = template;
  crypto.getRandomValues(bytes.subarray(idAt, idAt + idLength));
  writeFileSync(join(directory, 'hooktape.db'), bytes, { mode: 0o600 });
}

function makeTemplate(): Template {
  const directory = mkdtempSync(join(tmpdir(), 'hooktape-template-'));
  const path = join(directory, 'template');
  try {
    const created = openThreadConnection({ path, readOnly: false, schema: statementsOf(newDatabase) });
    created.run({ id: 1, kind: 'truncate-wal' });
    created.run({ id: 2, kind: 'close' });
    const connection = openNativeConnection(path, 0);
    const sql = "SELECT value FROM meta WHERE name = 'database-id'";
    const id = Buffer.from(connection.execute({ sql, args: [] }).rows[0]?.[0] as ArrayBuffer);
    connection.close();
    const bytes = readFileSync(path);
    const idAt = bytes.indexOf(id);
    if (idAt < 0 || bytes.indexOf(id, idAt + 1) >= 0) throw new Error('the id of the database is not in it once');
    return { bytes, idAt, idLength: id.length };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
