/* `hooktape help`, and `--help` after any command: the list of commands, the usage of one, or of one of its subcommands. */
import { parse } from './arguments.ts';
import { type Command, exitCodes, type Io, UsageError } from './io.ts';
import { unknownCommand, unknownVerb, usageOf, verbsOf } from './usage.ts';

type Commands = Readonly<Record<string, Command>>;
type Topic = { name: string | undefined; verb: string | undefined };

const commonOptions = `
Every command takes:
  --env-file FILE   settings; else HOOKTAPE_ENV_FILE, else ./hooktape.env when it exists
  --json            results and errors as JSON
  --help            usage of the command

Exit codes: 0 done, 1 failed, 2 wrong usage, 78 wrong configuration.
`;

/** @param commands all commands, including this one @param nameOf the current name for an older spelling */
export const createHelp = (commands: () => Commands, nameOf: (given: string) => string): Command => ({
  summary: 'list the commands, or explain one',
  usage: 'hooktape help [COMMAND [SUBCOMMAND]]',
  async run(args, io) {
    const { positionals, json } = parse(args, ['[COMMAND]', '[SUBCOMMAND]']);
    const [given, verb] = positionals;
    const name = given && nameOf(given);
    const known = commands();
    const command = name !== undefined && Object.hasOwn(known, name) ? known[name] : undefined;
    if (command && verb !== undefined && verbsOf(command.usage).length === 0)
      throw new UsageError(`unexpected argument: ${verb}`);
    return explainUse(known, { name, verb }, { io, json });
  },
});

/**
 * Prints the usage of a command or subcommand, or the list of commands without a name. A second word after a command
 * without subcommands is ignored.
 * @throws UsageError when there is no such command or subcommand
 */
export function explainUse(commands: Commands, { name, verb }: Topic, { io, json }: { io: Io; json: boolean }): number {
  if (name === undefined)
    io.stdout(json ? jsonOf({ commands: Object.entries(commands).map(describe) }) : all(commands));
  else {
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (!command) throw unknownCommand(name, Object.keys(commands));
    const part = verb === undefined ? command : narrow(name, command, verb);
    io.stdout(json ? jsonOf(describe([name, part])) : one(part));
  }
  return exitCodes.done;
}

/** The command reduced to one of its subcommands. */
function narrow(name: string, command: Command, verb: string): Command {
  const verbs = verbsOf(command.usage);
  if (verbs.length === 0) return command;
  if (!verbs.includes(verb)) throw unknownVerb(name, command.usage, verb);
  const usage = usageOf(command.usage, verb);
  const details = command.details?.filter(([option]) => usage.includes(option.split(' ')[0] ?? ''));
  return { ...command, usage, ...(details && { details }) };
}

const describe = ([name, { summary, usage, details = [] }]: [string, Command]) => ({
  name,
  summary,
  usage: usage.split('\n'),
  options: details.map(([option, about]) => ({ option, about })),
});

const jsonOf = (value: unknown): string => `${JSON.stringify(value)}\n`;

function one({ summary, usage, details = [] }: Command): string {
  const width = Math.max(...details.map(([option]) => option.length));
  const lines = details.map(([option, about]) => `  ${option.padEnd(width)}   ${about}\n`);
  return `${usage}\n\n${summary}\n${lines.length > 0 ? '\n' : ''}${lines.join('')}${commonOptions}`;
}

function all(commands: Commands): string {
  const width = Math.max(...Object.keys(commands).map(name => name.length));
  const lines = Object.entries(commands).map(([name, { summary }]) => `  hooktape ${name.padEnd(width)}  ${summary}`);
  return `Hooktape records webhooks.

${lines.join('\n')}

Without a command, the server starts. \`hooktape help COMMAND\` explains a command.
${commonOptions}`;
}
