/*
 * Everything is built here, once, from the configuration. Features never import each other: what one needs of another is
 * handed over in these files, as plain functions.
 */
import { createReadiness } from './http/readiness.ts';
import { createAccess } from './wiring/access.ts';
import { createAgents } from './wiring/agents.ts';
import { createConnectedApps } from './wiring/connected-apps.ts';
import { createEndpoints } from './wiring/endpoints.ts';
import { layGround, type Surroundings } from './wiring/ground.ts';
import { createHistory } from './wiring/history.ts';
import { createPeople } from './wiring/people.ts';
import { createRecording } from './wiring/recording.ts';

export type { Surroundings } from './wiring/ground.ts';
export type Services = Awaited<ReturnType<typeof createServices>>;

/** @throws SchemaError, SecretError, or the database's error when it cannot be opened */
export async function createServices(surroundings: Surroundings) {
  const ground = await layGround(surroundings);
  const { log, database, stopTimers } = ground;
  // The sweeper is woken by what is built before it.
  const wakeSweeper = (): void => recording.retention.wake();

  const endpoints = await createEndpoints(ground, wakeSweeper);
  const people = createPeople(ground, endpoints.endpoints, wakeSweeper);
  const recording = createRecording(ground, endpoints);
  const history = createHistory(ground, endpoints, recording);
  const connected = await createConnectedApps(ground, people);
  const access = createAccess(ground, people, connected);
  const agents = createAgents(ground, endpoints, recording, history);

  return {
    ...ground,
    ...people,
    ...endpoints,
    ...recording,
    ...history,
    ...connected,
    ...access,
    ...agents,
    isReady: createReadiness({
      probe: async () => {
        await database.client.batch(["UPDATE meta SET value = value WHERE name = 'secret-check'"], 'write');
      },
      monotonic: ground.clock.monotonic,
      onFailure: cause => log.error('not ready: the database cannot be written', { cause }),
    }),
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
