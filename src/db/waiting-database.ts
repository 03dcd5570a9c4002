/*
 * A database whose reads wait until what was acknowledged before them is stored: deliveries are acknowledged from the capture journal
 * and become rows a little later. Writes wait as well, because they may depend on those rows.
 */
import type { Client } from '@libsql/client';
import { drizzle } from 'drizzle-orm/libsql';
import type { Database, Drizzle } from './database.ts';

/** Undefined when there is nothing to wait for. */
type Wait = () => Promise<void> | undefined;

export function waitBeforeUse(database: Database, wait: Wait): Database {
  const client = waitingClient(database.client, wait);
  const scanClient = waitingClient(database.scanClient, wait);
  const { maintenance } = database;
  return {
    ...database,
    client,
    db: drizzle(client) as Drizzle,
    scanClient,
    scanDb: drizzle(scanClient) as Drizzle,
    timedBatch: async statements => {
      await wait();
      return database.timedBatch(statements);
    },
    withReader: async use => {
      await wait();
      return database.withReader(use);
    },
    maintenance: maintenance && {
      ...maintenance,
      copyInto: async path => {
        await wait();
        await maintenance.copyInto(path);
      },
    },
  };
}

/** Replaces the methods that features and Drizzle call. */
const waitingClient = (client: Client, wait: Wait): Client =>
  Object.assign(Object.create(client) as Client, {
    execute: async (...args: Parameters<Client['execute']>) => {
      await wait();
      return client.execute(...args);
    },
    batch: async (...args: Parameters<Client['batch']>) => {
      await wait();
      return client.batch(...args);
    },
  });
