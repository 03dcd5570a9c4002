/* The table of commands, and how the arguments of the process become an exit code. */
import { describeConfig } from '../config/config.ts';
import { escapeUnsafe } from '../log.ts';
import { account } from './account.ts';
import { parse, splitArguments } from './arguments.ts';
import { backup } from './backup.ts';
import { check } from './check.ts';
import { reportError } from './error-output.ts';
import { health } from './health.ts';
import { createHelp, explainUse } from './help.ts';
import { importCommand } from './import.ts';
import { type Command, exitCodes, type Io } from './io.ts';
import { key } from './key.ts';
import { restore } from './restore.ts';
import { serve } from './serve.ts';
import { loadConfig } from './settings.ts';
import { signingKey } from './signing-key.ts';
import { unknownCommand, usageOf } from './usage.ts';

const config: Command = {
  summary: 'the settings in force and where each came from',
  usage: 'hooktape config',
  async run(args, io) {
    const { envFile, json } = parse(args, []);
    const { sources } = loadConfig(io, envFile);
    // A value may span several lines, as JSON in an env file does; each setting is printed on one.
    const lines = describeConfig(sources).map(line => `${escapeUnsafe(line)}\n`);
    io.stdout(json ? `${JSON.stringify(sources)}\n` : lines.join(''));
    return exitCodes.done;
  },
};

const version: Command = {
  summary: 'the version of this program',
  usage: 'hooktape version',
  async run(args, io) {
    const { json } = parse(args, []);
    io.stdout(
      json
        ? `${JSON.stringify({ version: io.version, commit: io.commit })}\n`
        : `hooktape ${io.version} (${io.commit})\n`,
    );
    return exitCodes.done;
  },
};

/** Older spellings, which still work and are not listed. */
const aliases: Record<string, string> = { keys: 'signing-key' };

const unalias = (name: string): string => (Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name);

const commands: Record<string, Command> = {
  serve,
  account,
  key,
  'signing-key': signingKey,
  backup,
  restore,
  check,
  import: importCommand,
  health,
  config,
  version,
  help: createHelp(() => commands, unalias),
};

/** @returns the exit code: 0 done, 1 failed, 2 wrong usage, 78 wrong configuration */
export async function runCommand(args: string[], io: Io): Promise<number> {
  const { words, rest, json, wantsHelp } = splitArguments(args);
  const [first] = words;
  const isNamed = first !== undefined && !first.startsWith('-');
  const name = isNamed ? unalias(first) : 'serve';
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  const own = [...(isNamed ? words.slice(1) : words), ...rest];
  try {
    if (wantsHelp) {
      const [topic, verb] = words.filter(word => !word.startsWith('-'));
      return explainUse(commands, { name: topic && unalias(topic), verb }, { io, json });
    }
    if (first === '--version') return await version.run(own.slice(1), io);
    if (!command) throw unknownCommand(name, Object.keys(commands));
    return await command.run(own, io);
  } catch (error) {
    const [verb = ''] = own;
    return reportError(error, { usage: command ? usageOf(command.usage, verb) || command.usage : '', json, io });
  }
}
