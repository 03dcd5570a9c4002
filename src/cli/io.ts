/* What a command may touch of the world outside, handed down from main.ts. */
import type { Clock } from '../core/clock.ts';
import type { RandomBytes } from '../core/ids.ts';
import type { SpawnThread } from '../db/threads/prespawned-threads.ts';

export type Io = {
  env: Readonly<Record<string, string | undefined>>;
  /** @throws when a result cannot be written, as on a full disk; not because nobody reads it */
  stdout: (text: string) => void;
  stderr: (text: string) => void;
  readStdin: () => Promise<string>;
  /** Standard input as it comes. */
  stdin: () => AsyncIterable<Uint8Array>;
  /** Whether stderr is a terminal: colours, progress bars. */
  isTerminal: boolean;
  clock: Clock;
  random: RandomBytes;
  spawn: SpawnThread;
  pid: number;
  /** What this process takes of its machine. */
  usage: () => { residentBytes: number; cpuSeconds: number };
  /** How many file descriptors this process may have open; undefined when that is not limited, or not known. */
  openFileLimit: () => number | undefined;
  version: string;
  commit: string;
  /** Tells the database threads where the data directory is; before any database is opened. */
  useDataDirectory: (path: string) => void;
  /** Resolves with the name of the first SIGTERM or SIGINT. */
  untilSignal: () => Promise<string>;
  /** Ends the process at once; for when nothing can be saved any more. */
  abort: (exitCode: number) => void;
};

export type Command = {
  /** One line for the list of commands. */
  summary: string;
  /** All forms with their arguments, a line each. */
  usage: string;
  /** Its own options with what they do. */
  details?: readonly (readonly [option: string, about: string])[];
  run: (args: string[], io: Io) => Promise<number>;
};

export const exitCodes = { done: 0, failed: 1, usage: 2, configuration: 78 } as const;

/** Wrong words on the command line: exit code 2. */
export class UsageError extends Error {}

/** What was asked for cannot be done, and the message says why and what to do: exit code 1. */
export class OperationError extends Error {}

/** A wrong configuration, all problems at once: exit code 78. */
export class ConfigurationError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}
