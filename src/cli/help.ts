/* What there is, how a command is used, how one of its subcommands is: `hooktape help`, and `--help` anywhere. */
import { parse } from './arguments.ts';
import { type Command, exitCodes, type Io, UsageError } from './io.ts';
import { unknownCommand, unknownVerb, usageOf, verbsOf } from './usage.ts';

type Commands = Readonly<Record<string, Command>>;
type Topic = { name: string | undefined; verb: string | undefined };

const commonOptions = `
Every command takes:
  --env-file FILE   settings; else HOOKTAPE_ENV_FILE, else ./hooktape.env when it exists
  --json            results and errors as JSON
  --help            how it is used

Exit codes: 0 done, 1 failed, 2 wrong usage, 78 wrong configuration.
`;

/** @param commands of which this is one */
export const createHelp = (commands: () => Commands): Command => ({
  summary: 'this list, or how a command is used',
  usage: 'hooktape help [COMMAND [SUBCOMMAND]]',
  async run(args, io) {
    const { positionals, json } = parse(args, ['[COMMAND]', '[SUBCOMMAND]']);
    const [name, verb] = positionals;
    const known = commands();
    const command = name !== undefined && Object.hasOwn(known, name) ? known[name] : undefined;
    if (command && verb !== undefined && verbsOf(command.usage).length === 0)
      throw new UsageError(`unexpected argument: ${verb}`);
    return explainUse(known, { name, verb }, { io, json });
  },
});

/**
 * @param topic nothing: all commands; of a command without subcommands the second word does not count
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

/** A command as its subcommand has it. */
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

const all = (commands: Commands): string => `Hooktape records webhooks.

${Object.entries(commands)
  .map(([name, { summary }]) => `  hooktape ${name.padEnd(9)} ${summary}`)
  .join('\n')}

Without a command the server is started. \`hooktape help COMMAND\` says how one is used.
${commonOptions}`;
