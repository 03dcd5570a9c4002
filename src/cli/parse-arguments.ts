/* Parses the arguments of a command according to its usage lines. Every command takes --env-file and --json. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { parseDuration } from '../shared/units.ts';
import { type Arguments, type Io, UnknownOptionError, UsageError } from './io.ts';
import { type Form, type OptionForm, readForms, takesRest } from './usage-grammar.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

/**
 * @param args with the subcommand @param usage the lines of the called form, or of all forms @param checksChoices whether an
 * argument must be one of the words in the usage line; otherwise the command checks it @throws UsageError if they do not fit
 */
export function parseArguments(args: string[], usage: string, checksChoices: boolean): Arguments {
  const forms = readForms(usage).filter(({ words: [, verb] }) => verb === undefined || verb === args[0]);
  const form: Form = { words: [], arguments: [], ...forms[0], options: forms.flatMap(({ options }) => options) };
  const [, verb, ...fixed] = form.words;
  const options = Object.fromEntries(form.options.map(option => [option.name.slice(2), optionOf(option)]));
  const names = form.arguments.map(
    ({ name, isOptional, isRepeated }) => `${isOptional ? `[${name}]` : name}${isRepeated ? '…' : ''}`,
  );
  const { own, rest } = splitRest(args.slice(verb === undefined ? 0 : 1), form);
  const parsed = parse(joinValues(own, form), [...fixed, ...names], options);
  for (const { name, value, choices, isRequired } of form.options) {
    const chosen = parsed.option(name.slice(2));
    if (isRequired && value !== undefined && chosen === undefined) throw new UsageError(`${name} ${value} is missing`);
    if (chosen !== undefined && checksChoices) checkChoice(name, chosen, choices);
  }
  for (const [index, { name, choices }] of form.arguments.entries()) {
    const chosen = parsed.positionals[index];
    if (chosen !== undefined && checksChoices) checkChoice(name, chosen, choices);
  }
  return {
    ...parsed,
    verb,
    options: name => (rest?.name === name ? rest.words : parsed.options(name)),
    argument: index => parsed.positionals[index] ?? '',
  };
}

/** @param names of arguments: [NAME] is optional, NAME… repeatable @throws UsageError for arguments that do not fit */
function parse(args: string[], names: readonly string[], options: Options): Omit<Arguments, 'verb' | 'argument'> {
  const common = { 'env-file': { type: 'string' }, json: { type: 'boolean' } } as const;
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

/** Separates an option that consumes all words after it. @throws UsageError if no word follows */
function splitRest(args: string[], form: Form): { own: string[]; rest?: { name: string; words: string[] } } {
  const option = form.options.find(takesRest);
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const at = option ? args.slice(0, end).indexOf(option.name) : -1;
  if (!option || at < 0) return { own: args };
  const words = args.slice(at + 1);
  if (words.length === 0) throw new UsageError(`${option.name} ${option.value} is missing`);
  return { own: args.slice(0, at), rest: { name: option.name.slice(2), words } };
}

const optionOf = ({ value, isRepeated }: OptionForm) =>
  ({ type: value === undefined ? 'boolean' : 'string', multiple: isRepeated }) as const;

/** `--where -type:push` becomes `--where=-type:push`, because a filter may begin with a dash. */
function joinValues(args: readonly string[], form: Form): string[] {
  const joined: string[] = [];
  const known = new Set([...form.options.map(({ name }) => name), '--json', '--env-file', '--']);
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    if (word === '--') return [...joined, ...args.slice(at)];
    const next = args[at + 1];
    const takesValue = form.options.some(({ name, value }) => name === word && value !== undefined);
    if (takesValue && next !== undefined && !known.has(next)) joined.push(`${word}=${args[++at]}`);
    else joined.push(word);
  }
  return joined;
}

function checkChoice(name: string, chosen: string, choices: readonly string[]): void {
  if (choices.length === 0 || choices.includes(chosen)) return;
  throw new UsageError(
    name.startsWith('--') ? `${name} must be one of ${choices.join(', ')}` : `must be one of ${choices.join(', ')}`,
  );
}

/** Reads an option as a whole number. @throws UsageError */
export function wholeNumber(
  given: Arguments,
  name: string,
  { least, most }: { least: number; most: number },
): number | undefined {
  const text = given.option(name);
  if (text === undefined) return undefined;
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= least && number <= most))
    throw new UsageError(`--${name} must be a whole number from ${least} to ${most}`);
  return number;
}

/** Reads an option as a duration in milliseconds. @throws UsageError */
export function duration(given: Arguments, name: string): number | undefined {
  const text = given.option(name);
  if (text === undefined) return undefined;
  const ms = parseDuration(text);
  if (ms === undefined) throw new UsageError(`--${name} must be a duration, such as 500ms, 30s or 5m`);
  return ms;
}

/** Shows an invalid filter with a mark at the problem. @param position in characters (code points), from 0 */
export function filterUsageError(option: string, filter: string, message: string, position: number): UsageError {
  const before = Bun.stringWidth([...filter].slice(0, position).join(''));
  return new UsageError(`${option}: ${message}\n  ${filter}\n  ${' '.repeat(before)}^`);
}

/** An environment variable; undefined if it is empty. */
export const variable = (io: Pick<Io, 'env'>, name: string): string | undefined => io.env[name] || undefined;
