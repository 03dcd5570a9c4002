/* The process's resources that a command may use, passed in by main.ts, and the errors that determine the exit code. */
import type { Clock } from '../core/clock.ts';
import type { RandomBytes } from '../core/ids.ts';
import type { SpawnThread } from '../db/threads/prespawned-threads.ts';

export type Io = {
  env: Readonly<Record<string, string | undefined>>;
  /** @throws when the text cannot be written, as on a full disk; a closed pipe is not an error */
  stdout: (text: string) => void;
  stderr: (text: string) => void;
  readStdin: () => Promise<string>;
  /** Standard input, chunk by chunk. */
  stdin: () => AsyncIterable<Uint8Array>;
  /** Whether stderr is a terminal: colours, progress bars. */
  isTerminal: boolean;
  clock: Clock;
  random: RandomBytes;
  spawn: SpawnThread;
  pid: number;
  /** Memory and CPU time of this process. */
  usage: () => { residentBytes: number; cpuSeconds: number };
  /** How many file descriptors this process may have open; undefined when unlimited or unknown. */
  openFileLimit: () => number | undefined;
  version: string;
  commit: string;
  /** Sets the data directory for the database threads; call before any database is opened. */
  useDataDirectory: (path: string) => void;
  /** Resolves with the name of the first SIGTERM or SIGINT. */
  untilSignal: () => Promise<string>;
  /** Ends the process at once, without cleaning up. */
  abort: (exitCode: number) => void;
};

export type Command = {
  /** One line for the list of commands. */
  summary: string;
  /** All forms with their arguments, one a line. */
  usage: string;
  /** The command's own options and what they do. */
  details?: readonly (readonly [option: string, about: string])[];
  run: (args: string[], io: Io) => Promise<number>;
};

export const exitCodes = { done: 0, failed: 1, usage: 2, configuration: 78 } as const;

/** Wrong arguments: exit code 2. */
export class UsageError extends Error {}

/** The command failed, and the message says why and what to do: exit code 1. */
export class OperationError extends Error {}

/** Wrong configuration, with all problems: exit code 78. */
export class ConfigurationError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}
