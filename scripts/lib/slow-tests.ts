/*
 * The tests that `bun run test:fast` skips. A file belongs here when it alone takes about two seconds or more: because it
 * starts the program as a process, waits for a real timeout, needs a large history, or tries every operation.
 */
import { Glob } from 'bun';

export const slowTests: readonly string[] = [
  // Browser, fault injection, libSQL server.
  'src/testing/**',
  // Start the program as a process.
  'clients/python/tests/python.test.ts',
  'src/main.test.ts',
  'src/shared-database.test.ts',
  'src/features/forwards/**',
  'src/cli/account.test.ts',
  'src/cli/apply.test.ts',
  'src/cli/backup.test.ts',
  'src/cli/check.test.ts',
  'src/cli/client/login.test.ts',
  'src/cli/client/look.test.ts',
  'src/cli/commands.test.ts',
  'src/cli/expect/expect.test.ts',
  'src/cli/expect/explain.test.ts',
  'src/cli/expect/files.test.ts',
  'src/cli/expect/parallel.test.ts',
  'src/cli/import.test.ts',
  'src/cli/listen/tui/listen-terminal.test.ts',
  'src/cli/listen/handlers.test.ts',
  'src/cli/listen/idle.test.ts',
  'src/cli/secret-length.test.ts',
  'src/cli/serve.test.ts',
  'src/cli/maintenance.test.ts',
  'src/features/declared/crash.test.ts',
  'src/cli/listen/kills.test.ts',
  'src/features/answers/answers.test.ts',
  'src/features/replay-jobs/kills.test.ts',
  'src/features/alerts/alerts.test.ts',
  'src/features/alerts/evaluation.test.ts',
  'src/features/alerts/operations.test.ts',
  'src/features/retention/crash.test.ts',
  // Large histories.
  'src/db/maintenance.test.ts',
  'src/ingest/storage.test.ts',
  'src/features/events/large-events.test.ts',
  'src/features/exports/streaming.test.ts',
  'src/features/retention/retention.test.ts',
  'src/features/schemas/crash.test.ts',
  'src/features/schemas/learning.test.ts',
  'src/features/schemas/schemas.test.ts',
  'src/features/search/search.test.ts',
  'src/features/search/index-maintenance.test.ts',
  'src/features/search/exactness.test.ts',
  // Every operation, payload or field.
  'src/core/schema/observe.test.ts',
  'src/core/schema/octokit.test.ts',
  'src/http/conformance.test.ts',
  'src/http/hostile-input.test.ts',
  'src/platforms/properties.test.ts',
  'src/core/filter/agreement.test.ts',
  'src/shared/filter/fuzz.test.ts',
  // Real timeouts and complete protocols.
  'src/features/feed/complete.test.ts',
  'src/features/feed/feed.test.ts',
  'src/features/feed/poller.test.ts',
  'src/cli/listen/failures.test.ts',
  'src/cli/listen/listen.test.ts',
  'src/cli/listen/program-target.test.ts',
  'src/cli/listen/server-trouble.test.ts',
  'src/cli/listen/session.test.ts',
  'src/cli/listen/signatures.test.ts',
  'src/cli/listen/start.test.ts',
  'src/features/accounts/reset.test.ts',
  'src/features/notifications/access.test.ts',
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
  'src/ingest/unfinished.test.ts',
  'src/ui/live/stream.test.ts',
  'src/wiring/observability.test.ts',
];

/**
 * Browser tests that visit every page or every variant of one, and tests that kill or start processes for many seconds. `.ci/run` runs
 * them (HOOKTAPE_REQUIRE_BROWSER=1), and so does naming them; without that, `bun run test` leaves them out, so that `bun run check`
 * takes a few minutes.
 */
export const longTests: readonly string[] = [
  'src/cli/expect/parallel.test.ts',
  'src/cli/listen/kills.test.ts',
  'src/features/replay-jobs/kills.test.ts',
  'src/testing/faults/answers.test.ts',
  ...[
    'accessibility',
    'answer-bodies',
    'answers',
    'docs',
    'filter-tools',
    'guard',
    'jobs',
    'keyboard',
    'navigation',
    'reading',
    'replay',
    'rows',
    'schemas',
    'settings',
    'tasks',
    'test-events',
    'volume',
  ].map(name => `src/testing/browser/${name}.test.ts`),
];

/** Entries that match no test file, because it was renamed or removed. */
export const staleEntries = (root: string): string[] =>
  [...slowTests, ...longTests].filter(
    pattern => ![...new Glob(pattern).scanSync({ cwd: root })].some(file => /\.test\.tsx?$/.test(file)),
  );
