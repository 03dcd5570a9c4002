/* Parses the arguments of a command. Every command takes --env-file and --json, in any position. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UnknownOptionError, UsageError } from './io.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

const common = { 'env-file': { type: 'string' }, json: { type: 'boolean' } } as const;

export type Parsed = {
  positionals: string[];
  flag: (name: string) => boolean;
  option: (name: string) => string | undefined;
  /** All values of a repeatable option, in their order. */
  options: (name: string) => string[];
  envFile: string | undefined;
  json: boolean;
};

export type SplitArguments = {
  /** Command, subcommand and their arguments, in their order. */
  words: string[];
  /** --env-file and --json, and everything after `--` or `--exec`; they may follow any words. */
  rest: string[];
  json: boolean;
  wantsHelp: boolean;
};

/** Whether all later words are positional, or belong to another program. */
const isEnd = (word: string): boolean => word === '--' || word === '--exec';

/** Separates the options that every command takes, so that they may also precede the command's name. */
export function splitArguments(args: readonly string[]): SplitArguments {
  const end = args.some(isEnd) ? args.findIndex(isEnd) : args.length;
  const words: string[] = [];
  const rest: string[] = [];
  for (let at = 0; at < end; at++) {
    const word = args[at] ?? '';
    if (word === '--env-file') rest.push(...args.slice(at, Math.min(++at + 1, end)));
    else (word === '--json' || word.startsWith('--env-file=') ? rest : words).push(word);
  }
  const wantsHelp = words.includes('--help') || words.includes('-h');
  return { words, rest: [...rest, ...args.slice(end)], json: rest.includes('--json'), wantsHelp };
}

/** @param names of arguments: [NAME] is optional, NAME… repeatable @throws UsageError for arguments that do not fit */
export function parse(args: string[], names: readonly string[], options: Options = {}): Parsed {
  const { values, positionals } = parseStrictly(args, { ...common, ...options });
  const missing = names[positionals.length];
  if (missing !== undefined && !missing.startsWith('[')) throw new UsageError(`${missing} is missing`);
  if (positionals.length > names.length && !names.at(-1)?.endsWith('…'))
    throw new UsageError(`unexpected argument: ${positionals[names.length]}`);
  const text = (name: string): string | undefined => {
    const value = values[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    positionals,
    flag: name => values[name] === true,
    option: text,
    options: name => [values[name] ?? []].flat().map(String),
    envFile: text('env-file'),
    json: values['json'] === true,
  };
}

function parseStrictly(args: string[], options: Options): { values: Record<string, unknown>; positionals: string[] } {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    const [, unknown] = /^Unknown option '(-[^' ]*)/.exec((error as Error).message) ?? [];
    if (unknown === undefined) throw new UsageError((error as Error).message);
    throw new UnknownOptionError(
      unknown,
      Object.keys(options).map(name => `--${name}`),
    );
  }
}
