/* What is said of how commands are used: forms, subcommands, and what was probably meant by a word that is none. */
import { didYouMean } from '../core/suggest.ts';
import { UsageError } from './io.ts';

const formsOf = (usage: string): { form: string; verb: string | undefined }[] =>
  usage.split('\n').map(form => ({ form, verb: /^hooktape \S+ ([a-z]+)\b/.exec(form)?.[1] }));

/** The subcommands in a command's usage. */
export const verbsOf = (usage: string): string[] => [...new Set(formsOf(usage).flatMap(({ verb }) => verb ?? []))];

/** The forms of one subcommand. */
export const usageOf = (usage: string, verb: string): string =>
  formsOf(usage)
    .filter(one => one.verb === verb)
    .map(({ form }) => form)
    .join('\n');

export const unknownCommand = (name: string, known: readonly string[]): UsageError =>
  new UsageError(`unknown command: ${name}${didYouMean(name, known)}`);

/** @param usage of the command @param verb undefined when there is none */
export function unknownVerb(name: string, usage: string, verb: string | undefined): UsageError {
  const verbs = verbsOf(usage);
  if (verb === undefined) return new UsageError(`a subcommand is missing: ${verbs.join(', ')}`);
  return new UsageError(`unknown subcommand: ${name} ${verb}${didYouMean(verb, verbs)}`);
}
