/*
 * Everything is built here, once, from the configuration. Features never import each other: what one needs of another is
 * handed over in these files, as plain functions.
 */
import { createAccess } from './wiring/access.ts';
import { createAccounts } from './wiring/accounts.ts';
import { createEndpoints } from './wiring/endpoints.ts';
import { createHistory } from './wiring/history.ts';
import { createInfrastructure, type Dependencies, type Infrastructure } from './wiring/infrastructure.ts';
import { createIngestWiring } from './wiring/ingest.ts';
import { createMcpWiring } from './wiring/mcp.ts';
import { createConnectedApps } from './wiring/oauth.ts';
import { createObservability } from './wiring/observability.ts';

export type { Dependencies } from './wiring/infrastructure.ts';
export type Services = ReturnType<typeof build>;

/** Open and ready. @throws SchemaError, SecretError, or the database's error when it cannot be opened */
export async function createServices(surroundings: Dependencies): Promise<Services> {
  const services = await buildServices(surroundings);
  try {
    await services.read();
    return services;
  } catch (error) {
    // Whatever this fails with says less.
    await services.close().catch(() => {});
    throw error;
  }
}

/** To be read before anything is asked of them. @throws as `createServices` */
export const buildServices = async (surroundings: Dependencies): Promise<Services> =>
  build(await createInfrastructure(surroundings));

function build(infrastructure: Infrastructure) {
  const { log, database, stopTimers } = infrastructure;
  // The sweeper is woken by what is built before it.
  const wakeSweeper = (): void => recording.retention.wake();
  const recheckAccess = (): void => recording.notifications.recheckAll();

  const endpoints = createEndpoints(infrastructure, () => {
    wakeSweeper();
    recheckAccess();
  });
  const people = createAccounts(infrastructure, endpoints.endpoints, {
    onPlanChanged: wakeSweeper,
    onAccessEnded: recheckAccess,
    revokeGrants: accountId => connected.oauth.revokeAllGrants(accountId),
  });
  const watch = createObservability(infrastructure, () => recording);
  const recording = createIngestWiring(infrastructure, endpoints, watch);
  const history = createHistory(infrastructure, endpoints, recording, watch);
  const connected = createConnectedApps(infrastructure, people, recheckAccess);
  const access = createAccess(infrastructure, people, connected);
  const agents = createMcpWiring(infrastructure, endpoints, recording, history);

  return {
    ...infrastructure,
    ...people,
    ...endpoints,
    ...recording,
    ...history,
    ...connected,
    ...access,
    ...agents,
    ...watch,
    /** Into memory, what has to be there. @throws when a stored signing key cannot be opened */
    async read(): Promise<void> {
      await Promise.all([
        endpoints.readEndpoints(),
        connected.oauth.loadSigningKeys(),
        people.readCredentials(),
        connected.readGrants(),
        recording.sweepClock.read(),
      ]);
    },
    /** After the last request: what is only in memory goes to disk, then the database closes. */
    async close(): Promise<void> {
      stopTimers();
      await history.replays.stop();
      await recording.background.stop();
      await recording.capture.drain();
      await people.keys.flushUses().catch(cause => log.warn('writing the last uses of keys failed', { cause }));
      await connected.flushApps();
      await database.close();
    },
  };
}
