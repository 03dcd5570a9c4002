/* The words of a command line. Every command takes --env-file and --json. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from './io.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

const common = { 'env-file': { type: 'string' }, json: { type: 'boolean' } } as const;

export type Parsed = {
  positionals: string[];
  flag: (name: string) => boolean;
  option: (name: string) => string | undefined;
  envFile: string | undefined;
  json: boolean;
};

/**
 * @param names what the positional arguments are called, all required
 * @throws UsageError for unknown options, missing values, too few or too many arguments
 */
export function parse(args: string[], names: readonly string[], options: Options = {}): Parsed {
  const { values, positionals } = parseStrictly(args, options);
  const missing = names[positionals.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  if (positionals.length > names.length) throw new UsageError(`unexpected argument: ${positionals[names.length]}`);
  const text = (name: string): string | undefined => {
    const value = values[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    positionals,
    flag: name => values[name] === true,
    option: text,
    envFile: text('env-file'),
    json: values['json'] === true,
  };
}

function parseStrictly(args: string[], options: Options): { values: Record<string, unknown>; positionals: string[] } {
  try {
    return parseArgs({ args, options: { ...common, ...options }, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
