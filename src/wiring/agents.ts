/* Builds what AI agents use: the tools and the Model Context Protocol server around them. */
import { createSlots } from '../core/slots.ts';
import { createArrivals } from '../features/mcp/arrivals.ts';
import { createMcp } from '../features/mcp/server.ts';
import { createMcpService } from '../features/mcp/service.ts';

const waitsPerAccount = 10;

type Given = Omit<Parameters<typeof createMcpService>[0], 'arrivals' | 'slots'> & {
  version: string;
  onError: (error: unknown) => void;
};

export function createAgents({ version, onError, ...given }: Given) {
  const arrivals = createArrivals();
  const service = createMcpService({ ...given, arrivals, slots: createSlots(waitsPerAccount) });
  return { arrivals, mcp: createMcp({ service, version, onError }) };
}
