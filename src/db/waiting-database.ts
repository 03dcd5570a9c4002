/* A database whose reads and writes wait until all deliveries that the journal acknowledged before them are rows. */
import type { Client } from '@libsql/client';
import { drizzle } from 'drizzle-orm/libsql';
import type { Database, Drizzle } from './database.ts';

/** Undefined if there is nothing to wait for. */
type Wait = () => Promise<unknown> | undefined;

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
