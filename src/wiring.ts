/*
 * All services in one process, open and ready: for commands, which need them all. The server loads the services for requests
 * later (cli/server.ts).
 */
import { type ApiServices, wireApi } from './wiring/api.ts';
import { buildCore } from './wiring/core.ts';
import type { Dependencies } from './wiring/infrastructure.ts';

export type { CoreServices } from './wiring/core.ts';
export type { Dependencies } from './wiring/infrastructure.ts';
export type Services = ApiServices;

/** @throws SchemaError, SecretError, the database's error, or an Error when a stored signing key cannot be opened */
export async function createServices(dependencies: Dependencies): Promise<Services> {
  const core = buildCore(dependencies, { onForwardsWithoutApi: () => {} });
  await core.open();
  try {
    const services = wireApi(core);
    await services.start();
    return services;
  } catch (error) {
    await core.close().catch(() => {});
    throw error;
  }
}
