/*
 * Opens a data directory after a simulated power cut, like a command of the program, and compares the stored events with the
 * acknowledged deliveries.
 */
import { createHash } from 'node:crypto';
import { createApp } from '../../../src/app.ts';
import { withServices } from '../../../src/cli/control.ts';
import type { Io } from '../../../src/cli/io.ts';
import type { CheckResult } from '../../../src/cli/maintenance.ts';
import { runOperation } from '../../../src/cli/operations.ts';
import { loadConfig } from '../../../src/cli/settings.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { spawnThread } from '../../../src/testing/pooled-threads.ts';
import { randomBytes } from '../../../src/testing/test-server.ts';
import type { HeaderPair } from './deliveries.ts';

/** The settings of the recorded server. */
export const settings = { HOOKTAPE_RATE_LIMIT: '1000000', HOOKTAPE_PRO_RETENTION: '0' };

export type Content = { headers: HeaderPair[]; sha256: string };

/** The data that must be stored. */
export type Expectation = {
  /** Undefined if the cut came before the key was created. */
  apiKey: string | undefined;
  endpointIds: readonly string[];
  /** Event ids in responses sent before the cut. */
  acknowledged: ReadonlySet<string>;
  /** Handshakes answered before the cut; their responses have no event id. */
  answeredHandshakes: ReadonlySet<number>;
  /** The number of the delivery that was answered with this event id. */
  numberOf: (id: string) => number | undefined;
  sent: number;
  contentOf: (number: number) => Content;
};

type Exported = { id: string; path: string; rawHeaders: HeaderPair[]; payloadRaw: string; payloadEncoding: string };

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** @returns the number of stored events, and the problems */
export async function recover(
  dataDir: string,
  expected: Expectation,
): Promise<{ stored: number; unacknowledged: number; problems: string[] }> {
  const { io, output } = commandIo({ ...settings, HOOKTAPE_DATA_DIR: dataDir, HOOKTAPE_LOG_FORMAT: 'json' });
  // The cut may have come before there was a database.
  const session = { holder: 'power-cut check', mayCreate: true };
  try {
    return await withServices(io, loadConfig(io, undefined).config, session, async services => {
      const { fetch } = createApp(services);
      const events: Exported[] = [];
      for (const id of expected.endpointIds) {
        const response = await fetch(
          new Request(`http://internal/api/endpoints/${id}/export`, {
            headers: { authorization: `Bearer ${expected.apiKey}` },
          }),
        );
        // The cut may have come before the account or the endpoint was acknowledged.
        if (response.status === 401 || response.status === 404) continue;
        const file = (await response.json()) as { events: Exported[]; damaged?: unknown };
        if (file.damaged) throw new Error(`damaged events: ${JSON.stringify(file.damaged)}`);
        events.push(...file.events);
      }
      const outcome = await runOperation(services, 'check', {});
      const problems = compare(events, expected);
      const checked = 'result' in outcome ? (outcome.result as CheckResult).problems : [outcome];
      if (checked.length > 0) problems.push(`check: ${JSON.stringify(checked)}`);
      if (output().includes('"level":"error"')) problems.push(`the log has errors: ${output()}`);
      const unacknowledged = events.filter(
        ({ id, path }) => !expected.acknowledged.has(id) && !expected.answeredHandshakes.has(numberIn(path)),
      ).length;
      return { stored: events.length, unacknowledged, problems };
    });
  } catch (error) {
    return { stored: 0, unacknowledged: 0, problems: [`it does not start: ${(error as Error).stack}\n${output()}`] };
  }
}

/** The delivery's number; -1 for a path that the check did not send. */
const numberIn = (path: string): number => Number(/^\/(\d+)$/.exec(path)?.[1] ?? -1);

function compare(events: readonly Exported[], expected: Expectation): string[] {
  const problems: string[] = [];
  const idByNumber = new Map<number, string>();
  for (const { id, path, rawHeaders, payloadRaw, payloadEncoding } of events) {
    const number = numberIn(path);
    if (number < 0 || number >= expected.sent) {
      problems.push(`${id} was never sent: ${path}`);
      continue;
    }
    if (idByNumber.has(number)) problems.push(`delivery ${number} is stored twice`);
    idByNumber.set(number, id);
    const answered = expected.numberOf(id);
    if (answered !== undefined && answered !== number)
      problems.push(`${id} was the answer to ${answered}, not ${number}`);
    const { headers, sha256: digest } = expected.contentOf(number);
    const body = Buffer.from(payloadRaw, payloadEncoding === 'base64' ? 'base64' : 'utf8');
    if (sha256(body) !== digest) problems.push(`the body of delivery ${number} differs`);
    if (JSON.stringify(rawHeaders) !== JSON.stringify(headers))
      problems.push(`the header of delivery ${number} differs: ${JSON.stringify(rawHeaders)}`);
  }
  const ids = new Set(events.map(({ id }) => id));
  if (ids.size < events.length) problems.push('an id is stored twice');
  for (const id of expected.acknowledged)
    if (!ids.has(id)) problems.push(`${id} (delivery ${expected.numberOf(id) ?? '?'}) is lost`);
  for (const number of expected.answeredHandshakes)
    if (!idByNumber.has(number)) problems.push(`handshake ${number} is lost`);
  return problems;
}

/** The environment of a command, with its captured output. */
function commandIo(env: Record<string, string>): { io: Io; output: () => string } {
  let text = '';
  const print = (more: string): true => {
    text += more;
    return true;
  };
  return {
    output: () => text,
    io: {
      env,
      stdout: print,
      stderr: print,
      stdoutBytes: () => {},
      readStdin: async () => '',
      async *stdin() {},
      isTerminal: false,
      outputTerminal: undefined,
      fullScreen: undefined,
      isForeground: () => true,
      ask: undefined,
      sleep: ms => Bun.sleep(ms),
      clock: systemClock,
      random: randomBytes,
      spawn: spawnThread,
      pid: process.pid,
      usage: () => ({ residentBytes: 0, cpuSeconds: 0 }),
      openFileLimit: () => undefined,
      version: 'power-cut check',
      commit: 'none',
      isExecutable: false,
      useDataDirectory: () => {},
      untilSignal: () => new Promise(() => {}),
      ignoreInterrupts: () => {},
      abort: exitCode => print(`aborted with ${exitCode}\n`),
    },
  };
}
