/* Counts what goes through the client of a database. */
import type { Client } from '@libsql/client';
import { drizzle } from 'drizzle-orm/libsql';
import type { Database, Drizzle } from '../db/database.ts';

/** The database, and how many statements went through its client. */
export function countStatements(database: Database): { database: Database; statements: () => number } {
  let count = 0;
  const client = Object.assign(Object.create(database.client) as Client, {
    execute: (...args: Parameters<Client['execute']>) => {
      count++;
      return database.client.execute(...args);
    },
    batch: (...args: Parameters<Client['batch']>) => {
      count += args[0].length;
      return database.client.batch(...args);
    },
  });
  return { database: { ...database, client, db: drizzle(client) as Drizzle }, statements: () => count };
}
