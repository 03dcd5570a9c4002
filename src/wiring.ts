/*
 * Everything is built here, once, from the configuration. Features never import each other: what one needs of another is
 * handed over in these files, as plain functions.
 */
import { createAccess } from './wiring/access.ts';
import { createAgents } from './wiring/agents.ts';
import { createConnectedApps } from './wiring/connected-apps.ts';
import { createEndpoints } from './wiring/endpoints.ts';
import { type Ground, layGround, type Surroundings } from './wiring/ground.ts';
import { createHistory } from './wiring/history.ts';
import { createPeople } from './wiring/people.ts';
import { createRecording } from './wiring/recording.ts';
import { createWatch } from './wiring/watch.ts';

export type { Surroundings } from './wiring/ground.ts';
export type Services = ReturnType<typeof build>;

/**
 * @param meanwhile is done with them while what they keep in memory is still being read
 * @throws SchemaError, SecretError, or the database's error when it cannot be opened
 */
export async function createServices(
  surroundings: Surroundings,
  meanwhile: (services: Services) => Promise<void> = async () => {},
): Promise<Services> {
  const ground = await layGround(surroundings);
  const services = build(ground);
  try {
    await Promise.all([services.readEndpoints(), services.oauth.readKeys(), meanwhile(services)]);
  } catch (error) {
    await services.close();
    throw error;
  }
  return services;
}

function build(ground: Ground) {
  const { log, database, stopTimers } = ground;
  // The sweeper is woken by what is built before it.
  const wakeSweeper = (): void => recording.retention.wake();

  const endpoints = createEndpoints(ground, wakeSweeper);
  const people = createPeople(ground, endpoints.endpoints, wakeSweeper);
  const watch = createWatch(ground, () => recording);
  const recording = createRecording(ground, endpoints, watch);
  const history = createHistory(ground, endpoints, recording, watch);
  const connected = createConnectedApps(ground, people);
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
    ...watch,
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
