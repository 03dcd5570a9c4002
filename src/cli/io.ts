/* The process's resources that a command may use, passed in by main.ts, and the errors that determine the exit code. */
import type { Clock } from '../core/clock.ts';
import { ExpectedError } from '../core/errors.ts';
import type { RandomBytes } from '../core/ids/ids.ts';
import type { SpawnThread } from '../db/threads/prespawned-threads.ts';
import type { FullScreen } from './listen/tui/terminal.ts';

export type Io = {
  env: Readonly<Record<string, string | undefined>>;
  /**
   * @returns false if the reader has closed the pipe: commands that print once can ignore it, commands that keep printing must
   * end @throws if the text cannot be written, for example on a full disk
   */
  stdout: (text: string) => boolean;
  stderr: (text: string) => void;
  /** Like `stdout`, for bytes. */
  stdoutBytes: (bytes: Uint8Array) => void;
  readStdin: () => Promise<string>;
  /** Standard input, chunk by chunk. */
  stdin: () => AsyncIterable<Uint8Array>;
  /** Whether stderr is a terminal: colours, progress bars. */
  isTerminal: boolean;
  /** The width of the terminal, if stdout is a terminal. */
  outputTerminal: { columns: number } | undefined;
  /** Asks the user at the terminal for one line; undefined if standard input is not a terminal. @param isSecret without echo */
  ask: ((question: string, isSecret: boolean) => Promise<string>) | undefined;
  /** Uses the whole terminal as a screen; undefined if input or output is not a terminal that supports it. */
  fullScreen: (() => Promise<FullScreen>) | undefined;
  /** Whether this process may use its terminal, which can change at any time; true without a terminal. */
  isForeground: () => boolean;
  sleep: (ms: number) => Promise<void>;
  clock: Clock;
  random: RandomBytes;
  spawn: SpawnThread;
  pid: number;
  /** Memory and CPU time of this process. */
  usage: () => { residentBytes: number; cpuSeconds: number };
  /** How many file descriptors this process may have open; undefined if unlimited or unknown. */
  openFileLimit: () => number | undefined;
  version: string;
  commit: string;
  /** Whether this is an executable with its own copy of Bun, and not run from source by a separate Bun. */
  isExecutable: boolean;
  /** Sets the data directory for the database threads; call before any database is opened. */
  useDataDirectory: (path: string) => void;
  /** Resolves with the name of the first SIGTERM or SIGINT. */
  untilSignal: () => Promise<string>;
  /** Ignores Ctrl+C while another program has the terminal: the system sends the signal to both. */
  ignoreInterrupts: (isIgnored: boolean) => void;
  /** Ends the process immediately, without cleaning up. */
  abort: (exitCode: number) => void;
};

/** The arguments of a command, parsed according to its usage lines. */
export type Arguments = {
  /** The subcommand. */
  verb: string | undefined;
  positionals: string[];
  /** An argument that the usage line requires. */
  argument: (index: number) => string;
  flag: (name: string) => boolean;
  option: (name: string) => string | undefined;
  /** All values of a repeatable option, in their order. */
  options: (name: string) => string[];
  envFile: string | undefined;
  json: boolean;
};

/** @returns the exit code; nothing means that all is done */
// biome-ignore lint/suspicious/noConfusingVoidType: most commands end without returning anything
export type Run = (given: Arguments, io: Io) => Promise<number | void>;

export type Command = {
  /** One line for the list of commands. */
  summary: string;
  /** All forms with their arguments, one a line. Argument parsing, completion and manual use it: see usage-grammar.ts. */
  usage: string;
  /** The command's own options and what they do. */
  details?: readonly (readonly [option: string, about: string])[];
  /** Further paragraphs for the manual, as plain Markdown, one element each. */
  manual?: readonly string[];
  /** Loads only the code that the command needs, so that it starts quickly. */
  load: () => Promise<Run>;
};

/** The hidden command that the scripts of `hooktape completion` call for the words that fit. */
export const completeCommand = '__complete';

export const exitCodes = { done: 0, failed: 1, usage: 2, unreachable: 4, backlog: 5, configuration: 78 } as const;

/** Wrong arguments: exit code 2. */
export class UsageError extends ExpectedError {}

/** An option that the command does not have, which may be the name of a setting. */
export class UnknownOptionError extends UsageError {
  readonly option: string;
  readonly known: readonly string[];
  constructor(option: string, known: readonly string[]) {
    super(`unknown option: ${option}`);
    this.option = option;
    this.known = known;
  }
}

/** The command failed, with the reason and advice in the message: exit code 1. */
export class OperationError extends ExpectedError {}

/** There is no connection to the server: exit code 4. */
export class UnreachableError extends ExpectedError {}

/** More events are waiting than may be delivered without asking: exit code 5. */
export class BacklogError extends ExpectedError {}

/** Wrong configuration, with all problems: exit code 78. */
export class ConfigurationError extends ExpectedError {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}
