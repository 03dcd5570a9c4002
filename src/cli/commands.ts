/* Every command, and the way from the words of a command line to an exit code. */
import { describeConfig } from '../config.ts';
import { AppError } from '../core/errors.ts';
import { LockedError } from '../db/lock.ts';
import { SchemaError } from '../db/migrate.ts';
import { SecretError } from '../db/secret-check.ts';
import { account } from './account.ts';
import { parse } from './arguments.ts';
import { backup } from './backup.ts';
import { check } from './check.ts';
import { OperationError } from './control.ts';
import { diskTrouble } from './disk-trouble.ts';
import { health } from './health.ts';
import { importCommand } from './import.ts';
import { type Command, ConfigurationError, exitCodes, type Io, UsageError } from './io.ts';
import { key } from './key.ts';
import { keys } from './keys.ts';
import { restore } from './restore.ts';
import { serve } from './serve.ts';
import { loadConfig } from './settings.ts';

const config: Command = {
  summary: 'the settings in force and where each came from',
  usage: 'hooktape config',
  async run(args, io) {
    const { envFile, json } = parse(args, []);
    const { sources } = loadConfig(io, envFile);
    io.stdout(json ? `${JSON.stringify(sources)}\n` : `${describeConfig(sources).join('\n')}\n`);
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

const help: Command = {
  summary: 'this list, or how a command is used',
  usage: 'hooktape help [COMMAND]',
  async run(args, io) {
    const [name] = parse(args, args.some(arg => !arg.startsWith('-')) ? ['COMMAND'] : []).positionals;
    const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (name !== undefined && !command) throw new UsageError(`unknown command: ${name}`);
    io.stdout(command ? `${command.usage}\n\n${command.summary}\n${commonOptions}` : overview());
    return exitCodes.done;
  },
};

const commands: Record<string, Command> = {
  serve,
  account,
  key,
  keys,
  backup,
  restore,
  check,
  import: importCommand,
  health,
  config,
  version,
  help,
};

const commonOptions = `
Every command takes:
  --env-file FILE   settings; else HOOKTAPE_ENV_FILE, else ./hooktape.env when it exists
  --json            results as JSON
`;

const overview = (): string => `Hooktape records webhooks.

${Object.entries(commands)
  .map(([name, { summary }]) => `  hooktape ${name.padEnd(9)} ${summary}`)
  .join('\n')}

Without a command the server is started.
${commonOptions}`;

/** @returns the exit code: 0 done, 1 failed, 2 wrong usage, 78 wrong configuration */
export async function runCommand(args: string[], io: Io): Promise<number> {
  const [first] = args;
  const wantsHelp = args.includes('--help') || args.includes('-h');
  const name = first === undefined || (first.startsWith('-') && !wantsHelp) ? 'serve' : first;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  try {
    if (wantsHelp) return await help.run(command ? [name] : [], io);
    if (first === '--version') return await version.run([], io);
    if (!command) throw new UsageError(`unknown command: ${name}`);
    return await command.run(name === first ? args.slice(1) : args, io);
  } catch (error) {
    return explain(error, command, io);
  }
}

function explain(error: unknown, command: Command | undefined, io: Io): number {
  if (error instanceof UsageError) {
    io.stderr(`hooktape: ${error.message}\n\n${command?.usage ?? 'hooktape help lists the commands'}\n`);
    return exitCodes.usage;
  }
  if (error instanceof ConfigurationError) {
    io.stderr(`hooktape: the configuration is wrong:\n${error.problems.map(problem => `  ${problem}\n`).join('')}`);
    return exitCodes.configuration;
  }
  const expected = [LockedError, SchemaError, SecretError, OperationError, AppError].some(
    kind => error instanceof kind,
  );
  const { message, code } = error as Error & { code?: unknown };
  const trouble = diskTrouble(error);
  io.stderr(`hooktape: ${trouble ?? message}\n`);
  if (trouble === undefined && !expected && typeof code !== 'string' && error instanceof Error && error.stack)
    io.stderr(`${error.stack}\n`);
  return exitCodes.failed;
}
