/*
 * Reads the usage lines of the table of commands: `hooktape events ENDPOINT [--where W] [--limit N]`. Arguments are parsed,
 * completed and documented from these forms, so a usage line completely defines the arguments of a command.
 *   NAME             an argument; [NAME] optional; NAME… one or more; a|b one of these words
 *   --name VALUE     a required option; [--name VALUE] optional; followed by … repeatable; [--name] without a value
 *   (--a A|--b B)    one of these options, which the command checks
 *   [--name A B…]    an option that consumes all words after it
 */

export type ArgumentForm = { name: string; choices: readonly string[]; isOptional: boolean; isRepeated: boolean };
export type OptionForm = {
  /** The name with its dashes. */
  name: string;
  /** The placeholder of the value; undefined for an option without a value. */
  value: string | undefined;
  choices: readonly string[];
  isRequired: boolean;
  isRepeated: boolean;
};
export type Form = {
  /** The command and its subcommand. */
  words: readonly string[];
  arguments: readonly ArgumentForm[];
  options: readonly OptionForm[];
};

const tokenForm = /\[[^\]]+\]…?|\([^)]+\)|--[a-z0-9-]+(?: (?!\[|--)\S+)?|\S+/g;

const choicesOf = (text: string): string[] => (/^[a-z0-9][a-z0-9-]*(\|[a-z0-9-]+)+$/.test(text) ? text.split('|') : []);

function readOptions(text: string, isRequired: boolean, isRepeated: boolean): OptionForm[] {
  // `--now|--revoke`, `--count N|--none`: only one of the options is allowed.
  const alternatives = text.split(/\|(?=--)/);
  if (alternatives.length > 1) return alternatives.flatMap(one => readOptions(one, isRequired, isRepeated));
  const space = text.indexOf(' ');
  const name = space < 0 ? text : text.slice(0, space);
  const value = space < 0 ? undefined : text.slice(space + 1).replace(/^'(.*)'$/, '$1');
  return [{ name, value, choices: choicesOf(value ?? ''), isRequired, isRepeated }];
}

/** Whether an option consumes all following words, even if they look like options. */
export const takesRest = ({ value = '' }: OptionForm): boolean => / .*…$/.test(value);

/** @param line one line of a command's usage */
export function readForm(line: string): Form {
  const [, command = '', ...tokens] = line.match(tokenForm) ?? [];
  const words = [command];
  const found: ArgumentForm[] = [];
  const options: OptionForm[] = [];
  for (const token of tokens) {
    const isRepeated = token.endsWith('…');
    const text = isRepeated ? token.slice(0, -1) : token;
    const isOptional = /^[[(]/.test(text);
    const inner = isOptional ? text.slice(1, -1) : text;
    if (inner.startsWith('--')) options.push(...readOptions(inner, !isOptional, isRepeated));
    else if (/^[a-z][a-z0-9-]*$/.test(inner) && found.length === 0 && !isOptional) words.push(inner);
    else found.push({ name: inner, choices: choicesOf(inner), isOptional, isRepeated });
  }
  return { words, arguments: found, options };
}

/** The forms of a command, one for each line. */
export const readForms = (usage: string): Form[] => usage.split('\n').map(readForm);
