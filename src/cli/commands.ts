/* Runs the named command. Commands load their own code, so that client commands start without loading the server. */
import { splitArguments } from './arguments.ts';
import { type Command, completeCommand, exitCodes, type Io, UnknownOptionError } from './io.ts';
import { clientCommands } from './table/client-commands.ts';
import { serverCommands } from './table/server-commands.ts';
import { requiresVerb, unknownCommand, unknownVerb, usageOf, verbsOf } from './usage.ts';

type Commands = Readonly<Record<string, Command>>;

/** Older spellings. They still work, but are not listed. */
const aliases: Record<string, string> = { keys: 'signing-key' };

const unalias = (name: string): string => (Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name);

const help: Command = {
  summary: 'list all commands or explain one',
  usage: 'hooktape help [COMMAND] [SUBCOMMAND]',
  load: async () => (await import('./help.ts')).createHelp(commands, unalias),
};

export const commands: Commands = { ...serverCommands, ...clientCommands, help };

/** @returns the exit code: 0 done, 1 failed, 2 wrong usage, 4 server unreachable, 78 wrong configuration */
export async function runCommand(args: string[], io: Io): Promise<number> {
  if (args[0] === completeCommand) return (await import('./client/complete.ts')).complete(commands, args.slice(1), io);
  const { words, rest, json, wantsHelp } = splitArguments(args);
  const [first] = words;
  const isNamed = first !== undefined && !first.startsWith('-');
  const name = isNamed ? unalias(first) : first === '--version' ? 'version' : 'serve';
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  const own = [...(isNamed || name === 'version' ? words.slice(1) : words), ...rest];
  const [verb = ''] = own;
  const usage = command ? usageOf(command.usage, verb) || command.usage : '';
  try {
    if (wantsHelp) {
      const [topic, topicVerb] = words.filter(word => !word.startsWith('-'));
      const { explainUse } = await import('./help.ts');
      return explainUse(commands, { name: topic && unalias(topic), verb: topicVerb }, { io, json });
    }
    if (!command) throw unknownCommand(name, Object.keys(commands));
    if (requiresVerb(command.usage) && !verbsOf(command.usage).includes(verb))
      throw unknownVerb(name, command.usage, own[0]);
    const run = await command.load();
    const { parseArguments } = await import('./parse-arguments.ts');
    return (await run(parseArguments(own, usage, name in clientCommands), io)) ?? exitCodes.done;
  } catch (error) {
    const { reportError } = await import('./error-output.ts');
    const known =
      error instanceof UnknownOptionError
        ? (await import('./option-hint.ts')).withHint(error, name in serverCommands)
        : error;
    return reportError(known, { usage, json, io });
  }
}
