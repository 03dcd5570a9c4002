/* Reads subcommands and their forms from usage texts, and suggests the nearest name for an unknown one. */
import { didYouMean } from '../shared/suggest.ts';
import { UsageError } from './io.ts';

const formsOf = (usage: string): { form: string; verb: string | undefined }[] =>
  usage.split('\n').map(form => ({ form, verb: /^hooktape \S+ ([a-z][a-z0-9-]*)(?= |$)/.exec(form)?.[1] }));

/** The subcommands in a usage text. */
export const verbsOf = (usage: string): string[] => [...new Set(formsOf(usage).flatMap(({ verb }) => verb ?? []))];

/** Whether all forms begin with a subcommand. `backup FILE` does not. */
export const requiresVerb = (usage: string): boolean => formsOf(usage).every(({ verb }) => verb !== undefined);

/** The lines of a usage text that belong to one subcommand. */
export const usageOf = (usage: string, verb: string): string =>
  formsOf(usage)
    .filter(one => one.verb === verb)
    .map(({ form }) => form)
    .join('\n');

export const unknownCommand = (name: string, known: readonly string[]): UsageError =>
  new UsageError(`unknown command: ${name}${didYouMean(name, known)}`);

/** @param usage usage text of the command @param verb undefined if none was given */
export function unknownVerb(name: string, usage: string, verb: string | undefined): UsageError {
  const verbs = verbsOf(usage);
  if (verb === undefined) return new UsageError(`a subcommand is missing: ${verbs.join(', ')}`);
  return new UsageError(`unknown subcommand: ${name} ${verb}${didYouMean(verb, verbs)}`);
}
