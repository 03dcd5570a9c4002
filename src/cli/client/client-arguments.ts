/* Parses the arguments of a client command according to its usage line. */
import { parseDuration } from '../../shared/units.ts';
import { type Parsed, parse } from '../arguments.ts';
import { type Io, UsageError } from '../io.ts';
import { type Form, type OptionForm, readForm, takesRest } from '../usage-grammar.ts';

export type ClientArguments = Parsed & {
  /** An argument that the usage line requires. */
  argument: (index: number) => string;
};

/** @param args with the subcommand @param usage the line of the called form @throws UsageError if they do not fit */
export function parseClientArguments(args: string[], usage: string): ClientArguments {
  const form = readForm(usage);
  const options = Object.fromEntries(form.options.map(option => [option.name.slice(2), optionOf(option)]));
  const names = form.arguments.map(
    ({ name, isOptional, isRepeated }) => `${isOptional ? `[${name}]` : name}${isRepeated ? '…' : ''}`,
  );
  const { own, rest } = splitRest(args.slice(form.words.length - 1), form);
  const parsed = parse(joinValues(own, form), names, options);
  for (const { name, value, choices, isRequired } of form.options) {
    const chosen = parsed.option(name.slice(2));
    if (isRequired && chosen === undefined) throw new UsageError(`${name} ${value} is missing`);
    if (chosen !== undefined) checkChoice(name, chosen, choices);
  }
  for (const [index, { name, choices }] of form.arguments.entries()) {
    const chosen = parsed.positionals[index];
    if (chosen !== undefined) checkChoice(name, chosen, choices);
  }
  return {
    ...parsed,
    options: name => (rest?.name === name ? rest.words : parsed.options(name)),
    argument: index => parsed.positionals[index] ?? '',
  };
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
  given: ClientArguments,
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
export function duration(given: ClientArguments, name: string): number | undefined {
  const text = given.option(name);
  if (text === undefined) return undefined;
  const ms = parseDuration(text);
  if (ms === undefined) throw new UsageError(`--${name} must be a duration, such as 500ms, 30s or 5m`);
  return ms;
}

/** An environment variable; undefined if it is empty. */
export const variable = (io: Pick<Io, 'env'>, name: string): string | undefined => io.env[name] || undefined;
