/* The options of `hooktape listen`. All problems with them are found here, before any request. */
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { basename, resolve } from 'node:path';
import { consumerNameForm, isConsumerName } from '../../shared/consumer-name.ts';
import { type Filter, FilterError } from '../../shared/filter/filter.ts';
import { parseFilter } from '../../shared/filter/parser.ts';
import { withScheme } from '../../shared/typed-url.ts';
import { parseDuration } from '../../shared/units.ts';
import { type Edits, readEdits } from '../client/edit-options.ts';
import { readSigning, type Signing } from '../client/signing.ts';
import { type Arguments, type Io, UsageError } from '../io.ts';
import { filterUsageError, wholeNumber } from '../parse-arguments.ts';
import type { Policy } from './settle.ts';

export type From = 'last' | 'now' | 'start' | { ago: string };
export type TargetMap = { where: string; filter: Filter; url: string };
export type Output = 'tui' | 'lines' | 'json';

export type ListenOptions = {
  /** The endpoints as typed. */
  endpoints: readonly string[];
  maps: readonly TargetMap[];
  /** Receives the events that no map matches. */
  rest: { url: string } | { command: readonly string[] } | undefined;
  where: string | undefined;
  /** The name of the consumer. */
  name: string;
  /** The default name of earlier versions: a first session continues from that consumer. */
  formerName: string | undefined;
  from: From;
  maxBacklog: number;
  policy: Policy;
  signing: Signing | undefined;
  edits: Edits;
  keepsPath: boolean;
  timeoutMs: number;
  isRemoteAllowed: boolean;
  output: Output;
};

const maxTimeoutMs = 3_600_000;
const maxNameLength = 64;
const hashLength = 8;

/** @throws UsageError */
export async function readOptions(io: Io, given: Arguments): Promise<ListenOptions> {
  const where = given.option('where');
  if (where !== undefined) readFilterOption('--where', where);
  return {
    endpoints: given.positionals,
    maps: given.options('map').map(readMap),
    rest: readRest(given),
    where,
    ...readNames(given),
    from: readFrom(given.option('from') ?? 'last'),
    maxBacklog: wholeNumber(given, 'max-backlog', { least: 0, most: 100_000_000 }) ?? 100,
    policy: {
      retries: wholeNumber(given, 'retry', { least: 0, most: 1_000_000 }) ?? 5,
      onFail: (given.option('on-fail') ?? 'hold') as Policy['onFail'],
      concurrency: wholeNumber(given, 'concurrency', { least: 1, most: 100 }) ?? 1,
    },
    signing: readSigning(io, given),
    edits: await readEdits(io, given),
    keepsPath: given.option('path') === 'keep',
    timeoutMs: readTimeout(given.option('timeout') ?? '30s'),
    isRemoteAllowed: given.flag('allow-remote'),
    output: readOutput(io, given),
  };
}

/** @throws UsageError with the place of the problem */
export function readFilterOption(option: string, text: string): Filter {
  try {
    return parseFilter(text);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    throw filterUsageError(option, text, error.message, error.position);
  }
}

/** A URL has no `=>`, so the last one separates it from the filter. */
function readMap(text: string): TargetMap {
  const at = text.lastIndexOf('=>');
  const url = text.slice(at + 2).trim();
  if (at < 0 || url === '')
    throw new UsageError(
      `--map takes 'WHERE=>URL', such as 'type:invoice.*=>http://localhost:3000/billing', not ${text}`,
    );
  const where = text.slice(0, at).trim();
  return { where, filter: readFilterOption('--map', where), url: withScheme(url) };
}

function readRest(given: Arguments): ListenOptions['rest'] {
  const to = given.option('to');
  const command = given.options('exec');
  if (to !== undefined && command.length > 0)
    throw new UsageError('use either --to or --exec: both would receive the events that no map matches');
  if (to !== undefined) return { url: withScheme(to) };
  return command.length > 0 ? { command } : undefined;
}

function readNames(given: Arguments): Pick<ListenOptions, 'name' | 'formerName'> {
  const name = given.option('as');
  if (name === undefined) return defaultNames(hostname(), resolve('.'));
  return { name: readConsumerName(name), formerName: undefined };
}

/** @throws UsageError */
export function readConsumerName(text: string): string {
  if (!isConsumerName(text)) throw new UsageError(`--as takes ${consumerNameForm}`);
  return text;
}

/**
 * Host, folder and a hash of the folder's whole path: otherwise, folders of the same name, or without any character allowed in
 * a name, would share a position. Earlier versions had no hash.
 * @param command begins the name and changes the hash, so that two commands in one folder never share a position
 */
export function defaultNames(host: string, path: string, command = ''): { name: string; formerName: string } {
  const clean = (text: string): string =>
    text
      .toLowerCase()
      .replace(/[^a-z0-9._-]+/g, '-')
      .replace(/^-+|-+$/g, '');
  const words = [command, clean(host.split('.')[0] ?? '').slice(0, 30), clean(basename(path))];
  const readable = words.filter(word => word !== '').join('-') || 'listen';
  const hash = createHash('sha256')
    .update(command + path)
    .digest('hex')
    .slice(0, hashLength);
  return {
    name: `${readable.slice(0, maxNameLength - 1 - hashLength)}-${hash}`,
    formerName: readable.slice(0, maxNameLength),
  };
}

function readFrom(text: string): From {
  if (text === 'last' || text === 'now' || text === 'start') return text;
  if (!parseDuration(text)) throw new UsageError(`--from takes last, now, start or a duration such as 2h, not ${text}`);
  return { ago: text };
}

function readTimeout(text: string): number {
  const ms = parseDuration(text);
  if (!ms || ms > maxTimeoutMs) throw new UsageError(`--timeout takes a duration such as 30s, up to 1h, not ${text}`);
  return ms;
}

function readOutput(io: Io, given: Arguments): Output {
  const asked = given.option('output') as Output | undefined;
  if (given.json) {
    if (asked !== undefined && asked !== 'json')
      throw new UsageError(`--json can't be combined with --output ${asked}`);
    return 'json';
  }
  if (asked === 'tui' && !io.fullScreen) throw new UsageError('--output tui needs an interactive terminal');
  return asked ?? (io.fullScreen && io.isTerminal && io.isForeground() ? 'tui' : 'lines');
}
