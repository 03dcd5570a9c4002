/* Splits the arguments of the process. Every command takes --env-file and --json, in any position. */

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
