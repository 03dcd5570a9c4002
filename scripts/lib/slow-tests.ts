/*
 * What `bun run test:fast` leaves out. A file belongs here when it takes more than a second or so by itself: because it starts
 * the whole program, waits for a real deadline, or works through a large history.
 */
import { Glob } from 'bun';

export const slowTests: readonly string[] = [
  // Browser, fault injection, libSQL server.
  'src/testing/**',
  // The program as a process of its own.
  'src/main.test.ts',
  'src/shared-database.test.ts',
  'src/cli/account.test.ts',
  'src/cli/backup.test.ts',
  'src/cli/check.test.ts',
  'src/cli/commands.test.ts',
  'src/cli/import.test.ts',
  'src/cli/secret-length.test.ts',
  'src/cli/serve.test.ts',
  'src/cli/maintenance.test.ts',
  'src/features/retention/crash.test.ts',
  // Large histories.
  'src/db/maintenance.test.ts',
  'src/ingest/storage.test.ts',
  'src/features/events/large-events.test.ts',
  'src/features/exports/streaming.test.ts',
  'src/features/retention/retention.test.ts',
  'src/features/search/search.test.ts',
  'src/features/search/index-maintenance.test.ts',
  // Real deadlines and whole protocols.
  'src/features/accounts/reset.test.ts',
  'src/features/notifications/stream.test.ts',
  'src/features/notifications/stalled-client.test.ts',
  'src/features/mcp/conformance.test.ts',
  'src/features/mcp/disconnected-client.test.ts',
  'src/features/mcp/mcp.test.ts',
  'src/features/oauth/discovery.test.ts',
  'src/features/oauth/external-issuers.test.ts',
  'src/features/oauth/authorization-requests.test.ts',
  'src/features/oauth/client-registration.test.ts',
  'src/features/replays/misbehaving.test.ts',
  'src/features/sessions/sessions.test.ts',
  'src/features/setup/setup.test.ts',
  'src/features/teams/teams.test.ts',
  'src/http/connection/http-server.test.ts',
  'src/http/connection/connection-limit.socket.test.ts',
  'src/http/invalid-credentials.test.ts',
  'src/http/connection/slow-bodies.test.ts',
  'src/ui/live/stream.test.ts',
  'src/wiring/observability.test.ts',
];

/** Entries that match no test file any more: it was renamed or removed, and would run, or be missed, unnoticed. */
export const staleEntries = (root: string): string[] =>
  slowTests.filter(pattern => ![...new Glob(pattern).scanSync({ cwd: root })].some(file => /\.test\.tsx?$/.test(file)));
