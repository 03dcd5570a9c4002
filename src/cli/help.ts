/* `hooktape help`, and `--help` after any command: the list of commands, or the usage of a command or subcommand. */
import { type Command, exitCodes, type Io, type Run, UsageError } from './io.ts';
import { clientCommands } from './table/client-commands.ts';
import { requiresVerb, unknownCommand, unknownVerb, usageOf, verbsOf } from './usage.ts';
import { wrapBeside, wrapUsage } from './wrap-text.ts';

type Commands = Readonly<Record<string, Command>>;
type Topic = { name: string | undefined; verb: string | undefined };

/** The options of every command, and how it finds the server or the settings. */
const commonOptions = {
  server: `
Every command takes:
  --env-file FILE   file with settings (default: HOOKTAPE_ENV_FILE, or
                    ./hooktape.env if it exists)
  --json            results and errors as JSON
  --help            show the usage of the command

Exit codes: 0 done, 1 failed, 2 wrong usage, 78 wrong configuration.
`,
  client: `
Every command takes:
  --env-file FILE   a file with HOOKTAPE_URL and HOOKTAPE_KEY
  --json            results and errors as JSON
  --help            show the usage of the command

The server is HOOKTAPE_URL or, if not set, the last \`hooktape login\`. The key
is HOOKTAPE_KEY or, if not set, the saved key of that server.

Exit codes: 0 done, 1 failed or refused, 2 wrong usage, 4 server unreachable.
`,
};

const isClient = (name: string): boolean => Object.hasOwn(clientCommands, name);

/** @param commands all commands, including this one @param nameOf the current name for an older spelling */
export const createHelp =
  (commands: Commands, nameOf: (given: string) => string): Run =>
  async ({ positionals: [given, verb], json }, io) => {
    const name = given && nameOf(given);
    const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command && verb !== undefined && verbsOf(command.usage).length === 0)
      throw new UsageError(`unexpected argument: ${verb}`);
    return explainUse(commands, { name, verb }, { io, json });
  };

/**
 * Prints the usage of a command or subcommand, or the list of commands without a name. A second word after a command
 * without subcommands is ignored.
 * @throws UsageError if there is no such command or subcommand
 */
export function explainUse(commands: Commands, { name, verb }: Topic, { io, json }: { io: Io; json: boolean }): number {
  if (name === undefined)
    io.stdout(json ? jsonOf({ commands: Object.entries(commands).map(describe) }) : all(commands));
  else {
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (!command) throw unknownCommand(name, Object.keys(commands));
    const part = verb === undefined ? command : narrow(name, command, verb);
    io.stdout(json ? jsonOf(describe([name, part])) : one(name, part));
  }
  return exitCodes.done;
}

/** The command reduced to one of its subcommands. */
function narrow(name: string, command: Command, verb: string): Command {
  const verbs = verbsOf(command.usage);
  if (!verbs.includes(verb) && !requiresVerb(command.usage)) return command;
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

function one(name: string, { summary, usage, details = [] }: Command): string {
  const width = Math.max(...details.map(([option]) => option.length));
  const lines = details.map(([option, about]) => `${wrapBeside(`  ${option}`, width + 5, about)}\n`);
  const common = commonOptions[isClient(name) ? 'client' : 'server'];
  return `${wrapUsage(usage)}\n\n${summary}\n${lines.length > 0 ? '\n' : ''}${lines.join('')}${common}`;
}

function all(commands: Commands): string {
  const names = Object.keys(commands);
  const width = Math.max(...names.map(name => name.length));
  const list = (shown: readonly string[]): string =>
    shown.map(name => wrapBeside(`  hooktape ${name}`, width + 13, commands[name]?.summary ?? '')).join('\n');
  return `Hooktape records webhooks.

The server:
${list(names.filter(name => !isClient(name)))}

Working with a server from any machine:
${list(names.filter(isClient))}

Without a command, hooktape starts the server.
\`hooktape help COMMAND\` explains a command.
${commonOptions.server.trimEnd().replace('2 wrong usage, 78', '2 wrong usage, 4 server unreachable,\n78')}
`;
}
