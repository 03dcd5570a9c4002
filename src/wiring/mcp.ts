/* What AI agents use: the tools, and the Model Context Protocol server around them. */
import { parseAddress } from '../core/addresses.ts';
import { isAllowed } from '../core/allow-list.ts';
import { createSlots } from '../core/concurrency/slots.ts';
import type { McpHandler } from '../features/mcp/server.ts';
import { createMcpService } from '../features/mcp/service.ts';
import { createDestinationsStore } from '../features/mcp/store.ts';
import type { Endpoints } from './endpoints.ts';
import type { History } from './history.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { IngestWiring } from './ingest.ts';

const waitsPerAccount = 10;
/** No name resolves to it: an entry for an address opens only a URL that spells one. */
const nowhere = { family: 6, value: 0n } as const;

export function createMcpWiring(
  infrastructure: Infrastructure,
  { endpoints }: Endpoints,
  { events, notifications }: IngestWiring,
  { replays }: History,
) {
  const { config, database, version, onRequestError } = infrastructure;
  const destinations = createDestinationsStore(database.scanDb);

  const isOpened = (url: URL): boolean => {
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
    const address = parseAddress(host);
    const entries = config.replayAllow.filter(({ kind }) => kind === 'host' || address !== undefined);
    return isAllowed(entries, { host, address: address ?? nowhere, port });
  };

  const service = createMcpService({
    endpoints,
    events,
    notifications,
    replaying: { replay: replays.replay, isKnownDestination: destinations.isKnown, isAllowed: isOpened },
    waitSlots: createSlots(waitsPerAccount),
    baseUrl: config.baseUrl,
  });
  // The protocol's library takes longer to load than the rest of the start together: it waits for the first agent.
  let server: Promise<McpHandler> | undefined;
  const load = async (): Promise<McpHandler> => {
    const { createMcp } = await import('../features/mcp/server.ts');
    return createMcp({ service, version, onError: onRequestError });
  };
  const mcp: McpHandler = {
    fetch: async (request, body, access) => {
      server ??= load();
      return (await server).fetch(request, body, access);
    },
    close: async () => (await server)?.close(),
  };
  return { mcp };
}
