/*
 * Prints the words that fit at the cursor, for the completion scripts: one a line, from the table of commands and, for
 * ENDPOINT, from the server. It prints only these words and always exits with 0, because a shell calls it while the user types.
 */
import { isPlainText } from '../../core/text.ts';
import { type Command, exitCodes, type Io } from '../io.ts';
import { verbsOf } from '../usage.ts';
import { type Form, type OptionForm, readForms } from '../usage-grammar.ts';
import { createApi } from './api.ts';
import { listEndpoints } from './find.ts';
import { safeLine } from './output.ts';
import { requireServer } from './server.ts';
import { readTyped, type Shell, shells, writeWord } from './shell-words.ts';

const timeoutMs = 1500;
const common: readonly OptionForm[] = [
  { name: '--env-file', value: 'FILE', choices: [], isRequired: false, isRepeated: false },
  ...['--json', '--help'].map(name => ({ name, value: undefined, choices: [], isRequired: false, isRepeated: false })),
];

type Commands = Readonly<Record<string, Command>>;

/** What is expected at the cursor: these words, or an endpoint. */
type Expected = { words: readonly string[]; isEndpoint: boolean };

const noWords: Expected = { words: [], isEndpoint: false };

/** @param given `--shell=NAME`, then the words after `hooktape` as they are typed; scripts of earlier versions name no shell */
export async function complete(commands: Commands, given: readonly string[], io: Io): Promise<number> {
  const shell = shells.find(name => given[0] === `--shell=${name}`);
  const typed = (shell ? given.slice(1) : given).map(word => (shell ? readTyped(shell, word) : plain(word)));
  const { text: current, open } = typed.at(-1) ?? plain('');
  const before = typed.slice(0, -1).map(({ text }) => text);
  const { words, isEndpoint } = expectedAt(commands, before, current);
  const found = isEndpoint ? [...words, ...(await endpointWords(io, shell))] : words;
  io.stdout(
    found
      .filter(word => word.startsWith(current))
      .flatMap(word => (shell ? (writeWord(shell, word, open) ?? []) : word))
      .map(word => `${word}\n`)
      .join(''),
  );
  return exitCodes.done;
}

/** PowerShell cannot pass an empty word. */
const plain = (word: string): ReturnType<typeof readTyped> => ({ text: word === '""' ? '' : word, open: undefined });

function expectedAt(commands: Commands, before: readonly string[], current: string): Expected {
  const [name, ...rest] = before;
  if (name === undefined) return { words: Object.keys(commands), isEndpoint: false };
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) return noWords;
  if (name === 'help') return helpWords(commands, rest);
  const verbs = verbsOf(command.usage);
  const [verb] = rest;
  if (verbs.length > 0 && verb === undefined) return { words: verbs, isEndpoint: false };
  const forms = readForms(command.usage).filter(({ words }) => verbs.length === 0 || words[1] === verb);
  const [first] = forms;
  if (!first) return noWords;
  // A command with several forms, such as `restore`, takes the options of all of them.
  const options = new Map(forms.flatMap(form => form.options).map(option => [option.name, option]));
  return expectedIn({ ...first, options: [...options.values()] }, verbs.length > 0 ? rest.slice(1) : rest, current);
}

function helpWords(commands: Commands, [name, verb]: readonly string[]): Expected {
  if (name === undefined) return { words: Object.keys(commands), isEndpoint: false };
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  return { words: command && verb === undefined ? verbsOf(command.usage) : [], isEndpoint: false };
}

/** @param before the complete words of the form */
function expectedIn(form: Form, before: readonly string[], current: string): Expected {
  const options = [...form.options, ...common];
  const last = options.find(({ name, value }) => name === before.at(-1) && value !== undefined);
  if (last) return { words: last.choices, isEndpoint: last.value === 'ENDPOINT' };
  if (current.startsWith('-')) {
    const isFree = ({ name, isRepeated }: OptionForm): boolean => isRepeated || !before.includes(name);
    return { words: options.filter(isFree).map(({ name }) => name), isEndpoint: false };
  }
  const takesValue = (word: string | undefined): boolean =>
    options.some(({ name, value }) => name === word && value !== undefined);
  const given = before.filter((word, at) => !word.startsWith('-') && !takesValue(before[at - 1])).length;
  const place = form.arguments[given] ?? (form.arguments.at(-1)?.isRepeated ? form.arguments.at(-1) : undefined);
  return { words: place?.choices ?? [], isEndpoint: place?.name === 'ENDPOINT' };
}

const plainName = /^[\p{L}\p{N}_][\p{L}\p{N}._@+-]*$/u;

/**
 * The names of the endpoints. An endpoint is offered by its id if its name looks like an option, if a terminal would not show the name
 * as it is, or if the script does not quote words and a shell might interpret the name.
 */
async function endpointWords(io: Io, shell: Shell | undefined): Promise<string[]> {
  const isOffered = (name: string): boolean =>
    plainName.test(name) ||
    (shell !== undefined && !name.startsWith('-') && isPlainText(name) && safeLine(name) === name);
  try {
    const api = createApi({ ...io, stderr: () => {} }, requireServer(io, { envFile: undefined }));
    const endpoints = await Promise.race([listEndpoints(api), io.sleep(timeoutMs).then(() => [])]);
    return endpoints.map(({ id, name }) => (isOffered(name) ? name : id)).filter(isOffered);
  } catch {
    return [];
  }
}
